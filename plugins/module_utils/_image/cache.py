# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Images that a node keeps: old ones go, and those that must start at once are in its memory."""

from __future__ import annotations

import contextlib
import ctypes
import json
import mmap
import os
import stat
import typing as t

from .._act.outcome import Outcome
from .._core.errors import FleetError
from .._core.formats import engines
from .._core.image import labels, plan, prune, warmth
from .._core.image.prune import Fate, Stored
from .archived import PART
from .bench import Bench
from .directory import brought, forget_others, identity, use, used
from .store import named
from .tools import Tools

ARCHIVES = "archives"
_PIECE = 1 << 20
_MEMORY = "/proc/meminfo"
_C = ctypes.CDLL(None)
_C.mmap.restype = ctypes.c_void_p
_C.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
_C.mincore.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
_C.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
_FAILED = ctypes.c_void_p(-1).value


def pruned(directory: str, keep: int, pinned: t.Sequence[str], tools: Tools, check: bool) -> Outcome:
    """Remove images of ours, but for those that were used last, are pinned, or have containers."""
    if not check:
        Bench(tools, identity(directory)).tidy()
    there = tools.images()
    fates = prune.plan(_stored(there, directory, tools, check), keep, pinned)
    going = sorted((fate.stored for fate in fates if not fate.reason), key=lambda one: len(one.below), reverse=True)
    stuck = {} if check else _removed(going, tools)
    gone = [one for one in going if one.id not in stuck]
    staying = {one.id for one in there} - {one.id for one in gone}
    left = _left(directory, staying)
    actions = [f"remove the image {_name(one)}" for one in gone] + [f"remove {path}" for path in left]
    if not check:
        for path in left:
            os.unlink(path)
        forget_others(directory, staying)
    unknown = prune.unknown(pinned, ((one.id, one.labels.get(labels.KEY, ""), *one.names) for one in there))
    kept = _kept(fates) | {_name(one): stuck[one.id] for one in going if one.id in stuck}
    values = {"removed": [_name(one) for one in gone], "kept": kept, "unknown_pins": list(unknown)}
    return Outcome(tuple(actions), values=values)


def _removed(going: t.Iterable[Stored], tools: Tools) -> dict[str, str]:
    """Remove images; id of one that does not go to why, for it keeps none of the others."""
    return {one.id: why for one, why in ((one, _remove(one, tools)) for one in going) if why}


def _remove(one: Stored, tools: Tools) -> str:
    try:
        tools.run(_name(one), "podman", "rmi", *(one.names or (one.id,)))
    except FleetError as error:
        return f"podman does not remove it: {error.what}"
    return ""


def _stored(there: t.Iterable[engines.Stored], directory: str, tools: Tools, check: bool) -> list[Stored]:
    """Images of ours: with their own tag, or brought by us. Those that have containers are in use now."""
    busy, found = tools.in_use(), []
    for one in there:
        told = labels.told(one.labels)
        if not told or not (plan.own_tag(one.labels) in one.names or brought(directory, one.id)):
            continue
        if one.id in busy and not check:
            use(directory, one.id)
        found.append(Stored(one.id, one.names, told.key, told.below, used(directory, one.id), one.id in busy))
    return found


def _left(directory: str, there: t.Collection[str]) -> list[str]:
    """Archives of images of ours that the store has no more, with their notes; and what an export left half-done."""
    folder, found = os.path.join(directory, ARCHIVES), []
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        path = os.path.join(folder, name)
        if name.endswith(f".tar{PART}"):
            found.append(path)
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
            if name.endswith(".tar.json"):
                with open(path, encoding="utf-8") as stream:
                    said = json.load(stream)
                if labels.told(said["labels"]) and said["id"] not in there:
                    found += [one for one in (path[: -len(".json")], path) if os.path.exists(one)]
    return found


def _kept(fates: t.Iterable[Fate]) -> dict[str, str]:
    return {_name(fate.stored): fate.reason for fate in fates if fate.reason}


def _name(one: Stored) -> str:
    return one.names[0] if one.names else one.id[:12]


def prewarmed(directory: str, images: t.Sequence[str], tools: Tools, check: bool) -> Outcome:
    """Have the files of images in memory, so that a container of them does not wait for the disk."""
    actions, told = [], []
    for name in images:
        ident = named(name, tools).id
        root = tools.run(name, "podman", "image", "mount", ident).strip()
        try:
            size, cold = _measured(root)
            state = warmth.state(size, cold, _available())
            if state == warmth.COLD:
                actions.append(f"read {cold} bytes of {name} into memory")
                if not check:
                    _read(root)
                    state = warmth.WARMED
        finally:
            tools.tried("podman", "image", "unmount", ident)
        if not check:
            use(directory, ident)
        told.append({"name": name, "id": ident, "bytes": size, "cold_bytes": cold, "state": state})
    return Outcome(tuple(actions), values={"images": told})


def _measured(root: str) -> tuple[int, int]:
    """Bytes of all files, and those that are not in memory: the kernel is asked which it has."""
    size = cold = 0
    for path, length in _files(root):
        size += length
        cold += length - _in_memory(path, length)
    return size, cold


def _in_memory(path: str, length: int) -> int:
    """Bytes of a file that the page cache has; 0 where the kernel does not tell. source: mincore(2)"""
    pages = (ctypes.c_ubyte * -(-length // mmap.PAGESIZE))()
    with contextlib.suppress(OSError), _opened(path) as handle:
        where = _C.mmap(None, length, mmap.PROT_READ, mmap.MAP_SHARED, handle, 0)
        if where != _FAILED:
            told = _C.mincore(where, length, pages) == 0
            _C.munmap(where, length)
            return min(length, sum(page & 1 for page in pages) * mmap.PAGESIZE) if told else 0
    return 0


def _read(root: str) -> None:
    for path, _length in _files(root):
        with contextlib.suppress(OSError), _opened(path) as handle:
            while os.read(handle, _PIECE):
                pass


@contextlib.contextmanager
def _opened(path: str) -> t.Iterator[int]:
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        yield handle
    finally:
        os.close(handle)


def _files(root: str) -> t.Iterator[tuple[str, int]]:
    """Files of a tree, each once."""
    met: set[tuple[int, int]] = set()
    for folder, _folders, names in os.walk(root):
        for name in names:
            path = os.path.join(folder, name)
            info = os.lstat(path)
            if stat.S_ISREG(info.st_mode) and info.st_size and (info.st_dev, info.st_ino) not in met:
                met.add((info.st_dev, info.st_ino))
                yield path, info.st_size


def _available() -> int:
    """Bytes of memory that are to be had. source: proc(5), MemAvailable"""
    with open(_MEMORY, encoding="ascii") as stream:
        return next((int(line.split()[1]) * 1024 for line in stream if line.startswith("MemAvailable:")), 0)
