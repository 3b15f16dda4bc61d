# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which module is which: what modinfo says, what is loaded, what to do."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.act.module_proof import (
    Loaded,
    OnDisk,
    Wanted,
    line,
    next_step,
    parse_on_disk,
    refuse_busy,
    refuse_missing,
    refuse_other,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError

KERNEL = "6.12.117+deb12-amd64"
ROOT = f"/lib/modules/{KERNEL}"
KINDS = {
    "Debian's DKMS": ("updates/dkms/amdgpu.ko.xz", [], "dkms"),
    "the kernel's own": ("kernel/drivers/gpu/drm/amd/amdgpu/amdgpu.ko.xz", [], "in_tree"),
    "DKMS elsewhere": ("extra/amdgpu.ko", [f"kernel-{KERNEL}-x86_64"], "dkms"),
    "somebody else's": ("extra/amdgpu.ko", [], "other"),
}


@pytest.mark.parametrize(("path", "links", "kind"), KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("root", [ROOT, "/usr" + ROOT])
def test_parse_on_disk(root: str, path: str, links: list[str], kind: str) -> None:
    text = f"filename:       {root}/{path}\nversion:        6.14.14\nsrcversion:     AAAA\nalias:          pci:v1\n"
    assert parse_on_disk(text, KERNEL, links) == OnDisk(f"{root}/{path}", kind, "6.14.14", "AAAA")


@pytest.mark.parametrize(("text", "what"), [
    ("", "is not there"), ("name:           amdgpu\nfilename:       (builtin)\n", "is not there as a module")])
def test_parse_on_disk_refuses_what_is_no_module(text: str, what: str) -> None:
    with pytest.raises(FleetError) as refused:
        parse_on_disk(text, KERNEL, [])
    assert refused.value.sentence == f"amdgpu for kernel {KERNEL}: {what}; install the driver for this kernel first"


DISK = OnDisk(f"{ROOT}/updates/dkms/amdgpu.ko", "dkms", "6.14.14", "AAAA")
WANTED = Wanted("loaded", "dkms", 8)
SAME, STALE = Loaded("live", "6.14.14", "AAAA"), Loaded("live", "6.14.14", "BBBB")
STEPS = {
    "nothing loaded": (None, "loaded", "load"),
    "nothing loaded, reload asked for": (None, "reloaded", "load"),
    "the right one": (SAME, "loaded", ""),
    "the right one, reload asked for": (SAME, "reloaded", "reload"),
    "another one, reload asked for": (STALE, "reloaded", "reload"),
}


@pytest.mark.parametrize(("loaded", "state", "step"), STEPS.values(), ids=STEPS)
def test_next_step(loaded: Loaded | None, state: str, step: str) -> None:
    assert next_step(DISK, loaded, Wanted(state, "dkms", 8)) == step


def test_same_version_from_other_source_is_another_module() -> None:
    with pytest.raises(FleetError, match=r"^amdgpu: loaded is 6.14.14 \(srcversion BBBB\), on disk is .* AAAA"):
        next_step(DISK, STALE, WANTED)


def test_refuse_other_passes_what_is_wanted() -> None:
    refuse_other(DISK, Wanted("loaded", "dkms", 8, "6.14.14", "AAAA"))
    with pytest.raises(FleetError, match="modprobe would load a foreign module, wanted is the DKMS one"):
        refuse_other(OnDisk("/x", "other", "", ""), WANTED)
    with pytest.raises(FleetError, match=r"version is 6.14.14, wanted is 6.16.13; build the driver anew"):
        refuse_other(DISK, Wanted("loaded", "dkms", 8, "6.16.13"))


def test_busy() -> None:
    refuse_busy({})
    with pytest.raises(FleetError) as error:
        refuse_busy({20: "b", 3: "a"})
    assert error.value.sentence == "amdgpu: cannot be reloaded: 2 processes hold GPUs (3 a, 20 b); drain the node first"


def test_more_gpus_than_wanted_are_as_wrong_as_fewer() -> None:
    refuse_missing(8, 8, ["ignored"], 1)
    with pytest.raises(FleetError, match=r"^amdgpu: KFD shows 9 of 8 GPUs after 2 s; read the kernel log"):
        refuse_missing(8, 9, [], 2.4)


@pytest.mark.parametrize(
    ("module", "text"),
    [
        (None, ""),
        (SAME, "amdgpu 6.14.14 (srcversion AAAA)\n"),
        (Loaded("live", "", ""), "amdgpu no version (srcversion unknown)\n"),
    ],
)
def test_line(module: Loaded | None, text: str) -> None:
    assert line(module) == text
