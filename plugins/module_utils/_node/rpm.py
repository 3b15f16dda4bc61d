# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Packages, locks, repositories and keys where rpm keeps them: nodes of dnf and of zypper."""

from __future__ import annotations

import typing as t

from .._core.errors import DataError
from .._core.formats import pgp, repofile, rpm, versionlock, zypplocks
from .._core.formats.text import parse_os_release
from .._core.look.shape import Key, Package, Packages, Preference, Repositories, Source
from .apart import UnreadableError
from .machine import Machine
from .notes import Notes

# The packages themselves are not checked here, and reading them is twice as fast so.
QUERY = ("rpm", "--query", "--all", "--nodigest", "--nosignature", f"--queryformat={rpm.QUERY_FORMAT}")
KEYS = ("rpm", "--query", rpm.KEY, f"--queryformat={rpm.KEYS_FORMAT}")
IMPORTED = "rpm"  # path under which a look lists the keys that rpm itself trusts
_DNF_CONF = "/etc/dnf/dnf.conf"
_KEY_DIR = "/etc/pki/rpm-gpg"
_TIMERS = "/etc/systemd/system/timers.target.wants"
_AUTOMATIC = "/etc/dnf/automatic.conf"
# source: YaST's module online_update_configuration
_ONLINE_UPDATE = "/etc/sysconfig/automatic_online_update"
_REPOSITORIES = {"dnf": "/etc/yum.repos.d", "zypper": "/etc/zypp/repos.d"}


def manager(machine: Machine) -> str | None:
    """The package manager of a node with rpm; None where there is none."""
    return next((name for name in ("zypper", "dnf") if machine.exists(f"/usr/bin/{name}")), None)


def packages(machine: Machine, patterns: t.Sequence[str]) -> Packages:
    """Read the packages section. rpm keeps no journal: where it was cut off, packages are there twice."""
    notes = Notes()
    name = manager(machine)
    found = notes.attempt("installed", None, database, machine, patterns)
    if found is None:
        for field in ("holds", "misheld", "broken"):
            notes[field] = notes["installed"]
        return Packages(name, unknown=notes)
    if name == "zypper":
        held = notes.attempt("holds", (), _zypper_locks, machine, found.all)
        return Packages(name, found.installed, held, found.broken, obeys_holds=True, unknown=notes)
    lines = notes.attempt("holds", None, _dnf_locks, machine)
    locks = versionlock.locks(lines or (), found.all)
    return Packages(name, found.installed, locks.held, found.broken, misheld=locks.elsewhere,
                    obeys_holds=None if "holds" in notes else lines is not None, unknown=notes)


def database(machine: Machine, patterns: t.Sequence[str]) -> rpm.Database:
    """The packages of the node.

    Raises:
        UnreadableError: rpm cannot read its database.
    """
    ran = machine.run(*QUERY)
    if ran.code:
        raise UnreadableError(f"rpm failed: {ran.stderr.strip()[:200]}")
    return rpm.parse_database(ran.stdout, patterns)


def _zypper_locks(machine: Machine, every: t.Sequence[Package]) -> tuple[str, ...]:
    return zypplocks.held(zypplocks.parse(machine.text(zypplocks.PATH) or ""), [p.name for p in every])


def locklist(machine: Machine) -> str | None:
    """The path of dnf's list of locks; None where nothing obeys it: the plugin is not installed, or is switched off.

    Raises:
        UnreadableError: a file cannot be read, or this is dnf 5.
        DataError: a file is damaged.
    """
    if machine.link_name("/usr/bin/dnf") == "dnf5":
        raise UnreadableError("dnf 5 keeps its locks in /etc/dnf/versionlock.toml, which is not read yet")
    conf = machine.text(versionlock.CONF)
    main = repofile.parse(machine.text(_DNF_CONF) or "", _DNF_CONF)
    if conf is None or not repofile.flag(main.get("main", "plugins", fallback=None), True, _DNF_CONF):
        return None
    return versionlock.parse_conf(conf)


