# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What node_preflight asks of a node for its plan, and what it judges without asking."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..module_utils._core.act.check import Check
from ..module_utils._core.act.room import MIB
from ..module_utils._core.errors import FleetError
from ..module_utils._core.look.shape import Look
from ..module_utils._core.look.whole import whole
from ..module_utils._core.rollout import amounts, preflight
from ..module_utils._core.rollout.due import Due, due
from . import typical_files
from .plain import from_plain

Plain = dict[str, t.Any]
# Of a step "available", what the module has as options of the same names.
_ASKED = ("packages", "removals", "files", "keys", "together")


@dc.dataclass(frozen=True)
class Judged:
    """Attributes: options of the module, what was judged already, seconds by step."""

    options: Plain
    checks: tuple[Check, ...]
    timing: dict[str, int]


def judged(args: t.Mapping[str, t.Any]) -> Judged:
    """From the options of the action to those of the module.

    Raises:
        FleetError: there is no look, the plan is none, or a file of typical values is not right.
    """
    plan = args["plan"]
    if args["look"] is None or "plans" not in plan:
        raise FleetError("node_preflight", "needs the result of fleet_plan and the look that it was made from",
                         "give both, or neither")
    look = whole(from_plain(Look, args["look"], "look"))
    typical = typical_files.typical(tuple(args["typical_dirs"]))
    seen = due(plan, [kernel.release for kernel in look.kernel.installed])
    checks = [*preflight.of_plan(seen), *preflight.of_packages(seen, [(p.name, p.state) for p in look.packages.broken])]
    standing = args["standing"]
    if standing:
        checks.append(preflight.of_answer("scheduler", standing, f"is {standing.get('standing', 'open')}"))
    options = {name: seen.question[name] for name in _ASKED if name in seen.question} | {
        "manager": seen.manager, "images": amounts.images(seen),
        "needs": amounts.needs(seen, typical), "boot": _boot(seen, look.kernel.running, args["fallback"]),
        "image_mib": typical.sizes["initramfs"] // MIB, "spare_mib": typical.sizes["spare"] // MIB,
        "places": [dc.asdict(place) for place in typical.places], "lock_timeout": plan["lock_timeout"],
    }
    return Judged(options, tuple(checks), amounts.timing(seen, typical))


def _boot(seen: Due, running: str | None, fallback: str) -> dict[str, str] | None:
    """The boot that the plan leads to, into its kernel or the one that runs; None without one."""
    if not (running and seen.has("reboot")):
        return None
    return {"next": seen.kernel or running, "default": running, "fallback": fallback}


def answered(said: t.Mapping[str, t.Any]) -> tuple[Check, ...]:
    """What the module was told of the way back, judged, and its own checks after that."""
    back = [preflight.of_answer("snapshot", said["snapshot"], "it can be brought back to what it is")
            ] if "snapshot" in said else []
    if "boot" in said:
        back.append(preflight.of_boot(said["boot"]))
    return (*back, *map(check, said["checks"]))


def check(plain: t.Mapping[str, str]) -> Check:
    """A check as the module returned it."""
    return Check(plain["name"], plain["verdict"], plain["words"])
