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
_ULIMITS = re.compile(r"^[ \t]*default_ulimits[ \t]*=[ \t]*\[(.*?)\]", re.MULTILINE | re.DOTALL)
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
        daemon, before = merged(seen.files[DOCKER].content, DOCKER, members, record)
        validate = "dockerd --validate --config-file=%s" if daemon and (seen.docker or 0) >= _VALIDATE else ""
        files += [dc.replace(_file(DOCKER, daemon), validate=validate), _file(RECORD, before.text)]
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


def _members(wanted: t.Mapping[str, int] | None, seen: Seen) -> Members:
    """What is ours in daemon.json."""
    if wanted is None or seen.docker is None:
        return {}
    features = {"features": {"cdi": True}} if seen.docker >= _CDI else {}
    ulimits = {name: {"Name": name, "Hard": value, "Soft": value} for name, value in wanted.items()}
    return {**features, **({"default-ulimits": ulimits} if ulimits else {})}


def _podman(wanted: t.Mapping[str, int], seen: Seen) -> str:
    own: dict[str, str] = {}
    for path, text in seen.others:
        said = _ulimits(text)
        if said is None:
            continue
        if posixpath.dirname(path) == posixpath.dirname(PODMAN) and path > PODMAN:
            raise FleetError(path, f"names default_ulimits, and is read after {PODMAN}",
                             "take them out, and name them in container_runtime_limits")
        own = said
    every = {**own, **{name: f"{value}:{value}" for name, value in wanted.items()}}
    rows = "".join(f'  "{name}={value}",\n' for name, value in every.items())
    return f"{HEADER}[containers]\ndefault_ulimits = [\n{rows}]\n"


def _ulimits(text: str) -> dict[str, str] | None:
    """Limits that a containers.conf names; None: it names none."""
    found = _ULIMITS.search(text)
    if not found:
        return None
    words = re.findall(r'"([^"=]+)=([^"]*)"', re.sub(r"#.*", "", found[1]))
    return dict(words)
