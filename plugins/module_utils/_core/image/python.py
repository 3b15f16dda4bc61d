# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Packages of Python that a layer holds: each in one version, with all that they need, and what a tree has of them."""

from __future__ import annotations

import re
import shlex
import typing as t

from ..errors import DataError
from ..release.repositories import without_user
from ..strict import Contradiction, Reader
from .brought import PATH, whole
from .pins import digest
from .shape import Distribution, Python, Wheel

_NAME = r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?"
# source: https://packaging.python.org/en/latest/specifications/version-specifiers/#public-version-identifiers
_VERSION = (r"(?:[0-9]+!)?[0-9]+(?:\.[0-9]+)*(?:(?:a|b|rc)[0-9]+)?(?:\.post[0-9]+)?(?:\.dev[0-9]+)?"
            r"(?:\+[a-z0-9]+(?:\.[a-z0-9]+)*)?")
_URI = r"[a-z][a-z0-9+.-]*:///?[^\s{}]+"
_LIST = "/tmp/instinct-build-python.txt"  # of a build, which takes it away
# Nothing of the image's own settings, no source that would be built by what nobody pinned, and no package that was not
# named. source: https://pip.pypa.io/en/stable/cli/pip_install/, https://pip.pypa.io/en/stable/topics/secure-installs/
_INSTALL = ("-m pip --isolated install --disable-pip-version-check --no-input --no-cache-dir --no-deps "
            "--only-binary :all:")


def read(reader: Reader) -> Python:
    """The record ``python`` of a layer.

    Raises:
        DataError: it names nothing, or something twice or in part.
    """
    found = Python(
        reader.records("packages", _wheel),
        _path(reader, "interpreter", None if reader.has("interpreter") else Python.interpreter),
        _path(reader, "venv", ""), reader.text("index", Python.index, _URI))
    if reader.has("index"):
        reader.read("index", without_user)
    where = f"{reader.path}.packages"
    names = [normal(wheel.name) for wheel in found.packages]
    if not names:
        raise DataError(where, "is empty", "name packages, or leave python out")
    for wheel in found.packages:
        if names.count(normal(wheel.name)) > 1:
            raise Contradiction(where, f"{wheel.name} is there twice", "remove one")
        if bool(wheel.hashes) != bool(found.packages[0].hashes):
            raise DataError(where, f"of {wheel.name} and {found.packages[0].name} one has hashes, and pip wants them "
                            "of all or of none", "give hashes of all")
    return found


def command(of: Python) -> str:
    """What a shell does to have them. The last of it fails where a package needs another one that is not named."""
    python = f"{of.venv}/bin/python3" if of.venv else of.interpreter
    lines = " ".join(shlex.quote(_line(wheel)) for wheel in of.packages)
    hashed = " --require-hashes" if of.packages[0].hashes else ""
    return "; ".join((
        *([f"test -x {python} || {of.interpreter} -m venv {of.venv}"] if of.venv else []),
        f"printf '%s\\n' {lines} > {_LIST}",
        f"{python} {_INSTALL}{hashed} --index-url {shlex.quote(of.index)} --requirement {_LIST}",
        f"rm -f {_LIST}", f"{python} -m pip --isolated check --disable-pip-version-check >&2"))


def wrong(of: Python, lying: t.Iterable[Distribution]) -> t.Iterator[str]:
    """What is not as pinned, each in words."""
    seen: dict[str, set[str]] = {}
    for one in lying:
        if one.folder.startswith(f"{of.venv}/"):
            seen.setdefault(normal(one.name), set()).add(one.version)
    for wheel in of.packages:
        versions = seen.get(normal(wheel.name), set())
        if wheel.version not in versions:
            there = " and ".join(sorted(versions)) or "not there"
            yield f"{wheel.name} of Python is {there}, and {wheel.version} was wanted"


def normal(name: str) -> str:
    """The one form of the names that are the same. source: https://peps.python.org/pep-0503/#normalized-names"""
    return re.sub(r"[-_.]+", "-", name).lower()


def _wheel(reader: Reader) -> Wheel:
    name = reader.text("name", pattern=_NAME)
    version = reader.text("version")
    if not re.fullmatch(_VERSION, version, re.ASCII):
        raise DataError(f"{reader.path}.version", f"is {version!r}, which is no exact version of a package of Python",
                        "name the one version that you tested, as the index has it")
    hashes = reader.read_all("hashes", digest, ())
    if reader.has("hashes") and not hashes:
        raise DataError(f"{reader.path}.hashes", "is empty", "name the digests of its files, or leave hashes out")
    return Wheel(name, version, hashes)


def _path(reader: Reader, key: str, default: str | None) -> str:
    return whole(f"{reader.path}.{key}", reader.text(key, default, PATH))


def _line(wheel: Wheel) -> str:
    return " ".join((f"{wheel.name}=={wheel.version}", *(f"--hash={one}" for one in wheel.hashes)))
