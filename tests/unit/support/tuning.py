# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of hosts for tests: small ones, and a node that has nothing of them."""

from __future__ import annotations

import typing as t

from ansible_collections.instinct.fleet.plugins.module_utils._core.act.fileset import Seen as SeenFile
from ansible_collections.instinct.fleet.plugins.module_utils._core.tuning import texts
from ansible_collections.instinct.fleet.plugins.module_utils._core.tuning.record import Record
from ansible_collections.instinct.fleet.plugins.module_utils._core.tuning.seen import Register, Seen
from ansible_collections.instinct.fleet.plugins.module_utils._core.tuning.setting import Setting
from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT

DATA = ROOT / "roles/host_tuning/files/tuning"
FILES = sorted(str(path.relative_to(DATA)) for path in DATA.rglob("*.yml"))
KERNEL = "6.1.0-56-amd64"
IOMMU = Setting("iommu-pt", "kernel_argument", "iommu", "pt", against=("amd_iommu=off",))
REALLOC = Setting("realloc", "kernel_argument", "pci", "realloc=off", accumulates=True)
SYSCTL = Setting("compaction", "sysctl", "vm.compaction_proactiveness", "20")
USERS = Setting("memlock-users", "user_limit", "memlock", "unlimited")
SERVICES = Setting("memlock-services", "service_limit", "MEMLOCK", "infinity")
ACS = Setting("acs-off", "access_control", "pci", "off")
STAYS = Setting("kernel-stays", "unattended_upgrades", "^linux-", "never")
COPIES = Setting("copies", "environment", "HSA_ENABLE_SDMA", "0")
ALL = (IOMMU, SYSCTL, USERS, SERVICES, ACS, STAYS, COPIES)


def file(content: bytes | None, mode: int = 0o644) -> SeenFile:
    """A file of root, or none."""
    return SeenFile() if content is None else SeenFile("file", content, owner="root", group="root", mode=mode)


def files(settings: t.Sequence[Setting], appended: t.Sequence[str] = (), record: Record | None = None) -> dict[str, SeenFile]:
    """Our files as they should be for these settings."""
    return {one.path: file(one.content, one.mode) for one in texts.wanted(settings, appended, (record or Record()).text, apt=True)}


def node(**changes: t.Any) -> Seen:
    """A Debian node that nobody has tuned."""
    words = ("root=/dev/sda1", "ro", "quiet")
    given: dict[str, t.Any] = {
        "running": words, "entries": {KERNEL: words}, "next_boot": KERNEL, "boot_unknown": "", "loader": "menu",
        "sysctls": {SYSCTL.name: "0"}, "later": (), "manager": {"MEMLOCK": "8388608"},
        "registers": (Register("0000:00:01.1", 0x5F, 0x1D),), "apt": True, "by_itself": False, "setpci": True, "enabled": False,
        "files": files(()), "record": Record(),
    }
    return Seen(**{**given, **changes})


def tuned(**changes: t.Any) -> Seen:
    """The same with all settings, and booted since."""
    words = ("root=/dev/sda1", "ro", "quiet", "iommu=pt")
    record = Record({SYSCTL.name: "0"}, {"0000:00:01.1": "001d"}, ("iommu=pt",))
    return node(**{
        "running": words, "entries": {KERNEL: words}, "sysctls": {SYSCTL.name: "20"}, "manager": {"MEMLOCK": "infinity"},
        "registers": (Register("0000:00:01.1", 0x5F, 0),), "enabled": True, "files": files(ALL, ["iommu=pt"], record),
        "record": record, **changes})
