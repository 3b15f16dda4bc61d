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
from ..module_utils._core.rollout.due import due
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
    if args["snapshot"]:
        checks.append(preflight.of_answer("snapshot", args["snapshot"], "it can be brought back to what it is"))
    if args["boot"]:
        checks.append(preflight.of_boot(args["boot"]))
    standing = args["standing"]
    if standing:
        checks.append(preflight.of_answer("scheduler", standing, f"is {standing.get('standing', 'open')}"))
    options = {name: seen.question[name] for name in _ASKED if name in seen.question} | {
        "manager": seen.manager, "images": amounts.images(seen),
        "needs": [*amounts.of_snapshot(args["snapshot"] or {}), *amounts.needs(seen, typical)],
        "image_mib": typical.sizes["initramfs"] // MIB, "spare_mib": typical.sizes["spare"] // MIB,
        "places": [dc.asdict(place) for place in typical.places], "lock_timeout": plan["lock_timeout"],
    }
    return Judged(options, tuple(checks), amounts.timing(seen, typical))


def check(plain: t.Mapping[str, str]) -> Check:
    """A check as the module returned it."""
    return Check(plain["name"], plain["verdict"], plain["words"])
