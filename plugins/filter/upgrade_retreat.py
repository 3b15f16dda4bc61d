# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filter upgrade_retreat: documented in upgrade_retreat.yml."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ansible.errors import AnsibleFilterError

from ..module_utils._core.errors import DataError
from ..module_utils._core.rollout import reading
from ..module_utils._core.rollout.retreat import retreat


def upgrade_retreat(node: t.Any, noted: t.Any, snapshot: str, allowed: t.Any) -> dict[str, t.Any]:
    """What becomes of a node whose upgrade failed.

    Raises:
        AnsibleFilterError: it is no node of a plan, ``noted`` is no result, or ``allowed`` neither true nor false.
    """
    if not isinstance(node, t.Mapping):
        raise AnsibleFilterError("upgrade_retreat: is given no node; give one of the nodes of fleet_upgrade_plan")
    if not isinstance(noted, t.Mapping):
        raise AnsibleFilterError("upgrade_retreat: is given no step; give the result of fleet_upgrade_turn")
    try:
        may = reading.flag(allowed, f"{reading.PREFIX}rollback")
    except DataError as error:
        raise AnsibleFilterError(f"upgrade_retreat: {error.sentence}") from error
    return dc.asdict(retreat(node, noted, str(snapshot), may))


class FilterModule:
    """Filters of nodes of a roll-out."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """Name -> function."""
        return {"upgrade_retreat": upgrade_retreat}
