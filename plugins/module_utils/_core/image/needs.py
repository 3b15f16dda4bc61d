# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What one image must be to all nodes of a fleet: what the inventory says of them, else what they say themselves."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..errors import FleetError

NOT_ASKED = -1  # of a number of a group, in an inventory
_PREFIX = "rocm_image_"
_WORDS = {"render_gid": "number of the group render", "gfx": "instruction sets", "verbs": "ABI of RDMA"}
_SHOWN = 3  # nodes of one value, in a sentence


@dc.dataclass(frozen=True)
class Node:
    """What a node is, as rocm_container_check tells it; what it does not know is None or empty."""

    name: str
    render_gid: int | None = None
    gfx: tuple[str, ...] = ()
    verbs: t.Mapping[str, int] = dc.field(default_factory=dict)


@dc.dataclass(frozen=True)
class Needs:
    """What the image is built for. ``render_gid``: NOT_ASKED where neither inventory nor nodes tell."""

    render_gid: int
    gfx: tuple[str, ...]
    verbs: t.Mapping[str, int]


def needs(nodes: t.Sequence[Node], render_gid: int, gfx: t.Sequence[str], verbs: t.Mapping[str, int]) -> Needs:
    """What the image is built for. Instruction sets of several kinds of nodes are all in it; the rest has one value.

    Args:
        nodes: those that answered.
        render_gid, gfx, verbs: what the inventory says, which counts, and nothing is added to it: so an image stays the
            same whoever answers. NOT_ASKED or empty: nothing.

    Raises:
        FleetError: nodes differ and the inventory says nothing, or what it says is so of no node that answered.
    """
    wanted = None if render_gid == NOT_ASKED else render_gid
    gid = _one("render_gid", wanted, {one.name: one.render_gid for one in nodes})
    providers = sorted(verbs or {name for one in nodes for name in one.verbs})
    abis = {name: _one("verbs", verbs.get(name), {one.name: one.verbs.get(name) for one in nodes}, name)
            for name in providers}
    there = sorted({name for one in nodes for name in one.gfx})
    if gfx and there and not set(gfx) & set(there):
        raise _refused("gfx", " ".join(gfx), {one.name: " ".join(one.gfx) or None for one in nodes})
    return Needs(NOT_ASKED if gid is None else gid, tuple(gfx) or tuple(there),
                 {name: abi for name, abi in abis.items() if abi is not None})


def open_ends(asked: t.Sequence[str], nodes: t.Sequence[Node], render_gid: int, gfx: t.Sequence[str],
              verbs: t.Mapping[str, int]) -> str:
    """What another run may decide otherwise, since nodes are to tell it and not all have; empty: nothing.

    Args:
        asked: names of all nodes that the image is for.
        nodes: those that answered.
        render_gid, gfx, verbs: what the inventory says.
    """
    silent = sorted({*asked} - {one.name for one in nodes})
    told = {"render_gid": render_gid != NOT_ASKED, "gfx": bool(gfx), "verbs": bool(verbs)}
    left = " and ".join(f"{_PREFIX}{kind}" for kind, said in told.items() if not said)
    if not silent or not left or not nodes:
        return ""
    return (f"{len(silent)} of {len(set(asked))} nodes did not say what they are ({_some(silent)}), so {left} follow "
            "the others, and a run with all may build another image: name them in the inventory")


def _one(kind: str, wanted: int | None, seen: t.Mapping[str, int | None], provider: str = "") -> int | None:
    """The one value; None: nobody tells."""
    told = {value for value in seen.values() if value is not None}
    if len(told) > 1 if wanted is None else told and wanted not in told:
        raise _refused(kind, None if wanted is None else str(wanted), seen, provider)
    return wanted if wanted is not None else next(iter(told), None)


def _refused(kind: str, wanted: str | None, seen: t.Mapping[str, object], provider: str = "") -> FleetError:
    values = sorted({str(value) for value in seen.values() if value is not None})
    of = {value: [name for name, found in seen.items() if str(found) == value] for value in values}
    there = ", ".join(f"{value} on {_some(of[value])}" for value in values)
    what = f"{_WORDS[kind]}{f' with {provider}' if provider else ''}"
    variable = f"{_PREFIX}{kind}{f'.{provider}' if provider else ''}"
    if wanted is None:
        return FleetError(variable, f"one image has one {what}, and nodes differ: {there}",
                          "name the one that it is for (others are told), or bring an image to each kind with --limit")
    return FleetError(variable, f"is {wanted}, and no node has it: {there}", "write what nodes have, or leave it out")


def _some(names: t.Sequence[str]) -> str:
    more = len(names) - _SHOWN
    return " ".join(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
