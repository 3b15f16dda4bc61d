# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""A look that saw all that plans compare. Nothing is planned blind."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..errors import FleetError
from . import shape as lk

# Fields that plans compare; "*" means all of a section.
NEEDED: dict[str, tuple[str, ...]] = {
    "os": ("id", "version_id"),
    "kernel": ("running", "installed"),
    "packages": ("*",),
    "repositories": ("sources", "preferences", "keyrings"),
    "dkms": ("*",),
    "driver": ("loaded", "on_disk"),
    "gpus": ("gpus",),
    "files": ("files", "recorded_release"),
}
# Others than root must know this too, or "as wanted" would leave out which kernel boots. Where root cannot tell either
# (another boot loader), plans do without it and say so.
NEEDED_OF_OTHERS: dict[str, tuple[str, ...]] = {"kernel": ("boot_entries",)}


@dc.dataclass(frozen=True)
class WholeLook:
    """A look with all sections; made by ``whole``."""

    os: lk.Os
    kernel: lk.Kernel
    packages: lk.Packages
    repositories: lk.Repositories
    dkms: lk.Dkms
    driver: lk.Driver
    boot: lk.Boot
    firmware: lk.Firmware
    rocm: lk.Rocm
    smi: lk.Smi
    gpus: lk.Gpus
    devices: lk.Devices
    processes: lk.Processes
    files: lk.Files


def whole(look: lk.Look) -> WholeLook:
    """The same look, if it saw what plans compare.

    Raises:
        FleetError: names what was not seen, and why.
    """
    sections: dict[str, t.Any] = {f.name: getattr(look, f.name) for f in dc.fields(WholeLook)}
    for name, section in sections.items():
        if section is None:
            raise FleetError(f"section {name}", "was not looked at", "plans need a look with all sections")
    root = look.os is not None and look.os.root
    for name, of_all in NEEDED.items():
        fields = of_all if root else of_all + NEEDED_OF_OTHERS.get(name, ())
        for path, reason in sorted(sections[name].unknown.items()):
            if "*" in fields or path.split(".")[0].split("[")[0] in fields:
                hint = "mend that on the node, then run again" if root else "look as root (become: true)"
                raise FleetError(f"{name}.{path}", f"is unknown: {reason}", hint)
    return WholeLook(**sections)
