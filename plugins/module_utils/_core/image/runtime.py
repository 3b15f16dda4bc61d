# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What podman and Docker are told: limits of every container, and of Docker that it reads CDI specifications.

Podman takes the last file that names default_ulimits, so what files before ours say is said in ours again. Docker has
one file for all, in which ours is beside what is the site's. source: containers.conf(5); dockerd(8)
"""

from __future__ import annotations

import dataclasses as dc
import posixpath
import re
import typing as t

from ..act.fileset import Change, Wanted, changes
from ..act.fileset import Seen as SeenFile
from ..errors import DataError, FleetError
from ..formats import toml
from ..plan.aptfiles import HEADER
from .runtime_daemon import Members, Record, merged

PODMAN = "/etc/containers/containers.conf.d/90-instinct.conf"
DOCKER, UNIT = "/etc/docker/daemon.json", "docker.service"
RECORD = "/var/lib/instinct/containers.json"
PATHS = (PODMAN, DOCKER, RECORD)
UNLIMITED = -1
# source: docs.docker.com/engine/release-notes/25.0 (CDI), 23.0 (--validate)
_CDI, _VALIDATE = 25, 23
_NAME, _VALUE = re.compile(r"[a-z]+", re.ASCII), re.compile(r"[0-9]+", re.ASCII)
_LIMIT = re.compile(r"[A-Za-z]+=-?[0-9]+(?::-?[0-9]+)?|host", re.ASCII)  # source: podman-run(1), --ulimit
_VERSION = re.compile(r"version (\d+)\.", re.ASCII)


@dc.dataclass(frozen=True)
class Seen:
    """A node.

    Attributes:
        podman: whether it is installed.
        docker: major version of Docker; None: it is not installed.
        others: path and text of each other containers.conf, in the order in which podman reads them.
        files: what is at PATHS.
    """

    podman: bool
    docker: int | None
    others: tuple[tuple[str, str], ...]
    files: t.Mapping[str, SeenFile]


def limits(given: t.Mapping[str, t.Any]) -> dict[str, int]:
    """Name of a limit, as setrlimit(2) has them in small letters, to the number that containers get; -1: unlimited.

    Raises:
        DataError: a name or value is none.
    """
    found = {}
    for name, value in given.items():
        text = str(value)
        if not _NAME.fullmatch(name) or not (text == "unlimited" or _VALUE.fullmatch(text)):
            raise DataError("limits", f"{name}: {text} is no limit", "write it as {memlock: unlimited, nofile: 65536}")
        found[name] = UNLIMITED if text == "unlimited" else int(text)
    return found


def docker_version(text: str) -> int:
    """The major version, of what dockerd --version prints.

    Raises:
        FleetError: it does not say.
    """
    found = _VERSION.search(text)
    if not found:
        raise FleetError("dockerd --version", f"says {text.strip()!r}, which is no version", "mend or remove Docker")
    return int(found[1])


def plan(wanted: t.Mapping[str, int] | None, seen: Seen) -> tuple[Change, ...]:
    """The files that are not as they should be. None: all of ours is taken back.

    Raises:
        FleetError: there is no engine, a file of the node is not of its form, or one that podman reads after ours
            names limits.
    """
    if wanted is not None and not seen.podman and seen.docker is None:
        raise FleetError("this node", "has neither podman nor Docker", "install one of them first")
    record, members = Record.read(seen.files[RECORD].content, RECORD), _members(wanted, seen)
    files = [_file(PODMAN, _podman(wanted, seen) if wanted and seen.podman else "")]
    if members or record.docker:  # a file of Docker that nothing of ours is in is not looked at
        if seen.files[DOCKER].kind == "link":  # what it says would be lost
            raise FleetError(DOCKER, f"is a link to {seen.files[DOCKER].target}", "put a file in its place")
        daemon, before = merged(seen.files[DOCKER].content, DOCKER, members, record)
        files += [_daemon(daemon, seen), _file(RECORD, before.text)]
    return changes(files, seen.files)


def notes(seen: Seen) -> tuple[str, ...]:
    """What a person should know."""
    found = []
    if not seen.podman and seen.docker is None:
        found.append("there is neither podman nor Docker")
    if seen.docker is not None and seen.docker < _CDI:
        found.append(f"Docker {seen.docker} reads no CDI specifications, as {_CDI} does: give devices by their paths")
    return tuple(found)


def _file(path: str, text: str) -> Wanted:
    return Wanted(path, text.encode() if text else None, "root", "root")


def _daemon(text: str, seen: Seen) -> Wanted:
    """Docker's file. Who may read it stays as it is, for a site may have secrets in it."""
    validate = "dockerd --validate --config-file=%s" if text and (seen.docker or 0) >= _VALIDATE else ""
    there = seen.files[DOCKER]
    file = dc.replace(_file(DOCKER, text), validate=validate)
    return dc.replace(file, owner=None, group=None, mode=there.mode) if there.kind == "file" else file


def _members(wanted: t.Mapping[str, int] | None, seen: Seen) -> Members:
    """What is ours in daemon.json."""
    if wanted is None or seen.docker is None:
        return {}
    features = {"features": {"cdi": True}} if seen.docker >= _CDI else {}
    ulimits = {name: {"Name": name, "Hard": value, "Soft": value} for name, value in wanted.items()}
    return {**features, **({"default-ulimits": ulimits} if ulimits else {})}


def _podman(wanted: t.Mapping[str, int], seen: Seen) -> str:
    own, append = _limits_before(seen)
    every = {**own, **{name: f"{name}={value}:{value}" for name, value in wanted.items()}}
    rows = "".join(f'  "{limit}",\n' for limit in every.values()) + ("  {append=false},\n" if append else "")
    return f"{HEADER}[containers]\ndefault_ulimits = [\n{rows}]\n"


def _limits_before(seen: Seen) -> tuple[dict[str, str], bool]:
    """Limits of the files that podman reads before ours, name to limit; and whether one of them asks to append.

    A file that says {append = true} adds to those before it, and so do all after it until one says otherwise.
    source: containers.conf(5), Appending to string arrays
    """
    own: dict[str, str] = {}
    append: bool | None = None
    for path, text in seen.others:
        said = _ulimits(text, path)
        if said is None:
            continue
        if posixpath.dirname(path) == posixpath.dirname(PODMAN) and path > PODMAN:
            raise FleetError(path, f"names default_ulimits, and is read after {PODMAN}",
                             "take them out, and name them in container_runtime_limits")
        limits_, append = said[0], append if said[1] is None else said[1]
        own = {**own, **limits_} if append else limits_
    return own, append is not None


def _ulimits(text: str, path: str) -> tuple[dict[str, str], bool | None] | None:
    """Limits that a containers.conf names, and its word on appending; None: it names none."""
    containers = toml.parse(text, path).get("containers", {})
    found = containers.get("default_ulimits") if isinstance(containers, dict) else None
    if found is None:
        return None
    where = f"{path} default_ulimits"
    if not isinstance(found, list):
        raise DataError(where, "is no list", "mend it: podman does not start with it either")
    append: bool | None = None
    limits_: dict[str, str] = {}
    for one in found:
        if isinstance(one, dict) and isinstance(one.get("append"), bool):
            append = one["append"]
        elif isinstance(one, str) and _LIMIT.fullmatch(one):
            limits_[one.partition("=")[0]] = one
        else:
            raise DataError(where, f"has {one!r}, which is no limit", "mend it: write limits as 'nofile=1024:2048'")
    return limits_, append
