# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""One question for all roles of a node, before the first change: do the repositories have every package?"""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..look.whole import WholeLook
from .plan import Plan, Step

_INSTALLS = ("tools", "install")
_REMOVES = ("remove", "evict")


def ask_first(look: WholeLook, plans: t.Mapping[str, Plan]) -> dict[str, Plan]:
    """The same plans; if any changes packages, the first that changes the node begins with the question for them all.

    It takes what the roles will write, keys included, for written. Only apt can be asked so.
    """
    steps = [step for plan in plans.values() for step in plan.steps]
    packages = list(dict.fromkeys(p for step in steps if step.action in _INSTALLS for p in step.data["packages"]))
    removals = list(dict.fromkeys(p for step in steps if step.action in _REMOVES for p in step.data["packages"]))
    if not (packages or removals) or look.packages.manager != "apt":
        return dict(plans)
    asking = next(role for role, plan in plans.items() if plan.steps)
    words = [f"ask the repositories for {len(packages)} packages"] if packages else []
    words += [f"ask apt what goes with {len(removals)} packages"] if removals else []
    question = Step(
        "available", ", ".join(words), data={
            "packages": packages,
            "removals": removals,
            "files": [dict(step.data) for step in steps if step.action == "file"],
            "keys": [dict(step.data) for step in steps if step.action == "key"],
            # What is half done is finished first, and the way there cannot be worked out before.
            "together": not look.packages.broken and not look.packages.interrupted,
        })
    return {role: dc.replace(plan, steps=(question, *plan.steps)) if role == asking else plan
            for role, plan in plans.items()}