def _dnf_locks(machine: Machine) -> tuple[str, ...] | None:
    path = locklist(machine)
    if path is None:
        return None
    text = machine.text(path)
    if text is None:
        raise DataError(path, "does not exist, so that dnf refuses to work", "make it, empty")
    return versionlock.parse_list(text)


def repositories(machine: Machine) -> Repositories:
    """Read the repositories section."""
    notes = Notes()
    name = manager(machine)
    if name is None:
        reason = "neither apt, dnf nor zypper was found"
        fields = ("sources", "preferences", "keyrings", "unattended_upgrades")
        return Repositories(unknown=dict.fromkeys(fields, reason))
    return Repositories(
        sources=_sources(machine, notes, name),
        preferences=notes.attempt("preferences", (), _excludes, machine) if name == "dnf" else (),
        keyrings=_keys(machine, notes),
        unattended_upgrades=notes.attempt("unattended_upgrades", None, by_itself, machine), unknown=notes,
    )


def _sources(machine: Machine, notes: Notes, name: str) -> tuple[Source, ...]:
    directory = _REPOSITORIES[name]
    # zypper checks signatures unless it is told not to, dnf only if it is told to. source: zypp.conf, dnf.conf(5)
    checked = notes.attempt("sources", False, _checked, machine) if name == "dnf" else True
    sources: list[Source] = []
    for file in notes.attempt("sources", (), machine.names, directory):
        if file.endswith(".repo"):
            path = f"{directory}/{file}"
            text = notes.attempt("sources", None, machine.text, path)
            sources.extend(notes.attempt("sources", (), repofile.parse_repositories, text or "", path, checked))
    return tuple(sources)


def _checked(machine: Machine) -> bool:
    parser = repofile.parse(machine.text(_DNF_CONF) or "", _DNF_CONF)
    return repofile.flag(parser.get("main", "gpgcheck", fallback=None), False, _DNF_CONF)


def _excludes(machine: Machine) -> tuple[Preference, ...]:
    return repofile.parse_excludes(machine.text(_DNF_CONF) or "", _DNF_CONF)


def _keys(machine: Machine, notes: Notes) -> tuple[Key, ...]:
    """The key files in the directory where they are kept, and the keys that rpm has imported."""
    keys = []
    for name in notes.attempt("keyrings", (), machine.names, _KEY_DIR):
        path = f"{_KEY_DIR}/{name}"
        data = notes.attempt("keyrings", None, machine.data, path)
        if data:
            keys.append(Key(path, notes.attempt("keyrings", (), pgp.fingerprints, data, path)))
    return (*keys, Key(IMPORTED, notes.attempt("keyrings", (), imported, machine)))


def imported(machine: Machine) -> tuple[str, ...]:
    """Fingerprints of the keys that rpm trusts; it ends with 1 where there is none."""
    blocks = rpm.parse_keys("" if (ran := machine.run(*KEYS)).code else ran.stdout, IMPORTED)
    return tuple(dict.fromkeys(p for block in blocks for p in pgp.fingerprints(block, IMPORTED)))


def by_itself(machine: Machine) -> bool:
    """Whether the node installs updates by itself. Errors as of ``locklist``."""
    return _automatic(machine) if manager(machine) == "dnf" else _online_update(machine)


def _automatic(machine: Machine) -> bool:
    """Whether dnf installs updates by itself. source: dnf-automatic(8)"""
    if machine.exists(f"{_TIMERS}/dnf-automatic-install.timer"):
        return True
    parser = repofile.parse(machine.text(_AUTOMATIC) or "", _AUTOMATIC)
    applies = repofile.flag(parser.get("commands", "apply_updates", fallback=None), False, _AUTOMATIC)
    return applies and machine.exists(f"{_TIMERS}/dnf-automatic.timer")


def _online_update(machine: Machine) -> bool:
    """Whether YaST's online update runs by itself."""
    return parse_os_release(machine.text(_ONLINE_UPDATE) or "").get("AOU_ENABLE_CRONJOB") == "true"
