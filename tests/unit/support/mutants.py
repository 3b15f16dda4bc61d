# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of a catalogue with one thing wrong: what schema and strict reader must judge alike."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.strict import Contradiction

VALUES: list[Any] = [None, True, 7, 7.5, "", "x y", "7.2", "7.2.3", "30.10", "1234567", "MI300X", [], ["S1", "S1"],
                     ["S1"], [None], [{}], {}, {"x": "y"}, {"x": 1}]


def places(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths of every value below the top."""
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [place for key, value in items for place in ((*path, key), *places(value, (*path, key)))]


def mutants(data: Any) -> Any:
    """(what was done, the changed file), for every place and change; the kind stays, since it chooses the schema."""
    for path in places(data):
        if path == ("kind",):
            continue
        for value in VALUES:
            yield f"{path} = {value!r}", _with(data, path, lambda node, key, value=value: node.__setitem__(key, value))
        yield f"{path} is gone", _with(data, path, lambda node, key: node.__delitem__(key))
        yield f"{path} has an unknown neighbour", _with(data, path, _neighbour)


def accepts(read: Callable[[Any, str], Any], data: Any) -> bool:
    """Whether a strict reader finds the form right; a schema cannot see that parts contradict each other."""
    try:
        read(data, "f")
    except Contradiction:
        return True
    except DataError:
        return False
    return True


def _neighbour(node: Any, key: Any) -> None:
    if isinstance(node, dict):
        node["unknown_key"] = node[key]
    else:
        node.append(node[key])


def _with(data: Any, path: tuple[Any, ...], change: Any) -> Any:
    data = copy.deepcopy(data)
    node = data
    for key in path[:-1]:
        node = node[key]
    change(node, path[-1])
    return data
