# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes with all their fields filled in, for tests of the way from a node to the control machine and back."""

from __future__ import annotations

import typing as t

from ansible_collections.instinct.fleet.plugins.module_utils._core.findings import Cause, Check, Finding
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.health import (
    BlockErrors,
    ClockRange,
    Cper,
    GpuHealth,
    Health,
    Pages,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.host import (
    Clock,
    Host,
    Limits,
    PciDevice,
    RdmaPort,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.log import Hit, Log, LogRead
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.packages import Key, Packages, Repositories
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.settings import Setting, Settings

HEALTH = Health((GpuHealth(
    "0000:05:00.0", {"hotspot": 61}, {"hotspot": 100}, 412, 600, 750, {"gfx": ClockRange(132, 500, 2100)}, "auto",
    {"ppt": True}, {"ppt": 35}, {"umc": BlockErrors(3, 1, 0)}, ("umc",), Pages(2, 1, 1, 256),
    (Cper("fatal", 1772368200.0, (30,)), Cper("fatal")), 2, 7, 5, ("up", "down", "absent"), None, 1, 2, 97, 40,
    {"xgmi_error": "why"}),), "amdsmi", (7,), "6.14.14", False, {"pids": "why"})
HOST = Host(
    iommu_groups=3, iommu_types=("identity",), cpu_vendor="AuthenticAMD", cpus=192, kernel_config={"CONFIG_PCI_P2PDMA": "y"},
    devices=(PciDevice("0000:05:00.0", "1002", "74a1", "gpu", "0000:00:01.1", bars=(1 << 38,), bars_unplaced=(-1,), acs=0x1D,
                       atomics=0x180, atomics_requested=True, aer_correctable=2),),
    limits=(Limits("slurmd", 41, -1, 1024),), drm_devices={"amdgpu": 64}, loaded_modules=("ast",),
    rdma=(RdmaPort("mlx5_0", 1, rate_gbps=400, counters={"symbol_error": 0}),), clock=Clock(1700000000.5, True, 1699999999.0),
    unknown={"lockdown": "there is none"})
LOG = Log(
    (LogRead("kernel", "kmsg", 812, True, 1),),
    (Hit("ring-timeout", "kernel", "kmsg", "0000:05:00.0", 2, 7, 9, {"ring": "sdma0"}, {"new_count": 3}, ("a", "b"), "1.5", "2.5",
         {"driver-trace": 4}),),
    {"packages": "there is no log"})
SETTINGS = Settings(
    (Setting("HSA_ENABLE_SDMA", "0", "environment", "/etc/systemd/system/a.service", 3, "a.service"),
     Setting("/etc/x.conf", None, "file", "/etc/x.conf")),
    7, {"/etc/slurm/slurm.conf": "Permission denied (needs root)"})
PACKAGES = Packages(unknown={"installed": "the database is locked"})
REPOSITORIES = Repositories(
    keyrings=(Key("/etc/apt/keyrings/rocm.gpg", ("CA8BB4727A47B4D09B4EE8969386B48A1A693C5C",)),),
    unattended_upgrades=True, unattended_blacklist=("linux-",), unknown={"sources": "no file"})
WHY = Cause("A cause.", "Do something.", ("https://example.com/1",), "derived")
FINDING = Finding("probe-no-bar", "fault", "error", "pcie", "0000:83:00.0", "no memory window", WHY, ("a line",), 2, 3, 9,
                  ("gpu-init-fatal",), "node", "kmsg")
CHECK = Check("acs", "node", "warn", "off", "on", WHY, "pcie")
ALL: tuple[t.Any, ...] = (HEALTH, Health(), HOST, Host(), LOG, Log(), SETTINGS, Settings(), PACKAGES, Packages(), REPOSITORIES,
                          Repositories(), WHY, FINDING, CHECK)
