# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Kernel arguments: which a boot entry has already, which contradict it, and which are to be appended.

The kernel takes - and _ in names for the same, and the last of two values. source: linux:kernel/params.c, parameq;
linux:Documentation/admin-guide/kernel-parameters.rst
"""

from __future__ import annotations

import typing as t

from ..errors import FleetError
from .setting import Setting


def missing(settings: t.Sequence[Setting], words: t.Sequence[str]) -> tuple[str, ...]:
    """The arguments that are not among the words of a command line."""
    return tuple(setting.word for setting in settings if not there(setting, words))


def there(setting: Setting, words: t.Sequence[str]) -> bool:
    """Whether the words of a command line have a setting."""
    if not setting.accumulates:
        return (_name(setting.word), setting.value) in (_pair(word) for word in words)
    return set(setting.value.split(",")) <= {item for word in words for item in _items(setting, word)}


def conflict(setting: Setting, words: t.Sequence[str], entry: str) -> FleetError | None:
    """What contradicts a setting among words that others brought, as a refusal. ``entry``: where they are."""
    for word in words:
        if _pair(word) in [_pair(other) for other in setting.against] or _differs(setting, word):
            return FleetError(
                f"kernel argument {setting.word}", f"is wanted by the setting {setting.id}, and {entry} has {word}",
                f"take {word} out of the boot loader's configuration, or name {setting.id} in host_tuning_skip")
    return None


def _differs(setting: Setting, word: str) -> bool:
    """Whether a word sets the same to another value."""
    if not setting.accumulates:
        return _name(word) == _name(setting.word) and _pair(word) != _pair(setting.word)
    wanted = {item.partition("=")[0]: item for item in setting.value.split(",")}
    return any(item != wanted.get(item.partition("=")[0], item) for item in _items(setting, word))


def _items(setting: Setting, word: str) -> list[str]:
    """What a word adds to an argument that is given several times: realloc=off of pci=realloc=off,noaer."""
    return word.partition("=")[2].split(",") if _name(word) == _name(setting.word) else []


def _pair(word: str) -> tuple[str, str]:
    return _name(word), word.partition("=")[2]


def _name(word: str) -> str:
    return word.partition("=")[0].replace("-", "_")
