# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The ABI between a kernel's RDMA driver and its provider: which range a provider speaks, and whether it is enough.

A provider registers a ``struct verbs_device_ops`` with libibverbs, which begins with its name, the least and the
greatest ABI of the kernel's driver that it speaks, and a table of devices. Its file tells that without being loaded.

source: linux-rdma/rdma-core:libibverbs/driver.h, struct verbs_device_ops; libibverbs/init.c, match_device, load_driver
"""

from __future__ import annotations

import dataclasses as dc
import re
import struct
import typing as t

from ..errors import DataError
from ..formats.elf import Elf
from .shape import Provider, UserSpace, VerbsDevice

LIBRARY = "libibverbs.so.1"
FILE = re.compile(r"^lib(?P<name>[A-Za-z0-9_-]+)-rdmav(?P<private>\d+)\.so$")
# A line of a file in /etc/libibverbs.d; a provider that no line names is not loaded.
# source: linux-rdma/rdma-core:libibverbs/init.c, read_config_file
CONFIGURED = re.compile(r"^\s*driver\s+(?P<name>\S+)\s*$", re.MULTILINE)
_PRIVATE = re.compile(r"^IBVERBS_PRIVATE_(\d+)$")
_RANGE = struct.Struct("<II")
_POINTER = 8  # bytes
ANY = 0x7FFFFFFF  # greatest ABI of a provider that speaks all: INT_MAX, as hns, cxgb4 and hfi1verbs say it

# Why a device is without a provider that works.
ABSENT, BROKEN, STRANGE, OLDER, NEWER, UNKNOWN = "absent", "broken", "strange", "older", "newer", "unknown"


@dc.dataclass(frozen=True)
class Gap:
    """A device that user space does not serve.

    Attributes:
        kind: ABSENT: there is no provider; BROKEN: it lacks libraries or is not named to libibverbs; STRANGE: it is of
            another release of libibverbs; OLDER, NEWER: it speaks lower or higher ABIs alone; UNKNOWN: not told.
        provider: that it needs, by name.
        said: what is there, in words.
    """

    device: VerbsDevice
    kind: str
    provider: str
    said: str


def name_of(path: str) -> str:
    """The provider that a file is named after."""
    file = path.rpartition("/")[2]
    match = FILE.match(file)
    return match["name"] if match else file


def provider(elf: Elf, path: str) -> Provider:
    """What the file of a provider tells. ``path``: in its tree; the name of the file names the provider."""
    name = name_of(path)
    least, greatest = _range(elf, name) or (None, None)
    made_for = next(filter(None, map(_PRIVATE.match, elf.versions.get(LIBRARY, ()))), None)
    return Provider(name, path, least, greatest, int(made_for[1]) if made_for else None)


def private(elf: Elf) -> int | None:
    """The private interface that a libibverbs offers to providers; None if the file tells none, or several."""
    found = [int(match[1]) for match in map(_PRIVATE.match, elf.offered) if match]
    return found[0] if len(found) == 1 else None


def _range(elf: Elf, name: str) -> tuple[int, int] | None:
    """The range that a provider of that name registers; None if the file does not tell it, or tells two."""
    found, pointers = set(), elf.relatives()
    for place, target in pointers.items():
        if place + 2 * _POINTER not in pointers or not _named(elf.text(target), name):
            continue
        try:
            least, greatest = _RANGE.unpack(elf.data(place + _POINTER, _RANGE.size))
        except DataError:
            continue
        if least <= greatest <= ANY:
            found.add((least, greatest))
    return found.pop() if len(found) == 1 else None


def _named(text: str | None, name: str) -> bool:
    """Whether it is the provider's name; that of libvmw_pvrdma says pvrdma of itself."""
    return bool(text) and f"_{name}".endswith(f"_{text}")


def gaps(devices: t.Iterable[VerbsDevice], space: UserSpace, named: t.Mapping[str, str]) -> tuple[Gap, ...]:
    """The devices that user space does not serve. ``named``: module of the kernel to the provider's name."""
    return tuple(gap for device in devices for gap in (_gap(device, space, named),) if gap)


def _gap(device: VerbsDevice, space: UserSpace, named: t.Mapping[str, str]) -> Gap | None:
    name = named.get(device.driver or "")
    if name is None:
        return Gap(device, UNKNOWN, "", f"which provider the driver {device.driver or 'of it'} needs is not known")
    there = [one for one in space.providers if one.name == name]
    # libibverbs loads the one of its own interface. Where an interface is not known each of them may be the one.
    own = [one for one in there if _own(one, space)]
    found = own[:1] or [one for one in there if _own(one, space) is None] or there[:1]
    if not found:
        return Gap(device, ABSENT, name, f"there is no provider {name}")
    judged = [_judged(device, one, space) for one in found]
    kind, said = next((one for one in judged if one[0] == UNKNOWN), judged[0])
    return Gap(device, kind, name, said) if kind else None


def _own(found: Provider, space: UserSpace) -> bool | None:
    """Whether a provider is for the interface of this libibverbs; None: not told."""
    return None if None in (found.private, space.private) else found.private == space.private


def _judged(device: VerbsDevice, found: Provider, space: UserSpace) -> tuple[str, str]:
    """What is wrong with a provider, and what is not known of it. What is wrong comes first."""
    own = _own(found, space)
    if found.missing:
        return BROKEN, f"{found.path} lacks {', '.join(found.missing)}"
    if own is False:
        return STRANGE, f"{found.path} is for interface {found.private} of libibverbs, which has {space.private}"
    if device.abi is None:
        return UNKNOWN, f"which ABI the kernel's driver of {device.name} has is not known"
    if found.abi_min is None or found.abi_max is None:
        return UNKNOWN, f"{found.path} does not tell which ABIs it speaks"
    speaks = f"{found.path} speaks ABI {spoken(found)}, and the kernel's driver has {device.abi}"
    if device.abi > found.abi_max:
        return OLDER, speaks
    if device.abi < found.abi_min:
        return NEWER, speaks
    if found.private is None:
        return UNKNOWN, f"{found.path} does not tell the interface of libibverbs that it is for"
    if space.private is None:
        return UNKNOWN, f"{space.libibverbs} does not tell its interface, and {found.path} is for {found.private}"
    return "", ""


def spoken(found: Provider) -> str:
    """The range of a provider in words."""
    if found.abi_max == ANY:
        return f"from {found.abi_min} on"
    return str(found.abi_min) if found.abi_min == found.abi_max else f"{found.abi_min} to {found.abi_max}"
