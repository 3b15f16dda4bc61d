# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What an earlier run that was killed owes the node: the driver that it took out, the units that it stopped."""

from __future__ import annotations

from .._act import amdgpu
from .._act.outcome import Failed
from .._core.errors import FleetError
from . import eyes, units
from .request import Request
from .work import Ended, put_back


def heal(request: Request) -> Ended:
    """Put it back, with the node's lock held. Nothing is owed after a reboot, which starts what is enabled.

    Raises:
        FleetError: it does not come back, or the note cannot be read.
    """
    owed = units.read()
    if owed is None:
        return Ended()
    ours = _of_this_boot(owed)
    ended = Ended(notes=[_told(owed, ours)])
    if not ours:
        units.settle(units.Note(owed.boot, ()))
        return ended
    put_back(owed, request, ended)
    if ended.error is not None:
        raise Failed(ended.error, changed=bool(ended.actions), actions=ended.actions, notes=ended.notes)
    return ended


def foreseen() -> Ended:
    """What ``heal`` would say and do, where nothing may be touched."""
    ended = Ended()
    try:
        owed = units.read()
        ours = owed is not None and _of_this_boot(owed)
        if owed is not None:
            ended.notes.append(_told(owed, ours))
        if owed is not None and ours:
            out = owed.driver is not None and amdgpu.loaded() is None
            ended.actions += ["load amdgpu"] if out else []
            ended.actions += [f"start {unit.name}" for unit in units.ask(owed.units) if unit.there]
    except FleetError as error:
        ended.notes.append(error.sentence)
    return ended


def _of_this_boot(owed: units.Note) -> bool:
    """Whether it was noted since the node started. What is not known may be so."""
    kernel = eyes.look(("kernel",)).kernel
    now = kernel.boot_id if kernel else None
    return not now or not owed.boot or now == owed.boot


def _told(owed: units.Note, ours: bool) -> str:
    if ours:
        return "an earlier run was ended in the middle of a change"
    stopped = f", and had stopped {', '.join(owed.units)}" if owed.units else ""
    return f"a run before this boot was ended in the middle of a change{stopped}"
