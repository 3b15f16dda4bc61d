# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What apt says of sizes, and what comes of it on file systems."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.act.room import (
    MIB,
    Need,
    Place,
    Room,
    Size,
    judged,
    of_packages,
    parse_coming,
    parse_installed,
    parse_places,
    parse_sizes,
    untold,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError

SIMULATED = """\
Reading package lists...
Remv rocm-smi [5.2] (5.2.3)
Inst rocm-core [6.4.2.60402-120~24.04] (7.2.3.70203-90~24.04 repo.radeon.com:noble [amd64])
Inst amdgpu-dkms (1:6.16.13.30300300-2327507.24.04 repo.radeon.com:noble [all]) []
Inst libc6:i386 (2.39-0ubuntu8 Ubuntu:24.04/noble [i386])
Conf rocm-core (7.2.3.70203-90~24.04 repo.radeon.com:noble [amd64])
"""
COMING = (("rocm-core", "7.2.3.70203-90~24.04"), ("amdgpu-dkms", "1:6.16.13.30300300-2327507.24.04"), ("libc6", "2.39-0ubuntu8"))
SHOWN = """\
Package: rocm-core
Version: 7.2.3.70203-90~24.04
Installed-Size: 2048
Size: 1000
Description: a
 Size: 7

Package: amdgpu-dkms
Version: 1:6.16.13.30300300-2327507.24.04
Size: 9000

Package: broken
Version: 1
Size: many
"""
SIZES = {COMING[0]: Size(1000, 2 * MIB), COMING[1]: Size(9000, None)}
OPT = (Place("rocm", "/opt"),)


def test_what_apt_would_install() -> None:
    assert parse_coming(SIMULATED) == COMING


def test_sizes_of_versions() -> None:
    assert parse_sizes(SHOWN) == SIZES
    assert untold(COMING, SIZES) == 2


def test_sizes_of_what_is_installed() -> None:
    assert parse_installed("rocm-core 1024\nvirtual\nodd x\n") == {"rocm-core": MIB}


def test_places() -> None:
    assert parse_places([{"pattern": "rocm", "directory": "/opt"}]) == OPT
    with pytest.raises(DataError, match=r"places: '\(' is no regular expression"):
        parse_places([{"pattern": "(", "directory": "/opt"}])


ARCHIVES = Need("/var/cache/apt/archives", 10000, "their archives")


@pytest.mark.parametrize(("now", "opt"), [
    ({}, 2 * MIB),  # all of it is new
    ({"rocm-core": MIB}, 2 * MIB),  # grows by one, and the old one is there meanwhile
    ({"rocm-core": 3 * MIB}, 2 * MIB),  # shrinks, and the new one is there meanwhile
    ({"rocm-core": 2 * MIB}, 2 * MIB),
])
def test_packages_need_room_for_old_and_new(now: dict[str, int], opt: int) -> None:
    assert of_packages(COMING, SIZES, now, OPT) == (
        Need("/opt", opt, "packages"), Need("/usr", 0, "packages"), ARCHIVES)


def test_two_packages_that_are_replaced_are_not_there_twice_at_once() -> None:
    coming = (("a", "2"), ("b", "2"))
    sizes = dict.fromkeys(coming, Size(0, 10 * MIB))
    assert of_packages(coming, sizes, {"a": 10 * MIB, "b": 9 * MIB}, ()) == (Need("/usr", 11 * MIB, "packages"),)


def test_nothing_needs_nothing() -> None:
    assert of_packages((), {}, {}, OPT) == ()


ROOT = Room("/usr", 1, "/", 1000 * MIB)
OPT_TOO = Room("/opt", 1, "/", 1000 * MIB)
BOOT = Room("/boot", 2, "/boot", 100 * MIB)


@pytest.mark.parametrize(("needs", "verdict", "words"), [
    ([Need.of("/usr", 900, "packages", False), Need.of("/boot", 36, "1 initramfs image", False)], "ok",
     ("/ has 1000 MiB free", "/boot has 100 MiB free")),
    ([Need.of("/usr", 500, "packages", False), Need.of("/opt", 437, "ROCm", False)], "refused",
     ("/: has 1000 MiB free and needs 1001 MiB (500 MiB for packages, 437 MiB for ROCm, 64 MiB to stay free); "
      "make room there, then run again",)),
    ([Need.of("/boot", 37, "2 initramfs images", False), Need.of("/usr", 5, "x", True)], "refused",
     ("/boot: has 100 MiB free and needs 101 MiB (37 MiB for 2 initramfs images, 64 MiB to stay free); "
      "make room there, then run again",)),
    ([Need.of("/usr", 500, "packages", False), Need.of("/opt", 500, "the build", True)], "unknown",
     ("/: has 1000 MiB free and needs 1064 MiB (500 MiB for packages, 500 MiB for the build (assumed), "
      "64 MiB to stay free); make room there, then run again",)),
])
def test_what_does_not_fit_is_named_and_what_is_assumed_refuses_nothing(
    needs: list[Need], verdict: str, words: tuple[str, ...],
) -> None:
    assert judged(needs, (ROOT, OPT_TOO, BOOT), 64 * MIB) == (verdict, words)


def test_a_file_system_that_cannot_be_written_is_refused() -> None:
    usr = Room("/usr", 3, "/usr", 10**12, read_only=True)
    assert judged([Need.of("/usr", 0, "packages", False)], (usr,), 0) == ("refused", (
        "/usr: is mounted read-only, and packages must be written there; find out why, then run again",))
