# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where things lie, who owns them, and names made from content."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import sys
import typing as t
from pathlib import Path

from .errors import SimError

ROOT = Path(__file__).resolve().parents[4]
SIMULATOR = ROOT / "tests" / "simulator"
LOCAL = ROOT / ".cache" / "sim"


def cache() -> Path:
    """The folder for what is dear to make. It lies outside the tree, so that fresh checkouts share it."""
    folder = Path(os.environ.get("INSTINCT_CACHE") or "/var/cache/instinct-fleet")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def digest(*parts: Path | str) -> str:
    """Twelve hex digits from texts and files: a folder counts with names, execute bits and contents of all in it."""
    total = hashlib.sha256()
    for part in parts:
        if isinstance(part, str):
            total.update(b"text\0" + part.encode() + b"\0")
            continue
        inside = (p for p in part.rglob("*") if p.is_file() and "__pycache__" not in p.parts)
        for file in [part] if part.is_file() else sorted(inside):
            name = file.name if file == part else str(file.relative_to(part))
            total.update(f"{name}\0{os.access(file, os.X_OK)}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
    return total.hexdigest()[:12]


@contextlib.contextmanager
def lock(name: str, shared: bool = False) -> t.Iterator[None]:
    """Keep others waiting that build the same thing. ``shared``: keep only those waiting who want it for themselves."""
    with open(cache() / f"{name}.lock", "w", encoding="utf-8") as handle:
        fcntl.flock(handle, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
        yield


def hand_over(path: Path) -> None:
    """Give a file or a folder, and the folders that it lies in, to the person behind sudo, who owns the tree."""
    user, group = os.environ.get("SUDO_UID"), os.environ.get("SUDO_GID")
    if os.geteuid() != 0 or not user or not group:
        return
    inside = path.rglob("*") if path.is_dir() and not path.is_symlink() else ()
    around = [folder for folder in path.parents if ROOT in folder.parents]
    for item in (path, *inside, *around):
        os.chown(item, int(user), int(group), follow_symlinks=False)


def become_root() -> None:
    """Start this very command again under sudo, unless root runs it already.

    Raises:
        SimError: there is no sudo.
    """
    if os.geteuid() == 0:
        return
    sudo = shutil.which("sudo")
    if not sudo:
        raise SimError("simulated nodes need root, and there is no sudo; run this as root")
    keep = [f"{name}={os.environ[name]}" for name in ("INSTINCT_CACHE", "NO_COLOR") if name in os.environ]
    os.execv(sudo, [sudo, *keep, sys.executable, *sys.argv])
