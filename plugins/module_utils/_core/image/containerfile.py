# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The Containerfile of one layer, and the small files that its build needs beside it.

One Containerfile makes one layer of the image: buildah commits once at its end unless it is asked for more, so keys,
sources and lists that are removed there leave nothing behind. source: buildah-build(1), --layers
"""

from __future__ import annotations

import dataclasses as dc
import json
import typing as t

from . import python
from .shape import Image, Layer, Package, Repository

# The group of device nodes, with the number that it has on the nodes: what counts for access is the number alone.
_GROUP = ("if getent group render >/dev/null; then groupmod --gid {gid} render; "
          "else groupadd --system --gid {gid} render; fi")
ARCHIVE = "parent.tar"  # name of the base's archive in the context of a build
# Of a line, in bytes: buildah ends at a longer one without a word, and what follows is never done; a word of a command
# may have twice as many. source: a run of buildah 1.28.2; Go, bufio.MaxScanTokenSize; execve(2), MAX_ARG_STRLEN
_LONGEST = 60_000
_SCRIPT = "/tmp/instinct-build.sh"  # of a build, which takes it away


@dc.dataclass(frozen=True)
class Manager:
    """How a package manager is used in a build.

    Attributes:
        sources, keys: folders of its sources and of the keys for them.
        ending: of a file of sources.
        stanza: what names the key of a source, at its end.
        pinned: how a package with its version is asked for.
        install: before the packages.
        clean: what takes its caches and logs away.
    """

    sources: str
    keys: str
    ending: str
    stanza: str
    pinned: str
    install: tuple[str, ...]
    clean: tuple[str, ...]


# source: apt-get(8), dnf(8), zypper(8); DEBIAN_FRONTEND: debconf(7)
_APT = Manager(
    "/etc/apt/sources.list.d", "/etc/apt/keyrings", "sources", "Signed-By: {key}", "{name}={version}",
    ("export DEBIAN_FRONTEND=noninteractive", "apt-get update",
     "apt-get install --yes --no-install-recommends --allow-downgrades"),
    ("apt-get clean", "rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin /var/log/apt /var/log/dpkg.log"))
_DNF = Manager(
    "/etc/yum.repos.d", "/etc/pki/rpm-gpg", "repo", "gpgkey=file://{key}", "{name}-{version}",
    ("dnf install --assumeyes --setopt=install_weak_deps=False",),
    ("dnf clean all", "rm -rf /var/cache/dnf /var/log/dnf*"))
_ZYPPER = Manager(
    "/etc/zypp/repos.d", "/etc/pki/rpm-gpg", "repo", "gpgkey=file://{key}", "{name}={version}",
    ("zypper --non-interactive --gpg-auto-import-keys install --no-recommends --allow-downgrade",),
    ("zypper clean --all", "rm -rf /var/cache/zypp /var/log/zypp"))
_MANAGERS = {"debian": _APT, "ubuntu": _APT, "sles": _ZYPPER}


def text(image: Image, index: int, parent: str, labels: t.Mapping[str, str] | None = None,
         names: t.Mapping[str, str] | None = None) -> str:
    """The Containerfile of a layer that stands on ``parent``, empty: on nothing; a base that is an archive is unpacked.

    ``names``: of images that the layer takes something from, while it is built.
    """
    layer, manager = image.layers[index], _manager(image)
    unpacked = not index and image.parent.archive
    lines = [f"FROM {parent or 'scratch'}", *([f"ADD {ARCHIVE} /"] if unpacked else [])]
    lines += [f"COPY --chmod=0644 {here} {there}" for here, there in _places(layer.repositories, manager).items()]
    if layer.packages:
        lines += _done("; ".join(_commands(layer, manager)))
    if not index and image.wants.render_gid is not None:
        lines.append(_exec(_GROUP.format(gid=image.wants.render_gid)))
    lines += [f"COPY --from={(names or {}).get(copy.image, copy.image)} {path} {path}"
              for copy in layer.copies for path in copy.paths]
    lines += [f"COPY --chmod={file.mode} {context_path(file.digest)} {file.path}" for file in layer.files]
    if layer.python:
        lines += _done(python.command(layer.python))
    lines += [line for command in layer.run for line in _done(command)]
    for word, values in (("ENV", layer.environment), ("LABEL", labels or {})):
        lines += [f"{word} {name}={_quoted(value)}" for name, value in sorted(values.items())]
    return "\n".join(lines) + "\n"


def taken(image: Image, index: int) -> tuple[str, ...]:
    """Images that a layer takes something from, each once."""
    return tuple(dict.fromkeys(copy.image for copy in image.layers[index].copies))


def context(image: Image, index: int) -> dict[str, str]:
    """Sources of packages and their keys: path in the context of the build -> text. A key may have to be fetched."""
    manager = _manager(image)
    found = {}
    for repository in image.layers[index].repositories:
        named = manager.stanza.format(key=_key(repository, manager))
        found[_source_path(repository, manager)] = f"{repository.text}{named}\n"
        found[key_path(repository)] = repository.key
    return found


def context_path(digest: str) -> str:
    """Where a file of a layer lies in the context of its build."""
    return f"files/{digest.partition(':')[2]}"


def key_path(repository: Repository) -> str:
    """Where the key of a repository lies in the context of a build."""
    return f"keys/{repository.name}.asc"


def is_apt(os: str) -> bool:
    """Whether packages of an operating system are apt's."""
    return _MANAGERS.get(os, _DNF) is _APT


