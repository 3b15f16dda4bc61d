# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The machine around the GPUs, from files."""

from __future__ import annotations

import gzip

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Host, Limits
from ansible_collections.instinct.fleet.plugins.module_utils._node import host, pci
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree

A, B = "0000:05:00.0", "0000:26:00.0"
MACHINE = {
    "/proc/cpuinfo": "processor\t: 0\nvendor_id\t: AuthenticAMD\n", "/sys/devices/system/cpu/online": "0-191\n",
    "/proc/meminfo": "MemTotal:       1584948284 kB\nMemFree: 1 kB\n", "/sys/devices/system/node/online": "0-1\n",
    "/proc/sys/kernel/numa_balancing": "1\n", "/sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never\n",
    "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages": "512\n", "/sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages": "2\n",
    "/sys/kernel/mm/hugepages/other/nr_hugepages": "9\n",
    "/proc/sys/vm/compaction_proactiveness": "20\n", "/proc/sys/net/core/rmem_max": "212992\n", "/proc/sys/kernel/osrelease": "6.8.0-60\n",
    "/boot/config-6.8.0-60": "CONFIG_PCI_P2PDMA=y\n# CONFIG_HSA_AMD_P2P is not set\nCONFIG_ARM=y\n",
    "/sys/kernel/security/lockdown": "none [integrity] confidentiality\n", "/proc/uptime": "100.00 3.00\n",
    "/proc/1/comm": "systemd\n", "/proc/1/limits": "Max locked memory         8388608              8388608              bytes     \n",
    "/sys/module/ast/initstate": "live\n", "/sys/module/amdgpu/initstate": "live\n", "/sys/module/loop/initstate": "live\n",
}


def read(tree: Tree) -> Host:
    """The section of a tree."""
    machine = tree.machine()
    return host.read(machine, pci.read(machine))


def test_a_machine(tree: Tree) -> None:
    seen = read(tree.fill(MACHINE))
    assert (seen.cpu_vendor, seen.cpus, seen.memory_bytes, seen.numa_nodes) == ("AuthenticAMD", 192, 1584948284 * 1024, 2)
    assert (seen.numa_balancing, seen.transparent_hugepages, seen.hugepages_bytes) == (1, "always", 3 << 30)
    assert seen.sysctls == {"vm.compaction_proactiveness": 20, "net.core.rmem_max": 212992}
    assert seen.kernel_config == {"CONFIG_PCI_P2PDMA": "y", "CONFIG_HSA_AMD_P2P": "n"}
    assert (seen.loaded_modules, seen.lockdown, seen.rdma) == (("amdgpu", "ast"), "integrity", ())
    assert seen.limits == (Limits("systemd", 1, 8388608, None),)
    assert seen.clock and seen.clock.booted
    assert round(seen.clock.epoch - seen.clock.booted) == 100
    assert (seen.iommu_groups, seen.iommu_types, seen.drm_devices, seen.drm_minors) == (None, (), {}, None)
    assert {field: why for field, why in seen.unknown.items() if field != "clock.synchronized"} == {
        "iommu_groups": "there is no /sys/kernel/iommu_groups"}


def test_an_empty_machine_knows_nothing_and_says_why(tree: Tree) -> None:
    seen = read(tree)
    assert (seen.cpus, seen.memory_bytes, seen.hugepages_bytes, seen.lockdown, seen.limits) == (None, None, None, None, (Limits("systemd", 1),))
    assert {field: why for field, why in seen.unknown.items() if field != "clock.synchronized"} == {
        "iommu_groups": "there is no /sys/kernel/iommu_groups", "clock.booted": "/proc/uptime is not of the form it must have",
        "kernel_config": "there is neither /boot/config-None nor /proc/config.gz",
        "lockdown": "there is no /sys/kernel/security/lockdown: the kernel has no lockdown, or securityfs is not mounted"}


def groups(tree: Tree, kinds: dict[str, str | None]) -> Host:
    """A node whose GPUs are in groups of these types."""
    tree.folder("/sys/kernel/iommu_groups")
    for number, (bdf, kind) in enumerate(kinds.items()):
        tree.link(f"{tree.pci(bdf)}/iommu_group", f"../../../../kernel/iommu_groups/{number}")
        tree.folder(f"/sys/kernel/iommu_groups/{number}/devices")
        if kind:
            tree.write(f"/sys/kernel/iommu_groups/{number}/type", f"{kind}\n")
    return read(tree)


@pytest.mark.parametrize(("kinds", "count", "types", "known"), [
    ({}, 0, (), True), ({A: "identity", B: "identity"}, 2, ("identity",), True), ({A: "DMA-FQ", B: "identity"}, 2, ("DMA-FQ", "identity"), True),
    ({A: "DMA", B: None}, 2, ("DMA",), False)], ids=["no IOMMU", "pass-through", "one translated", "one untold"])
def test_iommu(tree: Tree, kinds: dict[str, str | None], count: int, types: tuple[str, ...], known: bool) -> None:
    seen = groups(tree, kinds)
    assert (seen.iommu_groups, seen.iommu_types, "iommu_types" not in seen.unknown) == (count, types, known)


def test_drm_devices_and_their_drivers(tree: Tree) -> None:
    for name, device in (("card0", "0000:46:00.0"), ("card1", A), ("renderD128", A), ("card2", "amdgpu_xcp_0"),
                         ("renderD129", "amdgpu_xcp_0"), ("card3", "0000:47:00.0")):
        tree.link(f"/sys/devices/{device}/drm/{name}/device", f"../../../{device}")
        tree.link(f"/sys/class/drm/{name}", f"../../devices/{device}/drm/{name}")
    for device, driver in (("0000:46:00.0", "ast"), (A, "amdgpu")):
        tree.link(f"/sys/devices/{device}/driver", f"../../bus/pci/drivers/{driver}")
    tree.write("/sys/class/drm/card0-VGA-1/status", "connected\n")
    tree.write("/sys/class/drm/version", "drm 1.1.0\n")
    seen = read(tree)
    assert seen.drm_devices == {"ast": 1, "amdgpu": 4, "unknown": 1}
    assert seen.drm_minors == 4


@pytest.mark.parametrize(("path", "data", "options", "why"), [
    ("/lib/modules/6.1/config", b"CONFIG_PCI_P2PDMA=y\n", {"CONFIG_PCI_P2PDMA": "y"}, None),
    ("/proc/config.gz", gzip.compress(b"CONFIG_HSA_AMD=y\n", mtime=0), {"CONFIG_HSA_AMD": "y"}, None),
    ("/proc/config.gz", b"text", {}, "/proc/config.gz is damaged"),
    ("/proc/config.gz", gzip.compress(b"x" * 100, mtime=0)[:-9], {}, "/proc/config.gz is damaged"),
])
def test_kernel_config(tree: Tree, path: str, data: bytes, options: dict[str, str], why: str | None) -> None:
    tree.write("/proc/sys/kernel/osrelease", "6.1\n")
    tree.write(path, data)
    seen = read(tree)
    assert (seen.kernel_config, seen.unknown.get("kernel_config")) == (options, why)
