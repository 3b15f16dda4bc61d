# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The value of one variable, held against its option in a role's specification."""

from __future__ import annotations

import typing as t

from ansible.module_utils.common.validation import check_type_dict
from ansible.module_utils.parsing.convert_bool import boolean

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError

Option = t.Mapping[str, t.Any]
HINT = "correct it in the inventory"
# Every number in the specifications is a time or an id; 0 is the group of root, and 4294967295 is -1 to the kernel.
LARGEST = 4294967294
NAMES = {
    "bool": "true or false", "dict": "a mapping", "int": f"a whole number from 1 to {LARGEST}", "list": "a list",
    "path": "a path", "str": "text",
}


def value(where: str, given: t.Any, option: Option) -> t.Any:
    """The value as its option wants it, or the option's default.

    Raises:
        FleetError: it is missing, or of another type, or none of the choices.
    """
    if given is None or (given == "" and option.get("required")):
        if option.get("required"):
            raise FleetError(where, "is empty" if given == "" else "is not set", "set it in the inventory")
        return option.get("default")
    kind = option.get("type", "str")
    read = _READERS[kind](where, given, option)
    if kind not in ("list", "dict") and option.get("choices") and read not in option["choices"]:
        raise FleetError(where, f"is {_shown(given)}", f"choose one of {', '.join(map(str, option['choices']))}")
    return read


def _shown(given: t.Any) -> str:
    """What was given, in few words."""
    if isinstance(given, str):
        return repr(str(given))
    if isinstance(given, (bool, int, float)):
        return str(given).lower()
    kind = "list" if isinstance(given, (list, tuple)) else "dict" if isinstance(given, t.Mapping) else ""
    return NAMES.get(kind, type(given).__name__)


def _refusal(where: str, given: t.Any, kind: str) -> FleetError:
    return FleetError(where, f"is {_shown(given)}, not {NAMES[kind]}", HINT)


def _text(where: str, given: t.Any, option: Option) -> str:
    if isinstance(given, bool) or not isinstance(given, (str, int, float)):
        raise _refusal(where, given, option.get("type", "str"))
    return str(given)


def _anything(_where: str, given: t.Any, _option: Option) -> t.Any:
    return given


def _flag(where: str, given: t.Any, _option: Option) -> bool:
    try:
        return bool(boolean(given))
    except TypeError as error:
        raise _refusal(where, given, "bool") from error


def _number(where: str, given: t.Any, _option: Option) -> int:
    number = given
    if isinstance(given, str) and given.strip().isdecimal():  # extra variables are text
        number = int(given)
    if isinstance(number, bool) or not isinstance(number, int) or not 0 < number <= LARGEST:
        raise _refusal(where, given, "int")
    return int(number)


def _list(where: str, given: t.Any, option: Option) -> list[t.Any]:
    items = [part.strip() for part in given.split(",")] if isinstance(given, str) else given
    if not isinstance(items, (list, tuple)):
        raise _refusal(where, given, "list")
    element = {**option, "type": option.get("elements", "str"), "required": True}
    return [value(f"{where}[{index}]", item, element) for index, item in enumerate(items)]


def _mapping(where: str, given: t.Any, option: Option) -> dict[str, t.Any]:
    try:
        pairs = check_type_dict(given) if isinstance(given, (str, t.Mapping)) else None
    except TypeError:
        pairs = None
    if pairs is None:
        raise _refusal(where, given, "dict")
    if "options" not in option:
        return dict(pairs)
    strange = sorted(set(map(str, pairs)) - set(option["options"]))
    if strange:
        raise FleetError(f"{where}.{strange[0]}", "is not a known key", f"choose of {', '.join(option['options'])}")
    return {name: value(f"{where}.{name}", pairs.get(name), sub) for name, sub in option["options"].items()}


_READERS: dict[str, t.Callable[[str, t.Any, Option], t.Any]] = {
    "bool": _flag, "dict": _mapping, "int": _number, "list": _list, "path": _text, "raw": _anything, "str": _text,
}
