# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Which devices of a node may serve one reservation together: by their links, and by the socket they are near."""

from __future__ import annotations

import typing as t

from .shape import ALL_TO_ALL, Device, Wish

Unit = tuple[Device, ...]  # what is given as one: a whole GPU with all its partitions, or one logical device
Group = frozenset[str]  # PCI addresses of GPUs


def units(wish: Wish, devices: t.Sequence[Device]) -> tuple[Unit, ...]:
    """What a wish counts: GPUs or logical devices, in PCI order and by partition."""
    if wish.partitions:
        return tuple((device,) for device in devices)
    gpus: dict[str, list[Device]] = {}
    for device in devices:
        gpus.setdefault(device.gpu, []).append(device)
    return tuple(map(tuple, gpus.values()))


def groups(wish: Wish, devices: t.Sequence[Device], count: int) -> tuple[Group, ...]:
    """The greatest sets of GPUs any of which may serve the wish together, in their order.

    All-to-all is within one NUMA node of the host, unless none has so many GPUs that are linked, whoever holds them.

    Args:
        wish: the reservation.
        devices: all of the node.
        count: how many units it wants.
    """
    every = frozenset(device.gpu for device in devices)
    linked = cliques(devices) if wish.link == ALL_TO_ALL else (every,)
    near = _by_numa(devices)
    within = {group & domain for group in linked for domain in near}
    large = [group for group in within if _size(wish, devices, group) >= count]
    if wish.one_numa or (wish.link == ALL_TO_ALL and large):
        linked = tuple(within)
    return tuple(sorted((group for group in linked if group), key=sorted))


def _size(wish: Wish, devices: t.Sequence[Device], group: Group) -> int:
    return sum(unit[0].gpu in group for unit in units(wish, devices))


def _by_numa(devices: t.Iterable[Device]) -> list[Group]:
    """GPUs by their node. Where none is told the host has one; where others are, nobody knows how near those are."""
    near: dict[int | None, set[str]] = {}
    for device in devices:
        near.setdefault(device.numa_node, set()).add(device.gpu)
    return [frozenset(gpus) for domain, gpus in near.items() if domain is not None or len(near) == 1]


def cliques(devices: t.Iterable[Device]) -> tuple[Group, ...]:
    """The greatest sets of GPUs that are linked each with each. A GPU whose links are unknown is linked with none.

    source: C. Bron, J. Kerbosch, Algorithm 457: finding all cliques of an undirected graph, CACM 16 (1973)
    """
    told = {device.gpu: frozenset(device.peers or ()) for device in devices}
    links = {gpu: frozenset(peer for peer in peers if gpu in told.get(peer, ())) for gpu, peers in told.items()}
    return tuple(_extended(frozenset(), frozenset(links), frozenset(), links))


def _extended(members: Group, more: Group, seen: Group, links: t.Mapping[str, Group]) -> t.Iterator[Group]:
    if not more and not seen:
        yield members
    pivot = max(sorted(more | seen), key=lambda gpu: len(links[gpu] & more), default="")
    for gpu in sorted(more - links.get(pivot, frozenset())):
        yield from _extended(members | {gpu}, more & links[gpu], seen & links[gpu], links)
        more, seen = more - {gpu}, seen | {gpu}
