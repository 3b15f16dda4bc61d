# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filter boot_choice: documented in boot_choice.yml."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ansible.errors import AnsibleFilterError

from ..module_utils._core.act.boot_choice import choice


def boot_choice(plan: t.Any, running: str, against: str = "", proved: bool = True) -> dict[str, str]:
    """Which kernel boots next, and which by default until that has proved itself.

    Raises:
        AnsibleFilterError: it is no plan.
    """
    try:
        wanted = plan["release"]["kernel"]["wanted"]
    except (KeyError, TypeError) as error:
        raise AnsibleFilterError("boot_choice: is given no plan; give what fleet_plan returned") from error
    return dc.asdict(choice(wanted, str(running), against == "kept", proved))


class FilterModule:
    """Filters of reboots."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """Name -> function."""
        return {"boot_choice": boot_choice}
