# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filter resolve_release: documented in resolve_release.yml."""

from __future__ import annotations

import typing as t

from ansible.errors import AnsibleFilterError

from ..module_utils._core.errors import FleetError


def resolve_release(look: t.Any, catalogue: t.Any, name: str, policy: t.Any = None) -> dict[str, t.Any]:
    """What the release means for the node that was looked at.

    Raises:
        AnsibleFilterError: the release is unknown, a rule is broken, or an argument is not of its form.
    """
    # Not above: Ansible loads every filter of a collection, in each task that uses one.
    from ..module_utils._core.look.shape import Look
    from ..module_utils._core.release.catalogue import Catalogue
    from ..module_utils._core.release.resolve import Policy, resolve
    from ..plugin_utils.plain import from_plain

    try:
        seen = from_plain(Look, look, "look")
        wanted = resolve(Catalogue.from_dict(catalogue), str(name), seen, Policy.from_dict(policy or {}))
    except FleetError as error:
        raise AnsibleFilterError(error.sentence) from error
    return wanted.to_dict()


class FilterModule:
    """Filters of the catalogue."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """Name -> function."""
        return {"resolve_release": resolve_release}
