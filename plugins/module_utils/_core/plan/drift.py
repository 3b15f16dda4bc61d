# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Where a node differs from what it recorded: the steps that would mend it, said as what is wrong now."""

from __future__ import annotations

import dataclasses as dc
import json
import typing as t

from . import managed
from .plan import Plan, Step
from .record import Record, Variables

ON_THE_WAY = ("available", "refresh", "tools", "trial", "unhold", "clear", "reboot", "settle")
_MANY = 4  # GPUs from which on they are counted, not named
_LONGEST = 60  # characters of a value in a sentence


def without_record(plan: Plan) -> Plan:
    """The plan without the record itself, which is what all else is held against."""
    return dc.replace(plan, steps=tuple(s for s in plan.steps if s.data.get("path") != managed.RELEASE_RECORD))


def differences(plans: t.Iterable[Plan]) -> tuple[str, ...]:
    """What differs, in words, each once. Steps that are only on the way to others say nothing."""
    found: list[str] = []
    for plan in plans:
        for step in plan.steps:
            if step.action in ON_THE_WAY:
                continue
            found += _WORDS[step.action](step) if step.action in _WORDS else [f"it would take: {step.words}"]
        # node_maintenance has the reasons of the others.
        found += [plan.reboot] if plan.reboot and plan.role != "node_maintenance" else []
        found += plan.problems
    return tuple(dict.fromkeys(found))


def _key(step: Step) -> list[str]:
    return [f"{step.data['path']} holds {step.before or 'no key'}, not {step.after}"]


def _file(step: Step) -> list[str]:
    path = step.data["path"]
    if step.data.get("state") == "absent":
        return [f"{path} is there"]
    if not step.before:
        return [f"{path} is gone"]
    return [f"{path} has another owner or mode" if step.before == step.after else f"{path} was changed"]


def _install(step: Step) -> list[str]:
    """Lines of a name and a version, or a pattern, or nothing where every version will do."""
    have = dict(line.partition(" ")[::2] for line in step.before.splitlines())
    want = dict(line.partition(" ")[::2] for line in step.after.splitlines())
    return [f"{name} is {have[name]}, not {version}" if name in have else f"{name} is not installed"
            for name, version in want.items()]


def _each(what: str, side: str) -> t.Callable[[Step], list[str]]:
    return lambda step: [what.format(line) for line in getattr(step, side).splitlines()]


def _became(what: str) -> t.Callable[[Step], list[str]]:
    return lambda step: [what.format(before=step.before or "nothing", after=step.after)]


def _partition(step: Step) -> list[str]:
    """A reload is on the way to modes; what waits for the driver has no mode yet."""
    gpus = step.data.get("gpus", ())
    if not (gpus and step.after):
        return []
    where = ", ".join(gpus) if len(gpus) < _MANY else f"{len(gpus)} GPUs"
    return [f"the {step.data['change']} mode of {where} is {step.before or 'not the same for all'}, not {step.after}"]


_WORDS: dict[str, t.Callable[[Step], list[str]]] = {
    "key": _key,
    "file": _file,
    "boot_file": _file,
    "install": _install,
    "repair": _became("the package manager was interrupted"),
    "remove": _each("{} is installed", "before"),
    "evict": _each("{} is installed, of another hand", "before"),
    "adopt": _each("{} is there, of another hand", "before"),
    "aside": _each("DKMS knows no more of {}", "before"),
    "forget": _each("DKMS has {}", "before"),
    "mend": _each("DKMS lost the source of {}", "before"),
    "reinstall": _each("the source of {} is gone", "after"),
    "hold": _each("{} is not on hold", "after"),
    "ldconfig": lambda step: ["the linker cache does not know the libraries"] if step.data["stale"] else [],
    "let_go": _each("{} is on hold", "before"),
    "unblacklist": _each("amdgpu is kept from loading by {}", "before"),
    "activate": _became("/opt/rocm leads to {before}, not to {after}"),
    "build": lambda step: [f"amdgpu {step.data['version']} is not built for {step.data['kernel']}"],
    "boot": _became("{before} boots next, not {after}"),
    "load": lambda step: ["the loaded amdgpu is not the installed one" if step.before else "amdgpu is not loaded"],
    "apply": _partition,
    "group": _became("instead of {after}: {before}"),
}


def moved(now: Variables, record: Record) -> tuple[str, ...]:
    """What the inventory says otherwise than when the node was recorded. A record that does not tell is not a move."""
    before = record.variables
    if before is None:
        name = str(now["gpu_release"].get("gpu_release_name"))
        return () if name == record.release else (_move("gpu_release_name", name, record.release),)
    return tuple(
        _move(name, new.get(name), old.get(name))
        for role, new in now.items() for old in [before.get(role, {})]
        for name in dict.fromkeys((*new, *old)) if old and new.get(name) != old.get(name))


def _move(name: str, now: t.Any, before: t.Any) -> str:
    return f"the inventory has {name} {_shown(now)}, and had {_shown(before)}"


def _shown(value: t.Any) -> str:
    if value is None:
        return "not set"
    text = value if isinstance(value, str) and value else json.dumps(value, sort_keys=True)
    return text if len(text) <= _LONGEST else text[:_LONGEST - 3] + "..."
