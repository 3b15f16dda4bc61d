# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The program that asks which processes use the GPUs. Runs in a child process, with amdsmi.py alone beside it.

Answer: for each whole GPU {"told": {address: {"processes": [[pid, name or null], ...], "unknown": {}}}}, with the
reason in ``unknown`` where there is no list.
"""

from __future__ import annotations

import os
import typing as t

from .amdsmi import Calls, Item, Say, asking, call, primaries, session

_LIST: Calls = (("amdsmi_get_gpu_process_list", ()),)


def work(amdsmi: t.Any, _request: Item, say: Say) -> None:
    """Ask each GPU."""
    with session(amdsmi, say) as handles:
        for bdf, handle in primaries(amdsmi, handles).items():
            say(step=f"asking the processes of {bdf}")
            item: Item = {"unknown": {}}
            call(amdsmi, asking(handle), "processes", _LIST, item)
            item["processes"] = sorted(dict(users(item.get("processes"))).items(), key=lambda user: user[0])
            say(told={bdf: item})


def users(answer: t.Any) -> t.Iterator[tuple[int, str | None]]:
    """Yield pid and name of each process. This one is no user, though libraries before 10.0 may list it."""
    for entry in answer if isinstance(answer, list) else ():
        pid, name = entry.get("pid"), entry.get("name")
        if isinstance(pid, int) and pid not in (0, os.getpid()):
            yield pid, name if isinstance(name, str) and name not in ("", "N/A") else None
