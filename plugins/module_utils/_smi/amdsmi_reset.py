# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The program that resets GPUs. Runs in a child process, with amdsmi.py and amdsmi_set.py beside it.

Request, beside what amdsmi.py says: ``lock`` (file that one child at a time holds) and ``bdf``.
Answer: {"told": {address: {"code": ..., "status": ..., "words": ...}}}, the library's answer.
"""

from __future__ import annotations

import typing as t

from .amdsmi import Item, Say, primaries, session
from .amdsmi_set import answer, locked


def work(amdsmi: t.Any, request: Item, say: Say) -> None:
    """Reset one GPU, under the lock that sets are under. Whole GPUs alone can be reset."""
    if not locked(request["lock"], say):
        return
    bdf = request["bdf"]
    with session(amdsmi, say) as handles:
        say(step=f"resetting {bdf}")
        say(told={bdf: answer(amdsmi, primaries(amdsmi, handles).get(bdf), amdsmi.amdsmi_reset_gpu)})
