# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes /sys and /dev agree with the state: writes what differs, removes what is no longer."""

from __future__ import annotations

import grp
import json
import os
import stat
import typing as t
from pathlib import Path

from . import tree
from .state import State, Store


def sync(store: Store) -> None:
    """Bring the folders that the state names in step with it. Whoever comes last has seen the newest state."""
    with store.locked(".tree.lock"):
        state = store.read()
        if state.get("node.sysfs"):
            _sysfs(Path(state["node.sysfs"]), tree.render(state), store.beside(".tree"))
        if state.get("node.dev"):
            _devices(Path(state["node.dev"]), state)


def _sysfs(root: Path, wanted: tree.Tree, record: Path) -> None:
    """Files and links, and the record of what is ours there."""
    ours: dict[str, list[str]] = (
        json.loads(record.read_text(encoding="utf-8")) if record.exists() else {"paths": [], "folders": []}
    )
    files = {path: entry for path, entry in wanted.items() if not isinstance(entry, tree.Folder)}
    kept = set(wanted) - set(files)
    for path in set(ours["paths"]) - set(files):
        if os.path.lexists(root / path):
            os.unlink(root / path)
    folders = set(ours["folders"])
    root.mkdir(parents=True, exist_ok=True)
    top, needed = f"{root}/", kept | {os.path.dirname(path) for path in files}
    for path in needed:
        _make(top, path, folders)
    for path, entry in files.items():
        _put(top + path, entry)
    for folder in sorted(folders - kept, key=len, reverse=True):
        if folder in needed:
            continue
        if not os.path.isdir(root / folder) or not os.listdir(root / folder):
            folders.discard(folder)
            if os.path.isdir(root / folder):
                os.rmdir(root / folder)
    record.write_text(json.dumps({"paths": sorted(files), "folders": sorted(folders)}), encoding="utf-8")


def _make(top: str, folder: str, made: set[str]) -> None:
    """A folder and those above it."""
    if folder and not os.path.isdir(top + folder):
        _make(top, os.path.dirname(folder), made)
        os.mkdir(top + folder)
        made.add(folder)


def _put(path: str, entry: tree.Entry) -> None:
    """One file or link, if it is not so already. There are hundreds, and a Path for each is dearer than the calls."""
    if isinstance(entry, tree.Link):
        if not (os.path.islink(path) and os.readlink(path) == entry.target):
            if os.path.lexists(path):
                os.unlink(path)
            os.symlink(entry.target, path)
        return
    wanted = entry.text.encode("latin-1")
    try:
        with open(path, "rb", buffering=0) as file:
            same = file.read() == wanted
    except FileNotFoundError:
        same = False
    if not same:
        with open(path, "wb", buffering=0) as file:
            file.write(wanted)
        os.chmod(path, entry.mode)


def _group(name: str) -> int:
    try:
        return grp.getgrnam(name).gr_gid
    except KeyError:
        return 0


def _devices(root: Path, state: State) -> None:
    """Device nodes and links. A node that is there already keeps its owner and mode, as udev would leave them."""
    nodes, links = tree.device_nodes(state), tree.device_links(state)
    (root / "dri" / "by-path").mkdir(parents=True, exist_ok=True)
    for path in _there(root):
        if path not in nodes and path not in links:
            os.unlink(root / path)
    for path, (major, minor, group) in nodes.items():
        if not os.path.lexists(root / path):
            (root / path).parent.mkdir(exist_ok=True)
            os.mknod(root / path, stat.S_IFCHR | 0o660, os.makedev(major, minor))
            os.chmod(root / path, 0o660)
            os.chown(root / path, 0, _group(group))
    for path, target in links.items():
        if not os.path.lexists(root / path):
            os.symlink(target, root / path)


def _there(root: Path) -> t.Iterator[str]:
    """What of ours could be in /dev."""
    yield from (
        str(path.relative_to(root))
        for path in [
            *root.glob("kfd"),
            *root.glob("dri/card*"),
            *root.glob("dri/renderD*"),
            *root.glob("dri/by-path/*"),
            *root.glob("infiniband/uverbs*"),
        ]
    )
