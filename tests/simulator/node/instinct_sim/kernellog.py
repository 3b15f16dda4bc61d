# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The kernel's log: a text beside the state, and the same as records where a node has /dev/kmsg.

Words are those of the kernel and of amdgpu, as far as they are known from their sources and from public logs; the
numbers in them are made up.
"""

from __future__ import annotations

import os
import re
import stat
import time
import typing as t
from pathlib import Path

from .machine import Gpu, gpus
from .pci import bridges
from .state import State, Store

STEP = 0.000113  # seconds between two lines that are printed one after the other
_LINE = re.compile(r"\[ *(\d+)\.(\d{6})\] (.*)")
_BAD = re.compile(r"\*ERROR\*|[Ff]atal|failed|hardware errors? detected|page fault|timeout")
_DEVICE = re.compile(r"(?:amdgpu|pci|pcieport) ([0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]): ")


def begin(store: Store) -> None:
    """Start the log of a new boot, with what the kernel says before any driver."""
    path = store.beside(".kernel.log")
    if path.exists():
        path.unlink()
    add(store, *_boot(store.read()))


def add(store: Store, *lines: str) -> None:
    """What the kernel prints now."""
    state = store.read()
    path = store.beside(".kernel.log")
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    last = _LINE.match(text.rpartition("\n")[0].rpartition("\n")[2])
    at = float(f"{last[1]}.{last[2]}") + STEP if last else 0.0
    if last and "node.booted" in state:
        at = max(at, time.time() - float(state["node.booted"]))
    with open(path, "a", encoding="utf-8") as file:
        file.writelines(f"[{at + number * STEP:12.6f}] {line}\n" for number, line in enumerate(lines))
    if state.get("node.dev"):
        _records(Path(state["node.dev"]) / "kmsg", path.read_text(encoding="utf-8"))


def _records(path: Path, text: str) -> None:
    """Write the records of /dev/kmsg, unless there is a real one. source: linux:Documentation/ABI/testing/dev-kmsg"""
    if path.exists() and not stat.S_ISREG(path.stat().st_mode):
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(".kmsg.new")
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        for number, match in enumerate(filter(None, map(_LINE.match, text.splitlines()))):
            words = match[3]
            level = 3 if _BAD.search(words) else 6
            file.write(f"{level},{number},{int(match[1]) * 1000000 + int(match[2])},-;{words}\n")
            device = _DEVICE.match(words)
            if device:
                file.write(f" SUBSYSTEM=pci\n DEVICE=+pci:{device[1]}\n")
    new.replace(path)


def _boot(state: State) -> list[str]:
    """The kernel before any driver."""
    kernel, cpus = state["node.kernel"], int(state["node.cpus"])
    passed = state.get("node.iommu", "identity") == "identity"
    lines = [
        f"Linux version {kernel} (debian-kernel@lists.debian.org) (gcc-12, GNU ld) #1 SMP PREEMPT_DYNAMIC Debian",
        f"Command line: {state['node.cmdline']}",
        "BIOS-provided physical RAM map:",
        "BIOS-e820: [mem 0x0000000000000000-0x000000000009ffff] usable",
        "DMI: instinct.fleet Simulated Node, BIOS simulated",
        "tsc: Detected 2400.000 MHz processor",
        "Booting paravirtualized kernel on bare hardware",
        f"smp: Brought up {cpus} nodes, {48 * cpus} CPUs",
        f"iommu: Default domain type: {'Passthrough' if passed else 'Translated'} ",
        "pci_bus 0000:00: root bus resource [bus 00-ff]",
    ]
    for gpu in gpus(state):
        lines += _found(gpu, str(gpu.index) in state.get("fault.probe_enomem.gpus", "").split(","))
    return [*lines, "Run /init as init process", "systemd[1]: Detected architecture x86-64."]


def _found(gpu: Gpu, unplaced: bool) -> list[str]:
    """What the PCI core says of a GPU."""
    size = 1 << (gpu.number("vram_mib") - 1).bit_length() + 20
    start = 0x200_0000_0000 + gpu.index * 0x100_0000_0000
    lines = [f"pci {gpu.bdf}: [1002:{gpu.device_id}] type 00 class 0x120000"]
    if unplaced:
        return [
            *lines,
            f"pci {gpu.bdf}: BAR 0: no space for [mem size {size:#018x} 64bit pref]",
            f"pci {gpu.bdf}: BAR 0: failed to assign [mem size {size:#018x} 64bit pref]",
        ]
    return [
        *lines,
        f"pci {gpu.bdf}: reg 0x10: [mem {start:#x}-{start + size - 1:#x} 64bit pref]",
        f"pci {gpu.bdf}: Adding to iommu group {gpu.index * (1 + len(bridges(gpu)))}",
    ]


def loading(version: str) -> list[str]:
    """The module before it looks for GPUs."""
    own = ["amdgpu: loading out-of-tree module taints kernel.",
           "amdgpu: module verification failed: signature and/or required key missing - tainting kernel"]  # fmt: skip
    return [
        *(own if version else []),
        "[drm] amdgpu kernel modesetting enabled.",
        *([f"[drm] amdgpu version: {version}"] if version else []),
        "amdgpu: Virtual CRAT table created for CPU",
        "amdgpu: Topology: Add CPU node",
    ]


def probing(gpu: Gpu) -> list[str]:
    """A GPU before anything can fail."""
    ids = f"0x1002:0x{gpu.device_id.upper()} 0x1002:0x{gpu['subsystem_id'][2:].upper()}"
    return [
        f"amdgpu {gpu.bdf}: enabling device (0000 -> 0002)",
        f"[drm] initializing kernel modesetting (IP DISCOVERY {ids} 0x{gpu['revision_id'][2:]}).",
    ]


def driven(gpu: Gpu) -> list[str]:
    """A GPU that comes up."""
    mib = gpu.number("vram_mib")
    end = (mib << 20) - 1
    return [
        f"amdgpu {gpu.bdf}: amdgpu: Fetched VBIOS from ROM BAR",
        f"amdgpu: ATOM BIOS: {gpu['vbios.part_number']}",
        f"amdgpu {gpu.bdf}: amdgpu: MEM ECC is active.",
        f"amdgpu {gpu.bdf}: amdgpu: SRAM ECC is active.",
        f"amdgpu {gpu.bdf}: amdgpu: VRAM: {mib}M 0x0000008000000000 - {0x8000000000 + end:#018x} ({mib}M used)",
        f"amdgpu {gpu.bdf}: amdgpu: GART: 512M 0x0000000000000000 - 0x000000001FFFFFFF",
        f"[drm] Detected VRAM RAM={mib}M, BAR={1 << (mib - 1).bit_length()}M",
        f"[drm] amdgpu: {mib}M of VRAM memory ready",
        f"amdgpu {gpu.bdf}: amdgpu: reserve 0x1300000 from 0x{end - 0x2000000:x} for PSP TMR",
        f"amdgpu {gpu.bdf}: amdgpu: RAS: optional ras ta ucode is available",
        f"amdgpu {gpu.bdf}: amdgpu: SMU is initialized successfully!",
        "kfd kfd: amdgpu: Allocated 3969056 bytes on gart",
        f"kfd kfd: amdgpu: added device 1002:{gpu.device_id}",
        *(f"amdgpu {gpu.bdf}: amdgpu: ring comp_1.{ring}.0 uses VM inv eng {ring + 4} on hub 0" for ring in range(4)),
        f"amdgpu {gpu.bdf}: amdgpu: ring sdma0 uses VM inv eng 0 on hub 8",
        f"[drm] Initialized amdgpu 3.64.0 20150101 for {gpu.bdf} on minor {gpu['card']}",
    ]


_PSP = (
    "[drm:psp_hw_start [amdgpu]] *ERROR* PSP load sos failed!",
    "[drm:psp_hw_init [amdgpu]] *ERROR* PSP firmware loading failed",
    "[drm:amdgpu_device_fw_loading [amdgpu]] *ERROR* hw_init of IP block <psp> failed -22",
)
# What is said of a probe that failed, before the words that are said of all. {bdf} stands for the GPU.
PROBE = {
    "probe_enomem": (
        "amdgpu {bdf}: BAR 0: no space for [mem size {size:#018x} 64bit pref]",
        "amdgpu {bdf}: BAR 0: failed to assign [mem size {size:#018x} 64bit pref]",
        "[drm:amdgpu_device_init.cold [amdgpu]] *ERROR* sw_init of IP block <gmc_v9_0> failed -12",
    ),
    "probe_psp": _PSP,
    "psp_failed": _PSP,
}

_RESET = "amdgpu {bdf}: amdgpu: GPU reset begin!"
_TIMEOUT = (
    "amdgpu {bdf}: amdgpu: ring {ring} timeout, signaled seq=48213, emitted seq=48215",
    "amdgpu {bdf}: amdgpu:  Process information: process {name} pid {pid} thread {name} pid {pid}",
    _RESET,
)
_NEW = "amdgpu {bdf}: amdgpu: socket: {oam}, die: 0, {count} new {kind} hardware errors detected in {block} block"
_ALL = "amdgpu {bdf}: amdgpu: socket: {oam}, die: 0, {count} {kind} hardware errors detected in total in {block} block"
# What the kernel says when a fault happens, for each GPU that has it. Arguments are those of the fault.
SAID: dict[str, tuple[str, ...]] = {
    "ecc_correctable": (_NEW.replace("{kind}", "correctable"), _ALL.replace("{kind}", "correctable")),
    "ecc_uncorrectable": (_NEW.replace("{kind}", "uncorrectable"), _ALL.replace("{kind}", "uncorrectable")),
    "page_fault": (
        "amdgpu {bdf}: amdgpu: [gfxhub0] no-retry page fault (src_id:0 ring:24 vmid:8 pasid:32770)",
        "amdgpu {bdf}: amdgpu:  for process {name} pid {pid} thread {name} pid {pid})",
        "amdgpu {bdf}: amdgpu:   in page starting at address 0x00007f21c4a00000 from IH client 0x1b (UTCL2)",
        "amdgpu {bdf}: amdgpu: VM_L2_PROTECTION_FAULT_STATUS:0x00801031",
        "amdgpu {bdf}: amdgpu: \t Faulty UTCL2 client ID: TCP (0x8)",
        "amdgpu {bdf}: amdgpu: \t PERMISSION_FAULTS: 0x3",
    ),
    "ring_timeout": (*_TIMEOUT, "amdgpu {bdf}: amdgpu: GPU reset succeeded, trying to resume",
                     "amdgpu {bdf}: amdgpu: GPU reset(1) succeeded!"),
    "reset_failed": (*_TIMEOUT, "amdgpu {bdf}: amdgpu: ASIC reset failed with error, -62 for drm dev, {bdf}",
                     "amdgpu {bdf}: amdgpu: GPU reset(1) failed", "amdgpu {bdf}: amdgpu: GPU reset end with ret = -62"),
    "pcie_bad_tlp": (
        "pcieport {port}: AER: Corrected error message received from {bdf}",
        "amdgpu {bdf}: PCIe Bus Error: severity=Corrected, type=Data Link Layer, (Receiver ID)",
        "amdgpu {bdf}:   device [1002:{id}] error status/mask=00000040/00000000",
        "amdgpu {bdf}:    [ 6] BadTLP                ",
    ),
    "gpu_lost": ("pcieport {port}: pciehp: Slot(0): Link Down", "amdgpu {bdf}: amdgpu: device lost from bus!"),
}  # fmt: skip


def of_fault(name: str, chosen: t.Iterable[Gpu], arguments: t.Mapping[str, str]) -> list[str]:
    """What the kernel says when a fault happens."""
    lines = []
    for gpu in chosen:
        own = {"bdf": gpu.bdf, "id": gpu.device_id, "oam": gpu["oam"], "port": bridges(gpu)[0].bdf}
        lines += [line.format(**{**arguments, **own}) for line in SAID.get(name, ())]
    return lines


def of_probe(name: str, gpu: Gpu) -> list[str]:
    """What the kernel says when a GPU does not come up for a fault."""
    size = 1 << (gpu.number("vram_mib") - 1).bit_length() + 20
    return [line.format(bdf=gpu.bdf, size=size) for line in PROBE.get(name, ())]
