# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What one look at a node sees: the shape of the result of gpu_node_info.

Every section carries ``unknown``: field path -> why it could not be read.
A field that is ``None`` without an entry there is absent on the node (no driver is loaded, say);
a field that is ``None`` with an entry could not be read. Neither is ever written as 0 or "".
"""

from __future__ import annotations

import dataclasses as dc

from .boot import Boot, Initramfs
from .files import Files, JournalEntry, ManagedFile
from .firmware import Baseboard, Firmware, GpuFirmware, NicFirmware
from .gpus import (
    DeviceNode,
    Devices,
    Errors,
    Gpu,
    Gpus,
    Link,
    Partition,
    Process,
    Processes,
    Smi,
    Unknown,
)
from .health import BlockErrors, ClockRange, Cper, GpuHealth, Health, Pages
from .host import Clock, Host, Limits, PciDevice, RdmaPort
from .log import Hit, Log, LogRead
from .packages import Key, Package, Packages, Preference, Repositories, Source
from .settings import Setting, Settings

SCHEMA = 1

__all__ = [
    "ALL_SECTIONS",
    "DIAGNOSIS_SECTIONS",
    "GPU_SECTIONS",
    "SCHEMA",
    "SECTIONS",
    "Alternative",
    "Baseboard",
    "BlockErrors",
    "Boot",
    "Clock",
    "ClockRange",
    "Cper",
    "DeviceNode",
    "Devices",
    "Dkms",
    "DkmsModule",
    "Driver",
    "Errors",
    "Files",
    "Firmware",
    "Gpu",
    "GpuFirmware",
    "GpuHealth",
    "Gpus",
    "Health",
    "Hit",
    "Host",
    "Initramfs",
    "InstalledKernel",
    "JournalEntry",
    "Kernel",
    "Key",
    "Limits",
    "Link",
    "Log",
    "LogRead",
    "Look",
    "ManagedFile",
    "NicFirmware",
    "OnDisk",
    "Os",
    "Package",
    "Packages",
    "Pages",
    "Partition",
    "PciDevice",
    "Preference",
    "Process",
    "Processes",
    "RdmaPort",
    "Repositories",
    "Rocm",
    "RocmPrefix",
    "Setting",
    "Settings",
    "Smi",
    "Source",
    "Unknown",
]


@dc.dataclass(frozen=True)
class Os:
    """The operating system, from os-release."""

    id: str | None = None
    id_like: tuple[str, ...] = ()
    version_id: str | None = None
    point_version: str | None = None  # 24.04.3, 12.11: from VERSION / debian_version
    codename: str | None = None
    pretty_name: str | None = None
    architecture: str | None = None  # uname -m: x86_64
    virtualization: str | None = None  # none, container, kvm, vmware, ...
    python: str | None = None  # of the interpreter that looked
    root: bool = False  # whether the look ran as root
    unknown: Unknown = dc.field(default_factory=dict)


@dc.dataclass(frozen=True)
class InstalledKernel:
    """A kernel that has a directory under /lib/modules or an image in /boot."""

    release: str
    image: str | None = None  # path of vmlinuz
    initrd: str | None = None
    headers: bool = False  # /lib/modules/<release>/build leads to a Makefile
    modules: bool = False  # /lib/modules/<release>/modules.dep exists


@dc.dataclass(frozen=True)
class Kernel:
    """Kernels: the running one, the installed ones and the one that boots next."""

    running: str | None = None
    boot_id: str | None = None
    cmdline: str | None = None
    installed: tuple[InstalledKernel, ...] = ()
    next_boot: str | None = None  # release that the boot loader starts next
    default_boot: str | None = None  # the same, where nothing is chosen for one boot
    next_boot_source: str | None = None  # grub, symlink
    boot_entries: dict[str, str] = dc.field(default_factory=dict)  # release -> path of titles in grub.cfg, or id
    boots_saved: bool | None = None  # the boot loader starts the entry that grubenv saves
    boot_arguments: dict[str, str] = dc.field(default_factory=dict)  # release -> what its entry gives to the kernel
    boots_once: str | None = None  # what the boot loader gives in addition to a kernel that is chosen for one boot
    secure_boot: bool | None = None
    unknown: Unknown = dc.field(default_factory=dict)


@dc.dataclass(frozen=True)
class DkmsModule:
    """One line of ``dkms status``. ``kernel`` and ``architecture`` are None in state ``added``."""

    module: str
    version: str  # 6.14.14-2226257.24.04
    kernel: str | None
    architecture: str | None
    state: str  # added, built, installed, broken
    flags: tuple[str, ...] = ()  # original module kept, built modules missing, installed differs from built, or others
    built_for: str | None = None  # installed-weak: the kernel it was built for


@dc.dataclass(frozen=True)
class Dkms:
    """DKMS: a kernel for which the build failed has no line at all, so compare with kernel.installed."""

    present: bool | None = None
    modules: tuple[DkmsModule, ...] = ()
    errors: tuple[str, ...] = ()  # lines that say a tree is broken
    sources: tuple[str, ...] | None = None  # versions of amdgpu whose source is in /usr/src
    unknown: Unknown = dc.field(default_factory=dict)


@dc.dataclass(frozen=True)
class OnDisk:
    """The amdgpu module that modprobe would load for one kernel."""

    kernel: str
    path: str
    kind: str  # dkms, in_tree, other
    version: str | None
    srcversion: str | None
    signer: str | None = None


@dc.dataclass(frozen=True)
class Driver:
    """amdgpu: the loaded module against the one on disk, for the running and the next kernel."""

    loaded: bool | None = None
    initstate: str | None = None  # live, coming, going
    version: str | None = None  # /sys/module/amdgpu/version; absent for the in-tree driver
    srcversion: str | None = None
    on_disk: tuple[OnDisk, ...] = ()  # one per installed kernel that has one
    loaded_is_on_disk: bool | None = None  # srcversion of loaded == srcversion on disk for the running kernel
    blacklisted_by: tuple[str, ...] = ()  # modprobe.d files and kernel arguments
    parameters: dict[str, str] = dc.field(default_factory=dict)
    unknown: Unknown = dc.field(default_factory=dict)


@dc.dataclass(frozen=True)
class RocmPrefix:
    """One ROCm installation on disk."""

    path: str  # /opt/rocm-7.0.2, /opt/rocm/core-7.14
    version: str | None  # from .info/version
    parts: dict[str, str] = dc.field(default_factory=dict)  # bin, lib, ...: where each is, links followed


@dc.dataclass(frozen=True)
class Alternative:
    """A group of update-alternatives that offers something of ROCm."""

    name: str  # rocm, rocm-lib, amd-smi
    link: str  # what programs use: /opt/rocm, /opt/rocm/lib, /usr/bin/amd-smi
    choices: tuple[str, ...]
    chosen: str | None  # what the link leads to; None if it is not there, or is not the group's
    others: tuple[str, ...] = ()  # programs of the link's name in installations, which the group does not offer


@dc.dataclass(frozen=True)
class Rocm:
    """ROCm installations side by side and the active one (where /opt/rocm, or what is in it, leads)."""

    prefixes: tuple[RocmPrefix, ...] = ()
    active: str | None = None
    place: str | None = None  # what /opt/rocm is: link, folder
    parts: dict[str, str] = dc.field(default_factory=dict)  # bin, lib, ...: where the link in /opt/rocm leads
    content: tuple[str, ...] = ()  # what else is in that folder: neither a link nor an installation
    alternatives: tuple[Alternative, ...] = ()
    linker_stale: bool | None = None  # the linker's cache is older than what it was made from; None: ROCm is not in it
    unknown: Unknown = dc.field(default_factory=dict)


@dc.dataclass(frozen=True)
class Look:
    """One look. A section that was not asked for is None."""

    schema: int = SCHEMA
    os: Os | None = None
    kernel: Kernel | None = None
    packages: Packages | None = None
    repositories: Repositories | None = None
    dkms: Dkms | None = None
    driver: Driver | None = None
    boot: Boot | None = None
    firmware: Firmware | None = None
    rocm: Rocm | None = None
    smi: Smi | None = None
    gpus: Gpus | None = None
    devices: Devices | None = None
    processes: Processes | None = None
    files: Files | None = None
    host: Host | None = None
    log: Log | None = None
    health: Health | None = None
    settings: Settings | None = None
    elapsed_ms: dict[str, int] = dc.field(default_factory=dict)  # section -> wall time it took, in milliseconds


ALL_SECTIONS = tuple(f.name for f in dc.fields(Look) if f.name not in ("schema", "elapsed_ms"))
DIAGNOSIS_SECTIONS = ("host", "log", "health", "settings")  # diagnosis and the health gate ask for them
SECTIONS = tuple(name for name in ALL_SECTIONS if name not in DIAGNOSIS_SECTIONS)  # read by default
GPU_SECTIONS = ("firmware", "smi", "gpus", "devices", "processes")  # what gpu_info reads
