# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What a node keeps of its state before profiles: /var/lib/instinct/qos.json."""

from __future__ import annotations

import dataclasses as dc
import json
import typing as t

from ..errors import DataError
from ..strict import from_json
from .shape import SETTINGS, Value

PATH = "/var/lib/instinct/qos.json"
VERSION, KIND = "v1", "qos_state"
HINT = "restore what it tells by hand, and remove it"
ByTarget = t.Mapping[str, t.Mapping[str, Value]]


@dc.dataclass(frozen=True)
class State:
    """Attributes: the profile that holds, what each target was before any, and what the profile made of it."""

    profile: str
    before: ByTarget
    applied: ByTarget


def text(state: State) -> str:
    """The file."""
    return json.dumps({"version": VERSION, "kind": KIND, **dc.asdict(state)}, indent=1, sort_keys=True) + "\n"


def meanwhile(old: State | None, new: State | None) -> State | None:
    """What is remembered while one becomes the other: nothing of either is forgotten if that is cut off."""
    if old is None or new is None:
        return old or new
    return State(new.profile, _both(new.before, old.before), _both(old.applied, new.applied))


def _both(one: ByTarget, other: ByTarget) -> dict[str, dict[str, Value]]:
    """The values of both; where they differ, of the other."""
    return {name: {**one.get(name, {}), **other.get(name, {})} for name in sorted({*one, *other})}


def read(content: str, where: str) -> State:
    """The state in a file.

    Raises:
        DataError: it is not of its form.
    """
    reader = from_json(content, where, HINT)
    reader.choice("version", (VERSION,))
    reader.choice("kind", (KIND,))
    state = State(reader.text("profile"), *(_by_target(reader.anything(name), f"{where}: {name}")
                                            for name in ("before", "applied")))
    reader.done()
    return state


def _by_target(raw: object, where: str) -> dict[str, dict[str, Value]]:
    if not isinstance(raw, dict) or not all(isinstance(values, dict) for values in raw.values()):
        raise DataError(where, "is no mapping of mappings", HINT)
    for name, values in raw.items():
        for setting, value in values.items():
            if setting not in SETTINGS or isinstance(value, bool) or not isinstance(value, (int, str)):
                raise DataError(f"{where}.{name}.{setting}", f"is {value!r}", HINT)
    return raw
