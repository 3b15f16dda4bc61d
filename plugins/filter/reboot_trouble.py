# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filter reboot_trouble: documented in reboot_trouble.yml."""

from __future__ import annotations

import typing as t

from ansible.errors import AnsibleFilterError

from ..module_utils._core.act.reboot_end import Told, trouble


def reboot_trouble(restart: t.Any, chosen: t.Any, kernel: str, running: str, timeout: int) -> str:
    """Why a node is not back from its reboot; empty if it is.

    Raises:
        AnsibleFilterError: one is no result of a module.
    """
    if not isinstance(restart, t.Mapping) or not isinstance(chosen, t.Mapping):
        raise AnsibleFilterError("reboot_trouble: is given no result of a module; register reboot and node_boot")
    return trouble(chosen, restart, Told(str(kernel), str(running), int(timeout)))


class FilterModule:
    """Filters of reboots."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """Name -> function."""
        return {"reboot_trouble": reboot_trouble}
