# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Who a process is to the kernel: its user and groups, and whether permissions are nothing to it.

source: proc(5), capabilities(7), user_namespaces(7)
"""

from __future__ import annotations

import dataclasses as dc
import re

_OVERRIDE, _LOCK = 1, 14  # numbers of CAP_DAC_OVERRIDE and CAP_IPC_LOCK


@dc.dataclass(frozen=True)
class Credentials:
    """Numbers as the reader's user namespace has them.

    Attributes:
        uid: effective.
        groups: the effective one first.
        overrides: it may open what its permissions refuse: it has that capability, and numbers of the whole machine.
        locks: no limit of locked memory holds for it, in the same way. source: linux:drivers/infiniband/core/umem.c
    """

    uid: int
    groups: tuple[int, ...]
    overrides: bool
    locks: bool = False


def parse(status: str, uid_map: str) -> Credentials | None:
    """What /proc/<pid>/status and uid_map tell; None if they are not of that form."""
    ids = {name: [int(word) for word in words.split()]
           for name, words in re.findall(r"^(Uid|Gid|Groups):((?:\s+\d+)*)\s*$", status, re.MULTILINE)}
    capabilities = re.search(r"^CapEff:\s+([0-9a-f]+)$", status, re.MULTILINE)
    if len(ids.get("Uid", ())) != 4 or len(ids.get("Gid", ())) != 4 or capabilities is None:
        return None
    whole = re.fullmatch(r"\s*0\s+0\s+4294967295\s*", uid_map) is not None
    groups = dict.fromkeys((ids["Gid"][1], *ids.get("Groups", ())))
    effective = int(capabilities[1], 16) if whole else 0
    return Credentials(ids["Uid"][1], tuple(groups), bool(effective >> _OVERRIDE & 1), bool(effective >> _LOCK & 1))
