# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What files of a support bundle told so far, before a look is made of it."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..formats.dkms import Status
from ..formats.lspci import Device
from ..formats.package_lists import Listing
from ..formats.rocminfo import Agent
from ..look.host import RdmaPort
from ..look.log import Hit, LogRead
from ..look.settings import Setting
from ..look.shape import DeviceNode, OnDisk

UNTOLD = "no file of the bundle tells it"


@dc.dataclass
class Card:
    """One GPU or partition as one tool counts them: what it said, by field of Reading and of GpuHealth."""

    bdf: str | None = None
    partition: int = 0
    device: str | None = None
    numa: str = ""
    render: str | None = None
    kfd_id: int | None = None
    kfd_node: int | None = None
    reading: dict[str, t.Any] = dc.field(default_factory=dict)
    health: dict[str, t.Any] = dc.field(default_factory=dict)


@dc.dataclass
class Facts:
    """All that was told. None: nobody told; empty: somebody told that there is none."""

    # system
    release: dict[str, str] = dc.field(default_factory=dict)
    architecture: str | None = None
    running: str | None = None
    cmdline: str | None = None
    modules: tuple[str, ...] | None = None
    loaded: bool | None = None
    version: str | None = None
    in_tree: bool = False  # the loaded driver is known to have no version: it came with the kernel
    on_disk: list[OnDisk] = dc.field(default_factory=list)
    dkms: list[Status] = dc.field(default_factory=list)
    packages: list[Listing] = dc.field(default_factory=list)
    cpu_vendor: str | None = None
    # GPUs
    pci: list[Device] = dc.field(default_factory=list)
    pci_whole: bool = False  # the list holds every device of the machine
    amdsmi: dict[int, Card] = dc.field(default_factory=dict)
    rocmsmi: dict[int, Card] = dc.field(default_factory=dict)
    agents: list[Agent] = dc.field(default_factory=list)
    smi: dict[str, str] = dc.field(default_factory=dict)  # fields of Smi
    pids: set[int] | None = None
    kfd_nodes: dict[int, dict[str, str]] = dc.field(default_factory=dict)  # number -> file -> text
    kfd_processes: dict[int, dict[str, str]] | None = None  # pid -> file -> text
    devices: list[DeviceNode] = dc.field(default_factory=list)
    xgmi: dict[str, tuple[str, ...]] = dc.field(default_factory=dict)
    firmware_blocks: list[dict[str, str]] = dc.field(default_factory=list)
    drm: dict[str, str] | None = None  # names in /sys/class/drm -> where the link leads, if that was told
    # fabric, logs, settings
    rdma: list[RdmaPort] = dc.field(default_factory=list)
    reads: list[LogRead] = dc.field(default_factory=list)
    hits: list[Hit] = dc.field(default_factory=list)
    settings: list[Setting] = dc.field(default_factory=list)
    setting_files: int = 0


Handler = t.Callable[[Facts, str], str]  # facts, text of a file -> what it told, in words


def untold(section: t.Any, known: t.Collection[str] = (), why: str = UNTOLD) -> dict[str, str]:
    """Return field -> reason for the fields of a section that nobody told."""
    return {field.name: why for field in dc.fields(section)
            if field.name not in ("unknown", "bdf", *known) and getattr(section, field.name) in (None, (), {}, "")}
