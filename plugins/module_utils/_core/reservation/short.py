# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Why a wish does not fit a node, in one sentence: what it wants, what is free, and who has the rest."""

from __future__ import annotations

import functools
import math
import typing as t

from ..errors import FleetError
from ..plan.wording import counted
from .demand import where
from .group import Unit
from .room import GIB, WHOLE, Taken, enough, left, whole_units
from .search import Search
from .shape import ALL_TO_ALL, Device, Wish


def short(wish: Wish, search: Search, taken: Taken, spares: int) -> FleetError:
    """The refusal of a wish that has no place beside what is taken."""
    free, together, count = search.free(wish, taken), search.together(wish, taken), search.count(wish)
    what = f"wants {_wanted(wish, count)}"
    if len(together) >= count:
        kept = f"{counted(spares, 'GPU')} of the node must stay spare"
        return FleetError(where(wish), f"{what}, and {kept}", "ask for less, or set gpu_reservation_spares")
    if wish.devices and len(free) == count:
        return FleetError(where(wish), f"{what}, and at most {_listed(together)} are so", "name others")
    flaws = _flaws(wish, search, taken)
    if wish.devices:
        return FleetError(where(wish), f"{what}: {flaws}", _hint(wish, search, "correct one of them"))
    if len(free) >= count:
        what += f", and of those that are free, {_listed(free)}, at most {_listed(together)} are so"
        return FleetError(where(wish), what, "ask for less, or for any link")
    what += f", and free are {_listed(free)}" + (f": {flaws}" if flaws else "")
    return FleetError(where(wish), what, _hint(wish, search, "ask for less, or of another node"))


def _wanted(wish: Wish, count: int) -> str:
    named = f"{'devices' if len(wish.devices) > 1 else 'device'} {', '.join(wish.devices)}"
    many = named if wish.devices else counted(count, "GPU" if wish.gpus else "device")
    return " ".join(filter(None, (
        f"{wish.share} % of" if wish.share < WHOLE else "", many,
        f"with {wish.memory_gib} GiB" if wish.memory_gib else "",
        "linked each with each by XGMI" if wish.link == ALL_TO_ALL else "",
        "near one NUMA node" if wish.one_numa else "")))


def _listed(units: t.Sequence[Unit]) -> str:
    names = [unit[0].id if len(unit) == 1 else unit[0].gpu for unit in units]
    return f"{len(names)} ({', '.join(names)})" if names else "none"


def _flaws(wish: Wish, search: Search, taken: Taken) -> str:
    """Why the wish may not have the others, each reason once."""
    found: dict[str, list[str]] = {}
    for device in search.pool(wish):
        why = _flaw(device, wish, taken) or search.barred(device, wish)
        if why:
            found.setdefault(why, []).append(device.id)
    return ", ".join(f"{', '.join(names)} {'are' if len(names) > 1 else 'is'} {why}" for why, names in found.items())


def _flaw(device: Device, wish: Wish, taken: Taken) -> str:
    if device.render_node is None:
        return "without a known render node"
    if not enough(device, wish):
        return f"of {-(-device.memory_bytes // GIB)} GiB" if device.memory_bytes else "of unknown memory"
    if not whole_units(device, wish):
        units = device.compute_units or "an unknown number of"
        return f"of {units} compute units, of which {wish.share} % is no whole number"
    if left(device, wish, taken) < wish.share:
        return f"reserved by {', '.join(where(other)[len('reservation '):] for other in taken[device.id])}"
    return ""


def _hint(wish: Wish, search: Search, otherwise: str) -> str:
    """What to do; where only the share is wrong, which are right."""
    pool = search.pool(wish)
    common = functools.reduce(math.gcd, (device.compute_units or WHOLE for device in pool), WHOLE)
    wrong = any(device.compute_units and not whole_units(device, wish) for device in pool)
    return f"choose a share that is a multiple of {WHOLE // common}" if wrong else otherwise
