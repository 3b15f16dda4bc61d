# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Package sources, pins, keys, and what upgrades packages by itself."""

from __future__ import annotations

import typing as t

from .._core.formats import apt, pgp
from .._core.look.shape import Key, Preference, Repositories, Source
from . import rpm
from .apart import UnreadableError
from .machine import Machine
from .notes import Notes

_ETC = "/etc/apt"
_KEY_DIRS = ("/etc/apt/keyrings", "/etc/apt/trusted.gpg.d")


def read(machine: Machine) -> Repositories:
    """Read the repositories section."""
    if not machine.exists(_ETC):
        return rpm.repositories(machine)
    notes = Notes()
    sources, embedded = _sources(machine, notes)
    enabled, blacklist = notes.attempt("unattended_upgrades", (None, ()), _unattended, machine)
    if enabled is None:
        notes["unattended_blacklist"] = notes["unattended_upgrades"]
    return Repositories(
        sources=sources, preferences=_preferences(machine, notes),
        keyrings=(*_keys(machine, notes, sources), *embedded),
        unattended_upgrades=enabled, unattended_blacklist=blacklist, unknown=notes,
    )


def _files(machine: Machine, notes: Notes, field: str, directory: str, wanted: t.Callable[[str], bool]) -> list[str]:
    names = notes.attempt(field, (), machine.names, directory)
    return [f"{directory}/{name}" for name in names if wanted(name)]


def _sources(machine: Machine, notes: Notes) -> tuple[tuple[Source, ...], list[Key]]:
    sources: list[Source] = []
    keys: list[Key] = []
    directory = _files(machine, notes, "sources", f"{_ETC}/sources.list.d", apt.is_source_file)
    for file in (f"{_ETC}/sources.list", *directory):
        text = notes.attempt("sources", None, machine.text, file)
        if text is None:
            continue
        parse = apt.parse_deb822 if file.endswith(".sources") else apt.parse_one_line
        found = notes.attempt("sources", (), parse, text, file)
        sources.extend(found)
        if any(source.signed_by == apt.EMBEDDED for source in found):
            prints = [p for key in apt.embedded_keys(text, file)
                      for p in notes.attempt("keyrings", (), pgp.fingerprints, key.encode(), file)]
            keys.append(Key(file, tuple(prints)))
    return tuple(sources), keys


def _preferences(machine: Machine, notes: Notes) -> tuple[Preference, ...]:
    preferences: list[Preference] = []
    directory = _files(machine, notes, "preferences", f"{_ETC}/preferences.d", apt.is_preference_file)
    for file in (f"{_ETC}/preferences", *directory):
        text = notes.attempt("preferences", None, machine.text, file)
        preferences.extend(notes.attempt("preferences", (), apt.parse_preferences, text or "", file))
    return tuple(preferences)


def _is_keyring(name: str) -> bool:
    return name.endswith((".gpg", ".asc", ".pgp"))


def _keys(machine: Machine, notes: Notes, sources: t.Iterable[Source]) -> list[Key]:
    """Read the key files that sources name, and those in the two directories where keys are kept."""
    paths = {word for source in sources for word in (source.signed_by or "").replace(",", " ").split()
             if word.startswith("/")}
    for directory in _KEY_DIRS:
        paths.update(_files(machine, notes, "keyrings", directory, _is_keyring))
    keys = []
    for path in sorted(paths):
        data = notes.attempt("keyrings", None, machine.data, path)
        if data:
            keys.append(Key(path, notes.attempt("keyrings", (), pgp.fingerprints, data, path)))
    return keys


def _unattended(machine: Machine) -> tuple[bool, tuple[str, ...]]:
    """Ask apt for its merged configuration, but only if a file there speaks of unattended upgrades."""
    directory = f"{_ETC}/apt.conf.d"
    files = [f"{_ETC}/apt.conf", *(f"{directory}/{name}" for name in machine.names(directory))]
    if not any("unattended-upgrade" in (machine.text(file) or "").lower() for file in files):
        return False, ()
    ran = machine.run("apt-config", "dump")
    if ran.code:
        raise UnreadableError(f"apt-config failed: {ran.stderr.strip()}")
    enabled, blacklist = apt.unattended(apt.parse_dump(ran.stdout))
    return enabled and machine.exists("/usr/bin/unattended-upgrade"), blacklist
