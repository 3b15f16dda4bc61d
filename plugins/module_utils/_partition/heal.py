# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What an earlier run that was killed owes the node: the driver that it took out, the units that it stopped."""

from __future__ import annotations

from .._act.outcome import Failed
from . import eyes, units
from .request import Request
from .work import Ended, put_back


def heal(request: Request) -> Ended:
    """Put it back, with the node's lock held. Nothing is owed after a reboot, which starts what is enabled.

    Raises:
        FleetError: it does not come back, or the note cannot be read.
    """
    ended = Ended()
    owed = units.read()
    if owed is None:
        return ended
    kernel = eyes.look(("kernel",)).kernel
    now = kernel.boot_id if kernel else None
    if now and owed.boot and now != owed.boot:  # what is not known may be this boot
        units.settle(units.Note(owed.boot, ()))
        stopped = f", and had stopped {', '.join(owed.units)}" if owed.units else ""
        ended.notes.append(f"a run before this boot was ended in the middle of a change{stopped}")
        return ended
    ended.notes.append("an earlier run was ended in the middle of a change")
    put_back(owed, request, ended)
    if ended.error is not None:
        raise Failed(ended.error, changed=bool(ended.actions), actions=ended.actions, notes=ended.notes)
    return ended
