# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What the platform and the operating system give the GPUs: IOMMU, memory, kernel, DRM; and what others read."""

from __future__ import annotations

import collections
import gzip
import re
import typing as t
import zlib

from .._core.formats import host_files
from .._core.look.shape import Host
from . import clock, limits, pci_tree, rdma
from .apart import UnreadableError
from .devices import PARTITION
from .machine import Machine
from .notes import Notes
from .pci import DEVICES, Function

_GROUPS = "/sys/kernel/iommu_groups"
_LOCKDOWN = "/sys/kernel/security/lockdown"
_NODES = "/sys/devices/system/node"
_HUGE = "/sys/kernel/mm/hugepages"
_DRM = re.compile(r"^(card|renderD)\d+$")
_CPUINFO = 4096  # bytes: the whole file asks every processor for its clock
# What AMD's and others' guides for GPU nodes set, and what explains what else is seen.
# source: rocm.docs.amd.com, system optimization of MI300X and of MI300A
_SYSCTLS = (
    "vm/compaction_proactiveness", "vm/compact_unevictable_allowed", "vm/max_map_count", "vm/overcommit_memory",
    "vm/swappiness", "vm/zone_reclaim_mode", "kernel/dmesg_restrict", "kernel/nmi_watchdog", "kernel/tainted",
    "net/core/rmem_max", "net/core/wmem_max",
)
# What peer-to-peer access, shared memory and an own driver need. source: linux:drivers/gpu/drm/amd/amdkfd/Kconfig
_OPTIONS = ("CONFIG_PCI_P2PDMA", "CONFIG_DMABUF_MOVE_NOTIFY", "CONFIG_HSA_AMD", "CONFIG_HSA_AMD_P2P",
            "CONFIG_HSA_AMD_SVM", "CONFIG_DRM_AMDGPU", "CONFIG_MODULE_SIG_FORCE", "CONFIG_ZONE_DEVICE",
            "CONFIG_DEVICE_PRIVATE")
# Other displays, pass-through, the virtualization host's driver, RDMA, the driver's own, and other vendors' drivers.
_MODULES = frozenset({
    "amdgpu", "amdkcl", "amdkfd", "amdttm", "amdxcp", "ast", "bnxt_en", "bnxt_re", "gim", "hyperv_drm", "ib_core",
    "ib_peer_mem", "ib_uverbs", "ionic", "ionic_rdma", "irdma", "kvm_amd", "kvm_intel", "mgag200", "mlx5_core",
    "mlx5_ib", "nouveau", "nvidia", "radeon", "simpledrm", "vfio", "vfio_pci", "virtio_gpu", "vmwgfx",
})


def read(machine: Machine, functions: t.Sequence[Function]) -> Host:
    """Read the section."""
    notes = Notes()
    groups = notes.attempt("iommu_groups", None, _groups, machine)
    drivers, minors = notes.attempt("drm_devices", ({}, None), _drm, machine)
    memory = notes.attempt("memory_bytes", None, machine.text, "/proc/meminfo") or ""
    cpu = notes.attempt("cpu_vendor", None, machine.head, "/proc/cpuinfo", _CPUINFO) or ""
    return Host(
        iommu_groups=groups, iommu_types=_types(machine, functions, notes) if groups else (),
        devices=pci_tree.read(machine, functions, notes),
        cpu_vendor=host_files.cpu_vendor(cpu), cpus=_count(machine, notes, "cpus", "/sys/devices/system/cpu/online"),
        memory_bytes=host_files.kibibytes(memory, "MemTotal"),
        numa_nodes=_count(machine, notes, "numa_nodes", f"{_NODES}/online"),
        numa_balancing=_number(machine, notes, "numa_balancing", "/proc/sys/kernel/numa_balancing"),
        transparent_hugepages=host_files.chosen(notes.attempt(
            "transparent_hugepages", None, machine.text, "/sys/kernel/mm/transparent_hugepage/enabled") or ""),
        hugepages_bytes=notes.attempt("hugepages_bytes", None, _hugepages, machine),
        sysctls=_sysctls(machine, notes), limits=limits.read(machine, notes), drm_devices=drivers, drm_minors=minors,
        kernel_config=notes.attempt("kernel_config", {}, kernel_config, machine),
        loaded_modules=tuple(name for name in notes.attempt("loaded_modules", (), machine.names, "/sys/module")
                             if name in _MODULES),
        rdma=notes.attempt("rdma", (), rdma.read, machine), clock=clock.read(machine, notes),
        lockdown=notes.attempt("lockdown", None, _lockdown, machine), unknown=notes,
    )


