# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The part of a look that is about what a boot loads. Read through shape.py, which has the whole."""

from __future__ import annotations

import dataclasses as dc

from .gpus import Unknown


@dc.dataclass(frozen=True)
class Initramfs:
    """The initramfs of one kernel, and the driver that it may hold a copy of. Times in seconds since 1970."""

    kernel: str
    path: str
    time: int  # when it was made
    driver_time: int | None = None  # when the amdgpu module on disk for this kernel was put there


@dc.dataclass(frozen=True)
class Boot:
    """What is loaded before the root file system is there, and what Secure Boot lets into the kernel."""

    tool: str | None = None  # initramfs-tools, dracut: what makes initramfs images here
    images: tuple[Initramfs, ...] = ()
    modprobe_time: int | None = None  # newest change in /etc/modprobe.d or of a modprobe.d file that names amdgpu
    lockdown: str | None = None  # none, integrity, confidentiality
    key: str | None = None  # certificate with which DKMS signs, as its settings name it
    key_name: str | None = None  # common name in it; None: there is no such file yet
    key_enrolled: bool | None = None  # whether the firmware trusts it; None where nobody asks for signatures
    unknown: Unknown = dc.field(default_factory=dict)


def why_stale(boot: Boot, kernel: str, settings: bool) -> str:
    """Why the initramfs of a kernel may hold another driver, or other settings of it, than the disk; empty if not.

    One that is newer than all that is copied into it holds the same. ``settings``: whether modprobe.d matters.
    """
    image = next((i for i in boot.images if i.kernel == kernel), None)
    if image is None:
        return "there is none"
    if image.driver_time is not None and image.time < image.driver_time:
        return "it is older than the driver"
    if settings and boot.modprobe_time is not None and image.time < boot.modprobe_time:
        return "it is older than the settings in modprobe.d"
    return ""
