# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files whose owners can be changed by anybody, so that tests of root's work need no root."""

from __future__ import annotations

import os
import typing as t

import pytest


class Owners:
    """Keeps the owners of files. A file belongs to root until its owner is changed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._owners: dict[int, tuple[int, int]] = {}
        self._lstat = os.lstat
        monkeypatch.setattr(os, "fchown", lambda handle, uid, gid: self._set(os.fstat(handle).st_ino, uid, gid))
        monkeypatch.setattr(os, "lstat", self.lstat)
        monkeypatch.setattr(os, "geteuid", lambda: 0)
        monkeypatch.setattr(os, "getegid", lambda: 0)

    def _set(self, inode: int, uid: int, gid: int) -> None:
        self._owners[inode] = (uid, gid)

    def change(self, path: t.Any, uid: int, gid: int) -> None:
        """As chown does."""
        self._set(self._lstat(path).st_ino, uid, gid)

    def of(self, path: t.Any) -> tuple[int, int]:
        """User and group of a file."""
        return self._owners.get(self._lstat(path).st_ino, (0, 0))

    def lstat(self, path: t.Any, **options: t.Any) -> os.stat_result:
        """As os.lstat, with these owners."""
        real = self._lstat(path, **options)
        return os.stat_result((*real[:4], *self._owners.get(real.st_ino, (0, 0)), *real[6:10]))
