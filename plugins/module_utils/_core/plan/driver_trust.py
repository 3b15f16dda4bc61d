# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Secure Boot: a kernel that takes signed modules alone must trust the key with which DKMS signs."""

from __future__ import annotations

import typing as t

from ..errors import FleetError
from ..look.whole import WholeLook
from .driver_seen import Seen

_SOURCE = "dkms(8), mokutil(1)"


def _asks_for(look: WholeLook) -> str:
    """What asks for signatures; empty if nothing does."""
    if look.kernel.secure_boot:
        return "Secure Boot"
    return f"lockdown ({look.boot.lockdown})" if look.boot.lockdown not in (None, "none") else ""


def refuse_untrusted(look: WholeLook, seen: Seen, policy: str) -> None:
    """Refuse to build a driver that the kernel will not load. ``policy``: require_enrolled or ignore.

    A driver that is loaded as wanted is trusted, whatever this collection can see of keys.

    Raises:
        FleetError: the key is not enrolled; says what to do, which takes a person at the console.
    """
    asking, boot = _asks_for(look), look.boot
    if seen.source != "dkms" or not asking or policy == "ignore" or seen.loaded_right or boot.key_enrolled is not False:
        return
    if boot.key_name is None:
        make = "update-secureboot-policy --new-key" if "shim-signed" in (boot.key or "") else "dkms generate_mok"
        hint = f"make it ({make}), then run mokutil --import {boot.key}"
    else:
        hint = f"run mokutil --import {boot.key}"
    what = f"is on and does not trust the key with which DKMS signs the driver ({boot.key_name or 'not made yet'})"
    raise FleetError(asking, what, f"{hint}, reboot, and confirm at the console (Enroll MOK); or set "
                     "gpu_driver_secure_boot to ignore if the site signs modules itself", _SOURCE)


def trust_problems(look: WholeLook, seen: Seen, policy: str) -> tuple[str, ...]:
    """A driver that was built and is signed by another key than the trusted one."""
    boot, disk = look.boot, seen.on_disk
    if not seen.built or disk is None or not _asks_for(look) or policy == "ignore" or seen.loaded_right:
        return ()
    if not boot.key_enrolled or disk.signer == boot.key_name:
        return ()
    what = f"{disk.path} is signed by {disk.signer or 'nobody'}, and {_asks_for(look)} trusts {boot.key_name}"
    return (f"{what}: it will not load; sign it with that key, or let DKMS build it anew",)


def trust_notes(look: WholeLook, seen: Seen, policy: str) -> t.Iterator[str]:
    """What could not be told, or is left to the site."""
    if seen.source != "dkms":
        return
    if "secure_boot" in look.kernel.unknown:
        yield "whether Secure Boot is on is unknown: " + look.kernel.unknown["secure_boot"]
    asking = _asks_for(look)
    if asking and policy == "ignore":
        yield f"{asking} is on; that it trusts the driver is left to the site (gpu_driver_secure_boot is ignore)"
    elif asking and look.boot.key_enrolled is None and not seen.loaded_right:
        why = look.boot.unknown.get("key_enrolled", "no reason was given")
        yield f"{asking} is on, and whether it trusts the key with which DKMS signs is unknown: {why}"