def _groups(machine: Machine) -> int:
    if not machine.exists(_GROUPS):
        raise UnreadableError(f"there is no {_GROUPS}")
    return len(machine.names(_GROUPS))


def _types(machine: Machine, functions: t.Sequence[Function], notes: Notes) -> tuple[str, ...]:
    """Return the types of the groups of all GPUs, each once."""
    found = [notes.attempt("iommu_types", None, machine.word, f"{DEVICES}/{function.bdf}/iommu_group/type")
             for function in functions]
    if None in found:
        notes.setdefault("iommu_types", "a GPU is in no group, or the kernel does not tell the type of its group")
    return tuple(sorted({kind for kind in found if kind}))


def _count(machine: Machine, notes: Notes, field: str, path: str) -> int | None:
    return host_files.count(notes.attempt(field, None, machine.text, path) or "")


def _number(machine: Machine, notes: Notes, field: str, path: str) -> int | None:
    return host_files.number(notes.attempt(field, None, machine.text, path) or "")


def _hugepages(machine: Machine) -> int | None:
    """Return the memory that is reserved, of all sizes; None if the kernel has no huge pages."""
    sizes = [(name, machine.word(f"{_HUGE}/{name}/nr_hugepages")) for name in machine.names(_HUGE)]
    found = [int(match[1]) * 1024 * int(pages) for name, pages in sizes
             for match in [re.match(r"^hugepages-(\d+)kB$", name)] if match and pages and pages.isdigit()]
    return sum(found) if found else None


def _sysctls(machine: Machine, notes: Notes) -> dict[str, int]:
    """Return those that the kernel has: it may be older than one of them."""
    found = {}
    for name in _SYSCTLS:
        dotted = name.replace("/", ".")
        value = _number(machine, notes, f"sysctls.{dotted}", f"/proc/sys/{name}")
        if value is not None:
            found[dotted] = value
    return found


def _drm(machine: Machine) -> tuple[dict[str, int], int | None]:
    """Return the card and render nodes of each driver, and how many there are of the kind that has the most."""
    if not machine.exists("/sys/class/drm"):
        return {}, None
    drivers: collections.Counter[str] = collections.Counter()
    kinds = collections.Counter({"card": 0})
    for name in machine.names("/sys/class/drm"):
        match = _DRM.match(name)
        if match:
            device = f"/sys/class/drm/{name}/device"
            partition = (machine.link_name(device) or "").startswith(PARTITION)
            drivers["amdgpu" if partition else machine.link_name(f"{device}/driver") or "unknown"] += 1
            kinds[match[1]] += 1
    return dict(drivers), max(kinds.values())


def kernel_config(machine: Machine) -> dict[str, str]:
    """Return what the running kernel was built with, of the options that matter here.

    Raises:
        UnreadableError: nothing tells.
    """
    running = machine.word("/proc/sys/kernel/osrelease")
    for path in (f"/boot/config-{running}", f"/lib/modules/{running}/config"):
        text = machine.text(path)
        if text is not None:
            return host_files.kernel_options(text, _OPTIONS)
    data = machine.data("/proc/config.gz")
    if data is None:
        raise UnreadableError(f"there is neither /boot/config-{running} nor /proc/config.gz")
    try:
        return host_files.kernel_options(gzip.decompress(data).decode("utf-8", "replace"), _OPTIONS)
    except (OSError, EOFError, zlib.error):
        raise UnreadableError("/proc/config.gz is damaged") from None


def _lockdown(machine: Machine) -> str | None:
    text = machine.text(_LOCKDOWN)
    if text is None:
        raise UnreadableError(f"there is no {_LOCKDOWN}: the kernel has no lockdown, or securityfs is not mounted")
    return host_files.chosen(text)
