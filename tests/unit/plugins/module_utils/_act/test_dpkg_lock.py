# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Waiting for others that work on packages."""

from __future__ import annotations

import subprocess
import sys
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act import dpkg_lock
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError

HOLD = "import fcntl, sys; f = open(sys.argv[1], 'w'); fcntl.lockf(f, fcntl.LOCK_EX); print('held', flush=True); input()"


@pytest.fixture(name="lock")
def _lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "lock-frontend"
    monkeypatch.setattr(dpkg_lock, "LOCK", str(path))
    monkeypatch.setattr(dpkg_lock, "_PAUSE", 0.01)
    return path


@pytest.fixture(name="other")
def _other(lock: Path) -> t.Iterator[subprocess.Popen[bytes]]:
    """Another process that works on packages until it is told to end."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == b"held\n"
        yield process
        process.kill()


def test_a_node_without_dpkg_has_nobody_to_wait_for(lock: Path) -> None:
    dpkg_lock.await_packages(0)
    assert not lock.exists()


def test_a_lock_that_nobody_holds_is_free(lock: Path) -> None:
    lock.touch()
    dpkg_lock.await_packages(0)


def test_who_holds_it_is_named(other: subprocess.Popen[bytes], lock: Path) -> None:
    with pytest.raises(FleetError) as refusal:
        dpkg_lock.await_packages(0.05)
    name = Path(f"/proc/{other.pid}/comm").read_text(encoding="utf-8").strip()
    assert refusal.value.sentence == (
        f"{lock}: process {other.pid} ({name}) works on packages (waited 0 s); "
        "wait for it to end, then run again; nothing was changed"
    )


def test_a_process_that_is_gone_has_no_name() -> None:
    assert dpkg_lock._named(None) == "process None"


def test_it_waits_until_the_other_ends(other: subprocess.Popen[bytes]) -> None:
    other.communicate(b"\n")
    dpkg_lock.await_packages(5)
