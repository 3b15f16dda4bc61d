# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filter upgrade_note: documented in upgrade_note.yml."""

from __future__ import annotations

import typing as t

from ansible.errors import AnsibleFilterError

from ..module_utils._core.errors import DataError
from ..module_utils._core.rollout import note, reading
from ..module_utils._core.rollout.shape import DONE


def upgrade_note(result: t.Any, node: str = "", retry: t.Any = False) -> dict[str, t.Any]:
    """What an earlier run noted on a node. A note that cannot be read tells nothing: who plans the upgrade refuses it.

    Raises:
        AnsibleFilterError: it is no result of a module.
    """
    if not isinstance(result, t.Mapping):
        raise AnsibleFilterError("upgrade_note: is given no result of a module; register one of gpu_node_info")
    section = (result.get("look") or {}).get("files") or {}
    text = next((one.get("text") for one in section.get("files") or () if one["path"] == note.PATH), None) or ""
    try:
        found = note.read(text) if text else None
    except DataError:
        found = None
    stays = note.kept(found, section.get("recorded_release") or "")
    # Of a node that is done no run of ours left a drain. Who names it says that its scheduler has it otherwise.
    asks = reading.named(retry, str(node)) or (found is not None and found.state != DONE)
    return {"text": text, "asks": asks, "snapshot": stays}


class FilterModule:
    """Filters of looks."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """Name -> function."""
        return {"upgrade_note": upgrade_note}
