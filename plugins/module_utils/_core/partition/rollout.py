# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Partitions of a fleet: which nodes are due, in which waves, and how each ended."""

from __future__ import annotations

import collections
import dataclasses as dc
import re
import typing as t

from ..errors import FleetError
from ..plan import grid, tally
from ..plan.grid import plain

Given = t.Mapping[str, t.Any]
HEADINGS = ("node", "GPUs", "was", "wanted", "wave", "verdict")
REFUSED, UNASKED, WANTED, DUE, DONE = "refused", "nothing asked", "as wanted", "due", "partitioned"
BAD = (REFUSED, tally.FAILED, tally.UNREACHABLE)
_SHARE = re.compile(r"([0-9]{1,3})%")


@dc.dataclass(frozen=True)
class Node:
    """One node.

    Attributes:
        node: its name in the inventory.
        status: one of BAD, UNASKED, WANTED, DUE (and not begun), DONE.
        reason: why it failed or was refused.
        modes: of each GPU, as product, mode before and mode wanted.
        changes: that are to be made, or were, in words.
        standing: who has it out of work: open, ours, foreign; empty where nobody asked.
        drained: why it is out of work.
        wave: its number from 1; 0 if it is in none.
        begun: whether something may have been done to it.
    """

    node: str
    status: str
    reason: str = ""
    modes: tuple[tuple[str, str, str], ...] = ()
    changes: tuple[str, ...] = ()
    standing: str = ""
    drained: str = ""
    wave: int = 0
    begun: bool = False

    @property
    def verdict(self) -> str:
        """In few words, with the reason after a colon."""
        return f"{self.status}: {self.reason}" if self.reason else self.status

    @property
    def wanted(self) -> dict[str, str]:
        """What the gate may hold all GPUs against: the modes that they have in common."""
        parts = {mode.partition("/")[::2] for _product, _was, mode in self.modes}
        names = ("compute_partition", "memory_partition")
        common = (sorted({part[place] for part in parts}) for place in (0, 1))
        return {name: found[0] for name, found in zip(names, common) if len(found) == 1}

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know of its place in the scheduler."""
        if self.standing == "foreign":
            return (f"somebody else took it out of work, and it stays so: {self.drained or 'no reason is known'}",)
        return (f"it is out of work: {self.drained}",) if self.standing == "ours" and self.drained else ()

    def to_dict(self) -> dict[str, t.Any]:
        """Plain data: the form that fleet_partition_report documents."""
        return {
            "status": self.status, "verdict": self.verdict, "reason": self.reason or None,
            "gpus": [{"product": product, "was": was, "wanted": mode} for product, was, mode in self.modes],
            "wanted": self.wanted, "changes": list(self.changes), "standing": self.standing or None,
            "drained": self.drained or None, "wave": self.wave or None,
        }


def node(name: str, look: Given | None, standing: Given | None, ended: Given | None, error: str = "") -> Node:
    """One node from what its tasks returned.

    Args:
        name: its name in the inventory.
        look: what gpu_partition returned when it was first looked at; None where nothing was asked of it.
        standing: what is known of it in the scheduler.
        ended: what became of it in its wave, with ``failed``, a reason that is empty where it went well.
        error: why it failed, if that is known from elsewhere.
    """
    if look is None:
        return Node(plain(name), tally.FAILED, plain(error)) if error else Node(plain(name), UNASKED)
    place = standing or {}
    bad = next((said for said in (look, place) if said.get("failed") or said.get("unreachable")), {})
    if bad or "as_wanted" not in look or "standing" not in place:
        status, reason = tally.silence(bad, error, "it was not looked at")
        return Node(plain(name), REFUSED if bad.get("failure") else status, reason)
    # Before its wave the scheduler was asked what it would do: who has the node now is what was before.
    holder = place["standing"] if ended is not None else place.get("before", place["standing"])
    found = Node(
        plain(name), WANTED,
        modes=tuple(map(_modes, look["gpus"])),
        changes=tuple(plain(change["words"]) for change in look["changes"]),
        standing=holder, drained="" if holder == "open" else plain(place.get("reason") or ""))
    if ended is not None:
        reason = plain(ended["failed"])
        return dc.replace(found, status=tally.FAILED if reason else DONE, reason=reason, begun=True)
    return dc.replace(found, status=WANTED if look["as_wanted"] and found.standing != "ours" else DUE)


def _modes(gpu: Given) -> tuple[str, str, str]:
    was = plain(gpu["before"] or "?")
    return plain(gpu.get("product") or "?"), was, plain(gpu["wanted"] or was)


def in_waves(nodes: t.Sequence[Node], size: object) -> list[Node]:
    """The same nodes, those that are due or begun with the numbers of their waves, as Ansible makes them of ``serial``.

    Raises:
        FleetError: the size is no number, no share, and no list of these.
    """
    going = [one.node for one in nodes if one.status == DUE or one.begun]
    sizes = [_size(one, len(going)) for one in (size if isinstance(size, (list, tuple)) and size else [size])]
    waves: dict[str, int] = {}
    number = 0
    while len(waves) < len(going):
        take = sizes[min(number, len(sizes) - 1)]
        number += 1
        waves.update(dict.fromkeys(going[len(waves):len(waves) + take], number))
    return [dc.replace(one, wave=waves.get(one.node, 0)) for one in nodes]


def _size(given: object, many: int) -> int:
    text = str(given).strip()
    share = _SHARE.fullmatch(text)
    if share and 0 < int(share[1]) <= 100:
        return max(1, int(int(share[1]) / 100 * many))
    if not text.isdigit() or int(text) < 1:
        raise FleetError("fleet_partition_wave", f"is {given!r}, and no number of nodes", "write 2, or '10%'")
    return int(text)


def refusal(nodes: t.Sequence[Node]) -> str:
    """Why the roll-out does not begin, in one sentence with every node that refuses; empty if it may."""
    bad = [one for one in nodes if one.status in BAD]
    return f"no node was touched: {'; '.join(f'{one.node} {one.verdict}' for one in bad)}" if bad else ""


def stopped(nodes: t.Sequence[Node], tolerated: int) -> str:
    """Why no further wave begins; empty if one may."""
    failed = [one.node for one in nodes if one.begun and one.status == tally.FAILED]
    if len(failed) <= tolerated:
        return ""
    return f"stopped after {tally.many(len(failed))} failed ({grid.names(failed)}); {tolerated} may"


def counts(nodes: t.Sequence[Node]) -> dict[str, int]:
    """How many nodes ended how."""
    return dict(collections.Counter(one.status for one in nodes))


def summary(nodes: t.Sequence[Node]) -> str:
    """One line: how many nodes, and how it is with them."""
    return tally.line(len(nodes), counts(nodes))


def table(nodes: t.Sequence[Node], width: int) -> str:
    """The table as text, at most ``width`` wide; below it changes and notes, once for all nodes that have the same."""
    if not nodes:
        return summary(nodes)
    lines = grid.table(HEADINGS, [_cells(one) for one in nodes], width)
    lines += grid.grouped("changes of", ((one.node, one.changes) for one in nodes), width)
    lines += grid.grouped("notes on", ((one.node, one.notes) for one in nodes), width)
    return "\n".join([*lines, "", summary(nodes)])


def _cells(one: Node) -> tuple[str, ...]:
    columns = (_counted(modes) for modes in zip(*one.modes)) if one.modes else ("-", "-", "-")
    return (one.node, *columns, str(one.wave or "-"), one.verdict)


def _counted(words: t.Sequence[str]) -> str:
    """8 x MI300X; 6 x SPX/NPS1, 2 x CPX/NPS1."""
    return ", ".join(f"{many} x {word}" for word, many in sorted(collections.Counter(words).items()))
