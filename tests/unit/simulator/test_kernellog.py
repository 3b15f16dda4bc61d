# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The kernel's log of a simulated node: its stamps, its records in /dev, and what it says of faults."""

from __future__ import annotations

import os
import re
import stat
import time
import typing as t
from pathlib import Path

import pytest
from instinct_sim import faults, kernellog
from instinct_sim.machine import gpus
from instinct_sim.product import new_state

if t.TYPE_CHECKING:
    from instinct_sim.state import Store

    NewNode = t.Callable[..., Store]

BOOTED = {"node.kernel": "6.1.0-1-amd64", "node.cmdline": "ro quiet", "node.booted": "0"}


@pytest.fixture
def store(new_node: NewNode, tmp_path: Path) -> Store:
    """A node that was booted a minute ago, with a /dev of its own."""
    made = new_node(gpus=2)
    with made.change() as state:
        state.update({**BOOTED, "node.booted": str(time.time() - 60), "node.dev": str(tmp_path / "dev")})
    kernellog.begin(made)
    return made


def stamps(store: Store) -> list[float]:
    """Seconds of all lines."""
    lines = store.beside(".kernel.log").read_text(encoding="utf-8").splitlines()
    return [float(match[1]) for match in (re.match(r"\[ *(\d+\.\d{6})\] ", line) for line in lines) if match]


def test_stamps_rise_from_the_start_of_the_boot_to_now(store: Store) -> None:
    kernellog.add(store, "later")
    seen = stamps(store)
    assert seen == sorted(seen)
    assert (seen[0], seen[-2] < 1, 59 < seen[-1] < 90) == (0.0, True, True)


def test_records_of_the_device(store: Store, tmp_path: Path) -> None:
    kernellog.add(store, "amdgpu 0000:05:00.0: amdgpu: [gfxhub0] no-retry page fault", "done")
    device = tmp_path / "dev" / "kmsg"
    records = device.read_text(encoding="utf-8").splitlines()
    assert records[0].startswith("6,0,0,-;Linux version 6.1.0-1-amd64 ")
    fault = next(number for number, record in enumerate(records) if "page fault" in record)
    assert re.match(r"3,\d+,[56]\d{7},-;amdgpu 0000:05", records[fault])
    assert records[fault + 1 : fault + 3] == [" SUBSYSTEM=pci", " DEVICE=+pci:0000:05:00.0"]
    assert records[-1].endswith(",-;done")
    assert stat.S_IMODE(device.stat().st_mode) == 0o600


def test_a_real_device_is_left_alone(store: Store, tmp_path: Path) -> None:
    (tmp_path / "dev" / "kmsg").unlink()
    os.symlink("/dev/null", tmp_path / "dev" / "kmsg")
    kernellog.add(store, "later")
    assert os.readlink(tmp_path / "dev" / "kmsg") == "/dev/null"


def test_a_new_boot_forgets_the_old_one(store: Store) -> None:
    kernellog.add(store, "old")
    kernellog.begin(store)
    assert "old" not in store.beside(".kernel.log").read_text(encoding="utf-8")
    assert stamps(store)[0] == 0.0


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "ecc_uncorrectable",
            "amdgpu 0000:26:00.0: amdgpu: socket: 1, die: 0, 1 new uncorrectable hardware errors detected in umc block",
        ),
        ("ecc_correctable", "12 correctable hardware errors detected in total in umc block"),
        ("page_fault", "for process python3 pid 4711 thread python3 pid 4711)"),
        ("ring_timeout", "GPU reset(1) succeeded!"),
        ("reset_failed", "GPU reset end with ret = -62"),
        ("pcie_bad_tlp", "[ 6] BadTLP"),
        ("gpu_lost", "pcieport 0000:23:01.1: "),
        ("hot", ""),
    ],
)
def test_what_is_said_of_a_fault(name: str, words: str) -> None:
    said = kernellog.of_fault(name, *faults.inject(new_state("mi300x", 2), name, {"gpu": "1"}))
    assert (words in "\n".join(said), bool(said)) == (True, bool(words))
    assert "{" not in "".join(said)


@pytest.mark.parametrize("name", sorted({*kernellog.SAID, *kernellog.PROBE}))
def test_only_faults_are_spoken_of(name: str) -> None:
    assert name in faults.FAULTS


def test_a_bar_without_a_place(new_node: NewNode) -> None:
    state = {**new_state("mi300x", 1), **BOOTED, "fault.probe_enomem.gpus": "0"}
    assert "pci 0000:05:00.0: BAR 0: failed to assign [mem size 0x0000004000000000 64bit pref]" in kernellog._boot(
        state
    )
    assert kernellog.of_probe("probe_enomem", gpus(state)[0])[0].endswith(
        "BAR 0: no space for [mem size 0x0000004000000000 64bit pref]"
    )
    assert kernellog.of_probe("", gpus(state)[0]) == []
