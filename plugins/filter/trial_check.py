# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filter trial_check: documented in trial_check.yml."""

from __future__ import annotations

import typing as t

from ansible.errors import AnsibleFilterError

from ..module_utils._core.rollout.preflight import of_trial


def trial_check(steps: t.Any, built: t.Any) -> dict[str, str]:
    """What came of the build on trial, as one check of the pre-flight.

    Raises:
        AnsibleFilterError: there are no steps of a plan, or no result of a module.
    """
    if not isinstance(steps, t.Mapping) or not isinstance(built, t.Mapping):
        raise AnsibleFilterError("trial_check: is given no steps of a plan, or no result of a module; "
                                 "give by_action of the plan of gpu_driver, and register gpu_driver_trial")
    return of_trial(steps, built).to_dict()


class FilterModule:
    """Filters of the pre-flight of an upgrade."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """Name -> function."""
        return {"trial_check": trial_check}
