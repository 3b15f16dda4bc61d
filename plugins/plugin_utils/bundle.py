# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Reads a support bundle on the control machine into a look, and says of each file what it told."""

from __future__ import annotations

import dataclasses as dc
import functools
import itertools
import pathlib
import re
import typing as t

from ..module_utils._core.bundle.bundle import NOT_UNDERSTOOD, Bundle
from ..module_utils._core.errors import DataError, FleetError
from ..module_utils._core.formats.tool_json import document
from ..module_utils._core.look.shape import ALL_SECTIONS, Look
from .bundle_files import Entry, entries
from .plain import from_plain

Plain = t.Mapping[str, t.Any]
TREES = ("KFD topology", "KFD process")
_ENDINGS = re.compile(r"(?:\.(?:tar|tgz|tbz2|txz|gz|xz|bz2|zip|txt|log|json))+$")
MOST_TEXT = 16 * 1024**2  # of a file that is read whole; logs may be of any size


class Told(t.NamedTuple):
    """One file of a bundle, and what it told or why it told nothing."""

    file: str
    what: str


@dc.dataclass(frozen=True)
class Read:
    """A bundle that was read.

    Attributes:
        name: what to call its node: the name of the bundle without its endings.
        look: what the files tell together; a section that none tells is None.
        told: what each file told, or why it told nothing.
    """

    name: str
    look: Look
    told: tuple[Told, ...]

    @property
    def notes(self) -> tuple[str, ...]:
        """A line for each file; the trees of KFD, of which every file is one, in one line."""
        lines = (f"{item.file}: {item.what}" for item in self.told if item.what not in TREES)
        trees = [f"{sum(item.what == tree for item in self.told)} files: {tree}" for tree in TREES]
        return (*lines, *(line for line in trees if not line.startswith("0 ")))


def read(path: str, patterns: t.Sequence[Plain], setting_names: t.Sequence[Plain] = ()) -> Read:
    """Return what the files tell, as a look with holes, and what each file told.

    Args:
        path: a directory, an archive, or one file.
        patterns: what to look for in logs: id, where, words, patterns.
        setting_names: names of settings to look for: name, kind.

    Raises:
        FleetError: it cannot be read, or nothing in it is understood.
    """
    bundle, looks, told, understood = Bundle(patterns, setting_names), list[Look](), list[Told](), 0
    for entry in entries(pathlib.Path(path)):
        try:
            told.append(Told(entry.name, entry.problem or _one(bundle, looks, entry)))
            understood += not entry.problem
        except DataError as error:
            told.append(Told(entry.name, error.what if error.what == NOT_UNDERSTOOD else f"unreadable: {error.what}"))
    if not told:
        raise FleetError(path, "is empty", "take a bundle as docs/bundle.md tells")
    look = bundle.look()
    if not understood:
        reasons = "; ".join(f"{item.file}: {item.what}" for item in told[:3])
        more = f" and {len(told) - 3} more" if len(told) > 3 else ""
        raise FleetError(path, f"holds nothing that is understood ({reasons}{more})",
                         "take a bundle as docs/bundle.md tells")
    return Read(_name(path), functools.reduce(_filled, looks, look), tuple(told))


def _name(path: str) -> str:
    name = pathlib.Path(path).resolve().name
    return _ENDINGS.sub("", name) or name


def _one(bundle: Bundle, looks: list[Look], entry: Entry) -> str:
    """Give one file to the bundle; a look of ours is kept as it is."""
    first = next(entry.chunks, b"")
    head = first.decode("utf-8", "replace")
    chunks = itertools.chain([first], entry.chunks)
    if bundle.is_log(entry.name, head):
        return bundle.log(entry.name, head, chunks)
    data = bytearray()
    for chunk in chunks:
        data += chunk
        if len(data) > MOST_TEXT:
            raise DataError(entry.name, f"is larger than {MOST_TEXT // 1024**2} MiB and no log")
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    own = _own_look(text)
    if own is not None:
        looks.append(own)
        return "look of gpu_node_info"
    return bundle.text(entry.name, text)


def _own_look(text: str) -> Look | None:
    """The look in a file that gpu_node_info wrote, in whatever Ansible put around it; None if it is none.

    Raises:
        DataError: it is one of another version, or damaged.
    """
    if '"schema"' not in text or '"elapsed_ms"' not in text:
        return None
    data = document(text)
    if isinstance(data, dict):  # a registered result holds it under this key
        data = data.get("look", data)
    return from_plain(Look, data, "look")


def _filled(look: Look, own: Look) -> Look:
    """A look of ours, with sections of the other files where it has none."""
    missing = {section: getattr(look, section) for section in ALL_SECTIONS if getattr(own, section) is None}
    return dc.replace(own, **missing)
