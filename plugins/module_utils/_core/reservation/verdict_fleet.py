# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Reservations of many nodes side by side: who is on which GPU, and who could open it, as data and as a table."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..plan import grid, tally
from ..plan.grid import plain
from .verdict import OK, TRESPASS, UNKNOWN, UNRESERVED
from .verdict_proof import LOCKED_OUT

Given = t.Mapping[str, t.Any]
HEADINGS = ("node", "device", "for", "held by", "memory", "since (UTC)", "verdict")
SEEN = "seen"
_ORDER = (TRESPASS, LOCKED_OUT, tally.FAILED, tally.UNREACHABLE, UNKNOWN, UNRESERVED, OK)
_NAMES = ("recorded", "devices", "findings", "proved", "proofs", "unknown")
_GIB = 1024 ** 3
_NAMED = 3  # numbers of processes that a cell has


@dc.dataclass(frozen=True)
class Node:
    """One node: what gpu_reservation_info returned of it, or why it returned nothing."""

    node: str
    status: str = tally.FAILED
    reason: str = ""
    said: Given = dc.field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """The worst of its devices and of the proof; the status of a node that has none."""
        if self.status != SEEN:
            return self.status
        return min(str(self.said["verdict"]), str(self.said.get("proved") or OK), key=_ORDER.index)

    def to_dict(self) -> dict[str, t.Any]:
        """Plain data: the form that fleet_reservation_report documents."""
        return {"status": self.status, "verdict": self.verdict, "reason": self.reason or None,
                **{name: self.said.get(name) for name in _NAMES}}


def node(name: str, result: Given | None, error: str = "") -> Node:
    """One node from what its task returned.

    Args:
        name: its name in the inventory.
        result: of gpu_reservation_info, if there is one.
        error: why the node failed, if that is known from elsewhere.
    """
    said = result or {}
    if "verdict" in said and "devices" in said and not said.get("unreachable"):
        return Node(plain(name), SEEN, said=said)
    return Node(plain(name), *tally.silence(said, error, "it was not looked at"))


def counts(nodes: t.Iterable[Node]) -> dict[str, int]:
    """How many nodes have which verdict, worst first."""
    found = [item.verdict for item in nodes]
    return {verdict: found.count(verdict) for verdict in _ORDER if verdict in found}


def summary(nodes: t.Sequence[Node]) -> str:
    """One line: how many nodes, and how it is with them."""
    return tally.line(len(nodes), counts(nodes))


def data(nodes: t.Sequence[Node]) -> dict[str, t.Any]:
    """All of them as plain data: which nodes answered, whether nothing is wrong, and what each said."""
    return {
        "complete": all(item.status == SEEN for item in nodes),
        "answered": all(item.status == SEEN and item.verdict != UNKNOWN for item in nodes),
        "proved": all(item.said.get("proved") in (None, OK) for item in nodes),
        "good": all(item.verdict in (OK, UNRESERVED) for item in nodes),
        "counts": counts(nodes), "nodes": {item.node: item.to_dict() for item in nodes},
    }


def table(nodes: t.Sequence[Node], width: int) -> str:
    """The table as text, at most ``width`` wide; below it who holds what is not theirs, and what the proof met."""
    if not nodes:
        return summary(nodes)
    lines = grid.table(HEADINGS, [row for item in nodes for row in _rows(item)], width)
    lines += grid.grouped("trespass on", ((item.node, _trespasses(item)) for item in nodes), width)
    lines += grid.grouped("proof on", ((item.node, _proofs(item)) for item in nodes), width)
    return "\n".join([*lines, "", summary(nodes)])


def _rows(item: Node) -> t.Iterator[tuple[str, ...]]:
    devices = item.said.get("devices", ())
    if not devices:
        yield (item.node, "-", "-", item.reason or "no device is seen", "-", "-", item.verdict)
    for device in devices:
        kept = ", ".join(device["tenants"])
        told = f"{kept} {device['priority']}" if kept else device["state"]
        groups = _groups(device["holders"])
        for who, holders in groups.items():
            owner = plain(f"{who}, pid {_pids(holders)}")
            yield item.node, device["id"], told, owner, _memory(holders), _since(holders), holders[0]["verdict"]
        if not groups:
            yield (item.node, device["id"], told, device["why"] or "nobody", "-", "-", device["verdict"])


def _groups(holders: t.Iterable[Given]) -> dict[str, list[Given]]:
    """Holders that a person would call one: of one tenant, by one thing that says so, of one command."""
    found: dict[str, list[Given]] = {}
    for holder in holders:
        owner = holder["tenant"] or "no tenant"
        place = holder["by"] or next(iter(_places(holder)), "nothing that is known")
        found.setdefault(f"{owner}: {place}, {holder['command'] or 'gone'}", []).append(holder)
    return found


def _places(holder: Given) -> t.Iterator[str]:
    if holder["slurm_job"]:
        yield f"job {holder['slurm_job']} of Slurm"
    if holder["container"]:
        yield f"container {holder['container'][:12]} of {holder['engine'] or 'an engine'}"
    for unit in reversed(holder["units"]):
        yield f"unit {unit}"
    if holder["user"]:
        yield f"user {holder['user']}"


def _pids(holders: t.Sequence[Given]) -> str:
    pids = [str(holder["pid"]) for holder in holders]
    more = f" and {len(pids) - _NAMED} more" if len(pids) > _NAMED else ""
    return ", ".join(pids[:_NAMED]) + more


def _memory(holders: t.Sequence[Given]) -> str:
    sizes = [holder["vram_bytes"] for holder in holders]
    known = sum(size for size in sizes if size is not None)
    words = f"{known / _GIB:.1f} GiB" if known or None not in sizes else ""
    return " and ".join(filter(None, (words, "unknown" if None in sizes else "")))


def _since(holders: t.Sequence[Given]) -> str:
    """When the first of them began: 01-31 12:34."""
    first = min((str(holder["since"]) for holder in holders if holder["since"]), default="")
    return first[5:16].replace("T", " ") or "unknown"


def _trespasses(item: Node) -> tuple[str, ...]:
    return tuple(plain(f"{one['subject']}: {one['summary']}") for one in item.said.get("findings") or ())


def _proofs(item: Node) -> tuple[str, ...]:
    """What is not as it must be, a line for all that one of them met in the same way; or that all is."""
    proofs = item.said.get("proofs")
    if proofs is None:
        return ()
    met: dict[tuple[str, str, str], list[str]] = {}
    for one in proofs:
        if one["verdict"] != OK:
            met.setdefault((one["who"], one["verdict"], one["why"]), []).append(one["path"])
    if not met:
        return (f"{len(proofs)} attempts to open a device ended as they must",)
    return tuple(plain(f"{_WORDS[verdict].format(who, ', '.join(paths))}: {why}")
                 for (who, verdict, why), paths in met.items())


_WORDS = {
    TRESPASS: "{0} can open {1}, and must not", LOCKED_OUT: "{0} cannot open {1}, and must",
    UNKNOWN: "whether {0} can open {1} is unknown",
}
