# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Settings that an inventory names: variables of a host, looked through for names of knobs."""

from __future__ import annotations

import dataclasses as dc
import functools
import typing as t

from ..module_utils._core.formats.settings_text import Names
from ..module_utils._core.look.settings import Setting

INVENTORY = "inventory"  # stands for the file: Ansible does not say which one a variable came from
# What Ansible itself puts beside the variables of a host.
_MAGIC = frozenset({"environment", "group_names", "groups", "hostvars", "inventory_dir", "inventory_file",
                    "inventory_hostname", "inventory_hostname_short", "omit", "play_hosts", "playbook_dir", "vars"})
_DEEPEST = 8  # levels of a variable
_MOST = 20_000  # values that are looked at, and characters of one: a variable may be of any size


def found(variables: t.Mapping[str, t.Any], names: t.Iterable[t.Mapping[str, str]]) -> tuple[Setting, ...]:
    """Where variables of a host set one of the names: as a key of a mapping, or in text as files of a node would.

    Nothing is templated, so a name that only templating would make is not found.

    Args:
        variables: of the host, as Ansible gives them to a task.
        names: mappings with ``name`` and ``kind``, as the module takes them.
    """
    kinds = {item["name"]: item["kind"] for item in names}
    texts = _texts(tuple(kinds.items()))
    files = [name for name, kind in kinds.items() if kind == "file"]
    met: dict[Setting, None] = {}
    left = [(name, name, value, 0) for name, value in variables.items()
            if name not in _MAGIC and not name.startswith("ansible_")]
    for _count in range(_MOST):
        if not left:
            break
        holder, key, value, depth = left.pop()
        if key in kinds and not isinstance(value, (dict, list, tuple)):
            met[Setting(key, None if value is None else str(value), kinds[key], INVENTORY, holder=holder)] = None
        if isinstance(value, t.Mapping) and depth < _DEEPEST:
            left += [(holder, str(k), v, depth + 1) for k, v in value.items()]
        elif isinstance(value, (list, tuple)) and depth < _DEEPEST:
            left += [(holder, "", v, depth + 1) for v in value]
        elif isinstance(value, str):
            text = value[:_MOST]
            said = (*texts.in_text(text, INVENTORY), *texts.in_arguments(text, INVENTORY),
                    *(Setting(name, None, "file", INVENTORY) for name in files if name in text))
            met |= dict.fromkeys(dc.replace(setting, line=None, holder=holder) for setting in said)
    return tuple(sorted(met, key=lambda setting: (setting.holder or "", setting.name, setting.value or "")))


@functools.cache
def _texts(names: tuple[tuple[str, str], ...]) -> Names:
    """Ready for searching: the same for every host of a run."""
    return Names(names)
