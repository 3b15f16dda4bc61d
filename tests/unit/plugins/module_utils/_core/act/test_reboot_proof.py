# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a node that was rebooted must be."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.act import reboot_proof as core
from ansible_collections.instinct.fleet.plugins.module_utils._core.act.reboot_proof import Expected
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Driver, Kernel, OnDisk

OLD, NEW = "6.1.0-56-amd64", "6.1.0-57-amd64"
PATH = f"/lib/modules/{NEW}/updates/dkms/amdgpu.ko"
SEEN = Kernel(running=NEW, boot_id="after")
DRIVER = Driver(loaded=True, initstate="live", version="6.16.13", srcversion="ABC",
                on_disk=(OnDisk(OLD, "x", "in_tree", None, None), OnDisk(NEW, PATH, "dkms", "6.16.13", "ABC")))
WANTED = Expected("before", NEW, "dkms", "6.16.13")


def test_what_is_asked_for_is_read_from_options() -> None:
    given = {"boot_id": "before", "kind": "dkms", "version": None, "gpus": 8, "wait": 300}
    assert Expected.of(NEW, given) == Expected("before", NEW, "dkms", "")


BOOTS = [
    ("the boot before", dc.replace(SEEN, boot_id="before"),
     "reboot: did not happen: this is still the boot before; look for what holds the shutdown: systemctl list-jobs"),
    ("the old kernel", dc.replace(SEEN, running=OLD),
     f"kernel {NEW}: did not come up: the node came back by itself with {OLD}; read how far it got on the console, or with "
     "journalctl -b -1; repeat when it can boot"),
    ("no boot id", dc.replace(SEEN, boot_id=None, unknown={"boot_id": "needs root"}),
     "reboot: whether it happened is unknown: needs root; look at /proc"),
    ("no release", dc.replace(SEEN, running=None), "reboot: whether it happened is unknown: the look has no running; look at /proc"),
]


@pytest.mark.parametrize(("kernel", "sentence"), [c[1:] for c in BOOTS], ids=[c[0] for c in BOOTS])
def test_another_boot_is_refused(kernel: Kernel, sentence: str) -> None:
    core.refuse_boot(SEEN, WANTED)
    with pytest.raises(FleetError) as refused:
        core.refuse_boot(kernel, WANTED)
    assert refused.value.sentence == sentence


STALE = "the initramfs may hold another one: make it anew and reboot"
MODULES = [
    ("no module for the kernel", dc.replace(DRIVER, on_disk=DRIVER.on_disk[:1]), WANTED,
     f"amdgpu for kernel {NEW}: is not there; build the driver for this kernel"),
    ("the kernel's own on disk", dc.replace(DRIVER, on_disk=(OnDisk(NEW, "/lib/x.ko", "in_tree", None, None),)), WANTED,
     "/lib/x.ko: modprobe would load the in-tree module, wanted is the DKMS one; build the driver for this kernel first"),
    ("another version on disk", DRIVER, dc.replace(WANTED, version="6.16.14"),
     f"{PATH}: version is 6.16.13, wanted is 6.16.14; build the driver anew"),
    ("the loaded one is another build of the same version", dc.replace(DRIVER, srcversion="DEF"), WANTED,
     f"amdgpu: loaded is 6.16.13 (srcversion DEF), on disk is 6.16.13 (srcversion ABC); {STALE}"),
    ("the loaded one is the kernel's own", dc.replace(DRIVER, version=None, srcversion="DEF"), WANTED,
     f"amdgpu: loaded is no version (srcversion DEF), on disk is 6.16.13 (srcversion ABC); {STALE}"),
    ("nothing to compare", dc.replace(DRIVER, srcversion=None), WANTED,
     "amdgpu: whether the loaded module is the one on disk is unknown: no srcversion; look at /sys/module/amdgpu/srcversion and "
     "at modinfo"),
    ("nothing loaded", dc.replace(DRIVER, loaded=False), WANTED,
     f"amdgpu: was not loaded by the boot of {NEW}; read the kernel log for its reason (journalctl -k -g amdgpu)"),
]


@pytest.mark.parametrize(("driver", "expected", "sentence"), [c[1:] for c in MODULES], ids=[c[0] for c in MODULES])
def test_another_driver_is_refused(driver: Driver, expected: Expected, sentence: str) -> None:
    core.refuse_module(SEEN, DRIVER, WANTED, 8)
    with pytest.raises(FleetError) as refused:
        core.refuse_module(SEEN, driver, expected, 8)
    assert refused.value.sentence == sentence


IN_TREE = Driver(loaded=True, initstate="live", on_disk=(OnDisk(NEW, "/lib/x.ko", "in_tree", None, None),))
FINE = [
    ("nobody asks", Driver(), dc.replace(WANTED, kind=""), 8),
    ("no GPU and no driver", dc.replace(DRIVER, loaded=False), WANTED, 0),
    ("a site that loads it later", dc.replace(DRIVER, loaded=False, blacklisted_by=("/etc/modprobe.d/x.conf: blacklist amdgpu",)),
     WANTED, 8),
    ("any version", DRIVER, dc.replace(WANTED, version=""), 8),
    ("the kernel's own, which has no version", IN_TREE, Expected("before", NEW, "in_tree"), 8),
]


@pytest.mark.parametrize(("driver", "expected", "gpus"), [c[1:] for c in FINE], ids=[c[0] for c in FINE])
def test_nothing_else_is_asked_for(driver: Driver, expected: Expected, gpus: int) -> None:
    core.refuse_module(SEEN, driver, expected, gpus)


@pytest.mark.parametrize(("driver", "waits"), [
    (DRIVER, False), (dc.replace(DRIVER, initstate="coming"), True), (dc.replace(DRIVER, loaded=False), True), (Driver(), True),
])
def test_a_driver_on_its_way_is_waited_for(driver: Driver, waits: bool) -> None:
    assert core.waits(driver) is waits
