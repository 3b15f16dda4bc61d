# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""From plain data, as modules return it, back to the frozen dataclasses of the core. Strict: it came from a host."""

from __future__ import annotations

import dataclasses as dc
import functools
import types
import typing as t

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError

T = t.TypeVar("T")


@functools.cache
def _hints(cls: type) -> dict[str, t.Any]:
    return t.get_type_hints(cls)


def from_plain(cls: type[T], data: t.Any, where: str = "") -> T:
    """Build a dataclass, and the dataclasses inside it.

    Raises:
        DataError: an unknown key or a value of another type, named by its path.
    """
    where = where or cls.__name__
    if not isinstance(data, t.Mapping):
        raise DataError(where, f"is {type(data).__name__}, not a mapping")
    hints = _hints(cls)
    unknown = sorted(set(data) - set(hints))
    if unknown:
        raise DataError(where, f"has unknown keys {', '.join(unknown)}", "the module on the node is of another version")
    missing = sorted(f.name for f in dc.fields(t.cast(t.Any, cls)) if f.name not in data
                     and f.default is dc.MISSING and f.default_factory is dc.MISSING)
    if missing:
        raise DataError(where, f"lacks {', '.join(missing)}")
    return cls(**{key: _value(hints[key], value, f"{where}.{key}") for key, value in data.items()})


def _value(hint: t.Any, value: t.Any, where: str) -> t.Any:
    origin, args = t.get_origin(hint), t.get_args(hint)
    if origin in (t.Union, types.UnionType):
        if value is None and types.NoneType in args:
            return None
        return _value(next(a for a in args if a is not types.NoneType), value, where)
    if dc.is_dataclass(hint):
        return from_plain(t.cast(type, hint), value, where)
    if origin is tuple:
        if not isinstance(value, t.Sequence) or isinstance(value, str):
            raise DataError(where, f"is {type(value).__name__}, not a list")
        return tuple(_value(args[0], item, f"{where}[{i}]") for i, item in enumerate(value))
    if origin is dict:
        if not isinstance(value, t.Mapping):
            raise DataError(where, f"is {type(value).__name__}, not a mapping")
        return {str(k): _value(args[1], v, f"{where}.{k}") for k, v in value.items()}
    if (hint is int and isinstance(value, bool)) or not isinstance(value, hint):
        raise DataError(where, f"is {value!r}, not {hint.__name__}")
    # Ansible tags the strings that come from hosts; the core wants plain ones.
    return hint(value)
