# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Arguments and options of the kernel, and what goes with the one that boots next."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.tests.unit.support.preconditions import (
    GOOD,
    GPU,
    KERNEL,
    NEXT,
    but,
    device,
    gpu,
    judged,
    package,
)

RDMA, VMS = ("bare_metal", "rdma"), ("passthrough",)
IN_TREE = but(packages={"installed": ()}, dkms={"modules": ()})


def booted(cmdline: str, look: lk.Look = GOOD) -> lk.Look:
    """The look with other kernel arguments."""
    return but(look, kernel={"cmdline": cmdline})


TWO = but(kernel={"next_boot": NEXT, "installed": (lk.InstalledKernel(KERNEL, headers=True), lk.InstalledKernel(NEXT))})
NOTHING = [("pass", "no two arguments contradict each other")]
CASES = [
    ("argument-iommu-pt", "nobody asks", booted("ro"), (), []),
    ("argument-iommu-pt", "missing", booted("ro quiet"), RDMA, [("warn", "the kernel was booted without iommu")]),
    ("argument-iommu-pt", "another value", booted("iommu=off"), RDMA, [("warn", "the kernel was booted with iommu=off")]),
    ("argument-iommu-pt", "in a list", booted("iommu=soft,pt"), RDMA, [("pass", "the kernel was booted with iommu=soft,pt")]),
    ("argument-iommu-pt", "of another name", booted("amd_iommu=pt"), RDMA, [("warn", "the kernel was booted without iommu")]),
    ("argument-iommu-pt", "with amd_iommu=on beside it", booted("ro amd_iommu=on iommu=pt idle=poll"), RDMA, [
        ("pass", "the kernel was booted with iommu=pt")]),
    ("argument-iommu-pt", "of an APU", but(gpus=gpu(product="MI300A")), RDMA, [("warn", "the kernel was booted with iommu=pt")]),
    ("argument-iommu-pt", "no command line", but(kernel={"cmdline": None, "unknown": {"cmdline": "no /proc"}}), RDMA, [
        ("unknown", "kernel.cmdline: no /proc")]),
    ("argument-iommu-pt", "no section", but(kernel=None), RDMA, [("unknown", "section kernel was not looked at")]),
    ("argument-nomodeset", "there", booted("quiet nomodeset"), (), [("fail", "the kernel was booted with nomodeset")]),
    ("argument-nomodeset", "part of another word", booted("xnomodeset nomodesetx"), (), [
        ("pass", "the kernel was booted without nomodeset")]),
    ("pci-realloc", "without, and all placed", booted("ro"), (), [
        ("pass", "no pci=realloc=off, and no GPU has a memory window without an address")]),
    ("pci-realloc", "without, and one not placed", booted("ro pci=noaer", but(host=device(GPU, bars_unplaced=(1,)))), (), [
        ("warn", f"no pci=realloc=off, and {GPU} has a memory window without an address")]),
    ("pci-realloc", "in a list", booted("pci=noaer,realloc=off", but(host=None)), (), [
        ("pass", "the kernel was booted with pci=realloc=off")]),
    ("pci-realloc", "without, and no look at the host", booted("ro", but(host=None)), (), [
        ("unknown", "section host was not looked at")]),
    ("arguments-contradict", "pass-through and off", booted("iommu=pt amd_iommu=off"), (), [
        ("warn", "the kernel was booted with iommu=pt and amd_iommu=off")]),
    ("arguments-contradict", "twice, with opposite values", booted("iommu=pt ro iommu=off"), (), [
        ("warn", "the kernel was booted with iommu=pt and iommu=off")]),
    ("arguments-contradict", "two pairs", booted("iommu=pt,off pci=realloc,realloc=off"), (), [
        ("warn", "the kernel was booted with iommu=pt and iommu=off; pci=realloc=off and pci=realloc")]),
    ("arguments-contradict", "alike, of another name", booted("iommu=pt my_iommu=off"), (), NOTHING),
    ("arguments-contradict", "the same twice", booted("iommu=pt iommu=pt amd_iommu=on"), (), NOTHING),
    ("kernel-p2p", "nobody asks", GOOD, (), []),
    ("kernel-p2p", "one is missing", but(host={"kernel_config": {"CONFIG_PCI_P2PDMA": "y"}}), RDMA, [
        ("warn", "CONFIG_DMABUF_MOVE_NOTIFY is not set")]),
    ("kernel-p2p", "one is off", but(host={"kernel_config": {"CONFIG_PCI_P2PDMA": "n", "CONFIG_DMABUF_MOVE_NOTIFY": "y"}}), RDMA, [
        ("warn", "CONFIG_PCI_P2PDMA is n")]),
    ("kernel-p2p", "the kernel's own driver needs one more", IN_TREE, RDMA, [("warn", "CONFIG_HSA_AMD_P2P is not set")]),
    ("kernel-p2p", "not found", but(host={"kernel_config": {}}), RDMA, [("unknown", "the configuration of the kernel was not found")]),
    ("kernel-p2p", "not read", but(host={"kernel_config": {}, "unknown": {"kernel_config": "damaged"}}), RDMA, [
        ("unknown", "host.kernel_config: damaged")]),
    ("kernel-headers", "missing for the next kernel", TWO, (), [("warn", f"kernel {NEXT} has no headers")]),
    ("kernel-headers", "of the running one, where the boot loader is not known", but(kernel={"next_boot": None}), (), [
        ("pass", f"kernel {KERNEL} has headers")]),
    ("kernel-headers", "a kernel that is not installed", but(kernel={"next_boot": NEXT}), (), [
        ("unknown", f"kernel {NEXT} is not among the installed ones")]),
    ("kernel-headers", "nothing to build", but(IN_TREE, kernel={"installed": (lk.InstalledKernel(KERNEL),)}), (), []),
    ("kernel-headers", "packages not looked at", but(packages=None, dkms=None), (), [
        ("unknown", "section packages was not looked at")]),
    ("kernel-extra-modules", "missing for the next kernel", TWO, (), [("warn", f"linux-modules-extra-{NEXT} is not installed")]),
    ("kernel-extra-modules", "removed, with settings left", but(packages={"installed": (
        package(f"linux-modules-extra-{KERNEL}", state="config-files"),)}), (), [
        ("warn", f"linux-modules-extra-{KERNEL} is not installed")]),
    ("kernel-extra-modules", "another system", but(os={"id": "debian"}), (), []),
    ("kernel-extra-modules", "no system", but(os=None), (), []),
    ("kernel-extra-modules", "a mainline kernel", but(kernel={"next_boot": "6.14.0-061400-custom"}), (), []),
    ("kernel-extra-modules", "no kernel at all", but(kernel={"next_boot": "old"}), (), []),
    ("initramfs-stale", "older than modprobe.d", but(boot={"modprobe_time": 300}), (), [
        ("warn", f"the initramfs of kernel {KERNEL} may hold another driver or other settings: it is older than the settings in "
                 "modprobe.d")]),
    ("initramfs-stale", "older than the driver", but(boot={"images": (lk.Initramfs(KERNEL, "x", 200, 300),)}), (), [
        ("warn", f"the initramfs of kernel {KERNEL} may hold another driver or other settings: it is older than the driver")]),
    ("initramfs-stale", "of the same second", but(boot={"modprobe_time": 200}), (), [
        ("pass", f"the initramfs of kernel {KERNEL} is newer than driver and settings")]),
    ("initramfs-stale", "none", but(boot={"images": ()}), (), [("unknown", f"no initramfs of kernel {KERNEL} was seen")]),
    ("initramfs-stale", "no section", but(boot=None), (), [("unknown", "section boot was not looked at")]),
]


@pytest.mark.parametrize(("ident", "look", "profiles", "expected"), [(c[0], *c[2:]) for c in CASES],
                         ids=[f"{c[0]}: {c[1]}" for c in CASES])
def test_verdict(ident, look, profiles, expected):
    assert judged(ident, look, profiles or ("bare_metal",)) == expected
