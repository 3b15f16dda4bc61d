# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What an earlier run that was killed owes the node: the driver that it took out, the units that it stopped."""

from __future__ import annotations

from .._core.errors import FleetError
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
    if kernel is None or kernel.boot_id != owed.boot:
        units.settle(units.Note(owed.boot, ()))
        ended.notes.append("a run before this boot was ended in the middle of a change")
        return ended
    ended.notes.append("an earlier run was ended in the middle of a change")
    put_back(owed, request, ended)
    if ended.error is not None:
        raise FleetError(ended.error.where, ended.error.what, ended.error.hint)
    return ended
