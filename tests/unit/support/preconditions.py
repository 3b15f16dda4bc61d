# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A host that gives its GPUs all they need, and what the preconditions say of it once something is changed."""

from __future__ import annotations

import dataclasses as dc
import functools
import typing as t

import yaml

from ansible_collections.instinct.fleet.plugins.module_utils._core.findings import Check
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.gpus import Link
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.health import GpuHealth, Health
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.host import Clock, Host, Limits, PciDevice
from ansible_collections.instinct.fleet.plugins.module_utils._core.preconditions.judge import check
from ansible_collections.instinct.fleet.plugins.module_utils._core.preconditions.view import Known

from .catalogue import own
from .project import ROOT

DATA = ROOT / "roles/gpu_health/files/diagnosis"
KERNEL = "6.8.0-41-generic"
NEXT = "6.8.0-44-generic"
GPU, PORT, SWITCH, ROOT_PORT = "0000:c5:00.0", "0000:c4:00.0", "0000:c3:00.0", "0000:c0:01.1"
FULL = Link(16, 16, 32000, 32000)
GIB = 1 << 30
DRIVER = "6.16.13-2278356.24.04"
KNOWN = Known(skew_seconds=0.4, products=own().products, windows=own().windows)


@functools.cache
def documents() -> tuple[dict[str, t.Any], ...]:
    """Our own file, as it is read on the controller."""
    path = DATA / "preconditions.yml"
    return ({"path": "preconditions.yml", "data": yaml.safe_load(path.read_text(encoding="utf-8")), "layer": 0},)


def on_disk(kernel: str, kind: str = "dkms", signer: str | None = None) -> lk.OnDisk:
    """amdgpu as modprobe would load it."""
    return lk.OnDisk(kernel, f"/lib/modules/{kernel}/{kind}/amdgpu.ko", kind, "6.16.13" if kind == "dkms" else None, "A", signer)


def package(name: str, version: str = "1", state: str = "installed") -> lk.Package:
    """One package."""
    return lk.Package(name, version, "amd64", state)


def built(kernel: str, state: str = "installed") -> lk.DkmsModule:
    """One line of dkms status."""
    return lk.DkmsModule("amdgpu", DRIVER, kernel, "x86_64", state)


GOOD = lk.Look(
    os=lk.Os(id="ubuntu", version_id="24.04", virtualization="none", root=True),
    kernel=lk.Kernel(running=KERNEL, next_boot=KERNEL, cmdline="root=/dev/sda1 ro iommu=pt pci=realloc=off", secure_boot=False,
                     installed=(lk.InstalledKernel(KERNEL, headers=True, modules=True),)),
    packages=lk.Packages("apt", (
        package("amdgpu-dkms", "1:6.16.13.30300000-2278356.24.04"), package("rocm-core", "7.2.0.70200-43~24.04"),
        package("rocminfo", "1.0.0.70200-43~24.04"), package(f"linux-modules-extra-{KERNEL}"), package(f"linux-image-{KERNEL}")),
        interrupted=False),
    repositories=lk.Repositories(
        sources=(lk.Source("/etc/apt/sources.list.d/rocm.list", ("deb",), ("https://repo.radeon.com/rocm/apt/7.2",), ("noble",),
                           ("main",), ("amd64",), None, False, True),),
        preferences=(lk.Preference("/etc/apt/preferences.d/rocm", "*", "release o=repo.radeon.com", 600),),
        unattended_upgrades=False),
    dkms=lk.Dkms(True, (built(KERNEL),)),
    driver=lk.Driver(True, "live", "6.16.13", "A", (on_disk(KERNEL),), True, parameters={"runpm": "-1"}),
    boot=lk.Boot("initramfs-tools", (lk.Initramfs(KERNEL, f"/boot/initrd.img-{KERNEL}", 200, 100),), 100, "none", key_name="DKMS",
                 key_enrolled=None),
    rocm=lk.Rocm((lk.RocmPrefix("/opt/rocm-7.2.0", "7.2.0"),), "/opt/rocm-7.2.0"),
    smi=lk.Smi("amdsmi", "/opt/rocm/amdsmi", "26.2.1", "/opt/rocm/lib/libamd_smi.so", "26.2.1", False),
    gpus=lk.Gpus((lk.Gpu(0, GPU, "74a1", "MI300X", vram_bytes=192 * GIB, compute_partition="SPX",
                         partitions=(lk.Partition(0, "/dev/dri/renderD128"),), driver="amdgpu"),)),
    devices=lk.Devices((lk.DeviceNode("/dev/kfd", "kfd", "root", "render", 992, "0660"),
                        lk.DeviceNode("/dev/dri/renderD128", "render", "root", "render", 992, "0660", GPU),
                        lk.DeviceNode("/dev/dri/card1", "card", "root", "video", 44, "0660", GPU)), {"render": 992}),
    files=lk.Files((lk.ManagedFile("/var/lib/instinct/release.json", "x", text='{"gpus": 1}'),)),
    host=Host(
        iommu_groups=80, iommu_types=("identity",), cpus=192, memory_bytes=1024 * GIB, numa_balancing=0,
        transparent_hugepages="madvise", hugepages_bytes=16 * GIB,
        devices=(PciDevice(GPU, "1002", "74a1", "gpu", PORT, FULL, (256 * GIB, 2 << 20), atomics=0x180, atomics_requested=True),
                 PciDevice(PORT, "1000", "c030", "bridge", SWITCH, FULL, acs=0, atomics=0x40),
                 PciDevice(SWITCH, "1000", "c030", "bridge", ROOT_PORT, FULL, atomics=0x40),
                 PciDevice(ROOT_PORT, "1022", "14ab", "root_port", None, FULL, acs=0, atomics=0x1C0)),
        sysctls={"vm.compaction_proactiveness": 20, "vm.compact_unevictable_allowed": 1},
        limits=(Limits("slurmd", 900, -1), Limits("systemd", 1, 8 << 20)), drm_devices={"amdgpu": 2, "ast": 1}, drm_minors=2,
        kernel_config={"CONFIG_PCI_P2PDMA": "y", "CONFIG_DMABUF_MOVE_NOTIFY": "y"}, clock=Clock(0.0, True), lockdown="none"),
    health=Health((GpuHealth(GPU, gfx_activity_percent=0),)),
)


def but(look: lk.Look = GOOD, **sections: t.Mapping[str, t.Any] | None) -> lk.Look:
    """The look with fields of sections changed, or sections that were not looked at."""
    return dc.replace(look, **{
        name: None if changes is None else dc.replace(getattr(look, name), **changes) for name, changes in sections.items()})


def gpu(**changes: t.Any) -> dict[str, t.Any]:
    """A change of section gpus: the GPU is another one."""
    return {"gpus": (dc.replace(GOOD.gpus.gpus[0], **changes),)}


def device(bdf: str, **changes: t.Any) -> dict[str, t.Any]:
    """A change of section host: one device of the PCI tree is another one."""
    return {"devices": tuple(dc.replace(d, **changes) if d.bdf == bdf else d for d in GOOD.host.devices)}


def judged(ident: str, look: lk.Look, profiles: t.Sequence[str] = ("bare_metal",), known: Known = KNOWN) -> list[tuple[str, str]]:
    """Verdict and what was seen, of one precondition; several GPUs give several."""
    return [(c.verdict, c.seen) for c in checks(look, profiles, known) if c.id == ident]


def checks(look: lk.Look, profiles: t.Sequence[str] = ("bare_metal",), known: Known = KNOWN) -> tuple[Check, ...]:
    """All checks by our own file."""
    return check(look, documents(), profiles, known)
