# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The folder that a layer is built in: its Containerfile and what that copies, each by its digest."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import typing as t

from .._act.digest import sha256
from .._act.fetch import fetch
from .._act.outcome import of_system
from .._core.act import keyring
from .._core.errors import FleetError
from .._core.image import containerfile
from .._core.image.shape import Image

PREFIX = "build-"
FILE = "Containerfile"


def refuse(image: Image, layers: t.Iterable[int]) -> None:
    """Refuse files of the builder that are not there, or not what they should be, before anything is built.

    Raises:
        FleetError: a file is missing or has another digest.
    """
    for path, digest in _needs(image, layers):
        _right(path, digest)


def _needs(image: Image, layers: t.Iterable[int]) -> t.Iterator[tuple[str, str]]:
    for index in layers:
        if index == 0 and image.parent.archive:
            yield image.parent.archive, image.parent.digest
        for file in image.layers[index].files:
            yield file.source, file.digest


def _right(path: str, digest: str, target: str = os.devnull) -> None:
    """Refuse a file of another digest. What was read is written to ``target``: what is copied is what was judged."""
    try:
        found = sha256(path, target)
    except FileNotFoundError:
        raise FleetError(path, "is not on the builder", "bring it there, then run again") from None
    except OSError as error:
        raise of_system(error) from error
    if found != digest.rpartition(":")[2]:
        raise FleetError(path, f"has the digest sha256:{found}, not {digest}",
                         "bring the file that is meant, or pin this one")


def clear(directory: str) -> None:
    """Remove what an ended run left. The caller holds the directory."""
    for name in os.listdir(directory):
        if name.startswith(PREFIX):
            shutil.rmtree(os.path.join(directory, name), ignore_errors=True)


@contextlib.contextmanager
def folder(directory: str, image: Image, index: int, text: str, seconds: float) -> t.Iterator[str]:
    """Make the folder, and remove it in the end. What an ended run left behind goes too.

    Raises:
        FleetError: a key or a file cannot be had, or is not the one that is pinned.
    """
    clear(directory)
    path = tempfile.mkdtemp(prefix=PREFIX, dir=directory)
    try:
        for name, content in {
            **containerfile.context(image, index),
            **_keys(image, index, seconds),
            FILE: text,
        }.items():
            _write(os.path.join(path, name), content)
        if index == 0 and image.parent.archive:
            _bring(image.parent.archive, image.parent.digest, os.path.join(path, containerfile.ARCHIVE))
        for file in image.layers[index].files:
            _bring(file.source, file.digest, os.path.join(path, containerfile.context_path(file.digest)))
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def _keys(image: Image, index: int, seconds: float) -> dict[str, str]:
    """Keys that are named by where they are."""
    found = {}
    for repository in image.layers[index].repositories:
        if repository.key_url:
            data = fetch(repository.key_url, seconds)
            key = keyring.accepted(data, repository.key_url, repository.fingerprint, "dnf")
            found[containerfile.key_path(repository)] = key.decode("ascii")
    return found


def _write(path: str, content: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(content)


def _bring(source: str, digest: str, path: str) -> None:
    """Have a copy in the folder: the file may have changed since it was refused or not, and may change again."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    _right(source, digest, path)
