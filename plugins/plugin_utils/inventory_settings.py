# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Settings that an inventory names: variables of a host, looked through for names of knobs."""

from __future__ import annotations

import re
import typing as t

from ..module_utils._core.look.settings import Setting

INVENTORY = "inventory"  # stands for the file: Ansible does not say which one a variable came from
# What Ansible itself puts beside the variables of a host.
_MAGIC = frozenset({"environment", "group_names", "groups", "hostvars", "inventory_dir", "inventory_file",
                    "inventory_hostname", "inventory_hostname_short", "omit", "play_hosts", "playbook_dir", "vars"})
_WORD = re.compile(r"[A-Za-z_][\w.]*")
_VALUE = re.compile(r"\s*[=:]\s*(\"[^\"]*\"|'[^']*'|\S*)")
_DEEPEST = 8  # levels of a variable
_MOST = 20_000  # values that are looked at: a variable may be of any size


def found(variables: t.Mapping[str, t.Any], names: t.Iterable[t.Mapping[str, str]]) -> tuple[Setting, ...]:
    """Where variables of a host set one of the names: as a key of a mapping, or in text as NAME=value.

    Nothing is templated, so a name that only templating would make is not found.

    Args:
        variables: of the host, as Ansible gives them to a task.
        names: mappings with ``name`` and ``kind``, as the module takes them.
    """
    kinds = {item["name"]: item["kind"] for item in names}
    met: dict[tuple[str, str | None, str], None] = {}
    left = [(name, name, value, 0) for name, value in variables.items()
            if name not in _MAGIC and not name.startswith("ansible_")]
    for _count in range(_MOST):
        if not left:
            break
        holder, key, value, depth = left.pop()
        if key in kinds and not isinstance(value, (dict, list, tuple)):
            met[(key, _text(value), holder)] = None
        if isinstance(value, t.Mapping) and depth < _DEEPEST:
            left += [(holder, str(k), v, depth + 1) for k, v in value.items()]
        elif isinstance(value, (list, tuple)) and depth < _DEEPEST:
            left += [(holder, "", v, depth + 1) for v in value]
        elif isinstance(value, str):
            met |= dict.fromkeys((name, text, holder) for name, text in _in_text(value, kinds))
    return tuple(Setting(name, value, kinds[name], INVENTORY, holder=holder)
                 for name, value, holder in sorted(met, key=lambda item: (item[2], item[0], item[1] or "")))


def _in_text(text: str, kinds: t.Container[str]) -> t.Iterator[tuple[str, str]]:
    """Names that a text sets, with what it sets them to."""
    for word in _WORD.finditer(text[:_MOST]):
        value = _VALUE.match(text, word.end()) if word.group() in kinds else None
        if value:
            yield str(word.group()), value.group(1).strip("'\"")


def _text(value: t.Any) -> str | None:
    return None if value is None else str(value)
