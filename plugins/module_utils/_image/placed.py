# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Files that were put into a layer, against what is in its tree."""

from __future__ import annotations

import stat
import typing as t

from .._act import digest
from .._core.image.shape import File, Layer
from .._node.apart import UnreadableError
from .tree import Tree, Window

HINT = "let each file have a path of its own, and let commands remove it or leave it as it is"


def wrong(root: str, layer: Layer, seconds: float) -> tuple[str, ...]:
    """What is wrong with the files of a layer, each in words. A file that is gone is none's where commands ran."""
    tree = Tree(root, seconds)
    return tuple(filter(None, (_wrong(tree, file, bool(layer.run)) for file in layer.files)))


def _wrong(tree: Tree, file: File, may_go: bool) -> str:
    try:
        status, found = tree.stat(file.path), tree.reading(file.path, _digest)
    except UnreadableError as error:
        return str(error)
    if status is None or found is None:
        return "" if may_go else f"{file.path} is not there"
    if found != file.digest:
        return f"{file.path} has the digest {found}, not {file.digest}"
    mode = f"0{stat.S_IMODE(status.st_mode):03o}"
    return "" if mode == file.mode else f"{file.path} has the mode {mode}, not {file.mode}"


def _digest(window: Window) -> str:
    return f"sha256:{digest.of(_pieces(window))}"


def _pieces(window: Window) -> t.Iterator[bytes]:
    at = 0
    while True:
        piece = window[at : at + digest.PIECE]
        if not piece:
            return
        yield piece
        at += len(piece)