def _manager(image: Image) -> Manager:
    return _MANAGERS.get(image.os, _DNF)


def _source_path(repository: Repository, manager: Manager) -> str:
    return f"repositories/{repository.name}.{manager.ending}"


def _key(repository: Repository, manager: Manager) -> str:
    return f"{manager.keys}/instinct-build-{repository.name}.asc"


def _places(repositories: t.Iterable[Repository], manager: Manager) -> dict[str, str]:
    """Path in the context -> path in the layer while it is built."""
    found = {}
    for repository in repositories:
        found[key_path(repository)] = _key(repository, manager)
        found[_source_path(repository, manager)] = (
            f"{manager.sources}/instinct-build-{repository.name}.{manager.ending}")
    return found


def _commands(layer: Layer, manager: Manager) -> t.Iterator[str]:
    *before, install = manager.install
    yield from before
    yield " ".join((install, *(_pin(package, manager) for package in layer.packages)))
    yield from manager.clean
    if layer.repositories:
        yield "rm -f " + " ".join(_places(layer.repositories, manager).values())


def _pin(package: Package, manager: Manager) -> str:
    return manager.pinned.format(name=package.name, version=package.version)


def _exec(command: str, *words: str) -> str:
    """A RUN in the form of JSON, in which nothing is replaced but by the shell itself. ``words``: its $0, $1 ..."""
    return "RUN " + json.dumps(["/bin/sh", "-euc", command, *words])


def _done(command: str) -> list[str]:
    """The lines that a command takes: one, or those that write a long one down, and one that does it."""
    if len(_exec(command)) <= _LONGEST:
        return [_exec(command)]
    pieces = _pieces(f"rm -f {_SCRIPT}\n{command}\n")
    written = [_exec(f'printf %s "$1" {">>" if index else ">"} {_SCRIPT}', "sh", piece)
               for index, piece in enumerate(pieces)]
    return [*written, "RUN " + json.dumps(["/bin/sh", "-eu", _SCRIPT])]


def _pieces(text: str) -> list[str]:
    """The text in pieces that a line can hold."""
    if len(json.dumps(text)) <= _LONGEST // 2:
        return [text]
    middle = len(text) // 2
    return [*_pieces(text[:middle]), *_pieces(text[middle:])]


def _quoted(value: str) -> str:
    """Text in which a Containerfile replaces nothing."""
    for sign in '\\"$':
        value = value.replace(sign, "\\" + sign)
    return f'"{value}"'
