# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What lspci prints: one line per device (-nn), blocks with capabilities (-vvv), and nothing of a tree (-t).

source: pciutils:lspci.man, ls-caps.c, ls-ecaps.c
"""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from .quantity import size, speed

_HEAD = re.compile(
    r"^(?P<bdf>(?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) (?P<class>[^:\[]+?)"
    r"(?: \[(?P<code>[0-9a-f]{4})\])?: (?P<name>.*?)(?: \(rev [0-9a-f]{2}\))?(?: \(prog-if .*\))?$")
_ID = re.compile(r"\[(?P<vendor>[0-9a-f]{4}):(?P<device>[0-9a-f]{4})\]")
_REGION = re.compile(r"^\s+Region (?P<number>\d+): Memory at (?P<at>\S+)(?P<what>.*?)\[size=(?P<size>\w+)\]")
_LINK = re.compile(r"^\s+(?P<kind>LnkCap|LnkSta):.*?Speed (?P<speed>[\d.]+ ?GT/s|unknown).*?Width x(?P<width>\d+)")
_ACS = re.compile(r"^\s+ACSCtl:\s*(?P<flags>.*)$")
_ATOMICS = re.compile(r"AtomicOpsCap:\s*(?P<flags>.*)$")
_REQUEST = re.compile(r"AtomicOpsCtl:\s*(?P<flags>.*)$")
_DRIVER = re.compile(r"^\s+Kernel driver in use: (\S+)")
_NUMA = re.compile(r"^\s+NUMA node: (\d+)")
_PORT = re.compile(r"Express \(v\d\) (?P<port>Root Port|Upstream Port|Downstream Port)")
_BUS = re.compile(r"^\s+Bus: primary=[0-9a-f]+, secondary=(?P<first>[0-9a-f]+), subordinate=(?P<last>[0-9a-f]+)")
# Bits of the ACS control register, PCI Express Base 6.0, 7.7.11.3; of Device Capabilities 2, 7.5.3.15.
_ACS_BITS = {"SrcValid": 0, "TransBlk": 1, "ReqRedir": 2, "CmpltRedir": 3, "UpstreamFwd": 4, "EgressCtrl": 5,
             "DirectTrans": 6}
_ATOMIC_BITS = {"Routing": 6, "32bit": 7, "64bit": 8, "128bitCAS": 9}


@dc.dataclass
class Device:
    """One device, as far as lspci told. Sizes in bytes."""

    bdf: str  # with domain
    kind: str  # class in words: Display controller
    name: str
    code: str | None = None  # 0380, with -nn
    vendor: str | None = None
    device: str | None = None
    bars: list[int] = dc.field(default_factory=list)
    bars_unplaced: list[int] = dc.field(default_factory=list)
    width: int | None = None
    max_width: int | None = None
    speed_mts: int | None = None
    max_speed_mts: int | None = None
    acs: int | None = None
    atomics: int | None = None
    atomics_requested: bool | None = None
    driver: str | None = None
    numa_node: int | None = None
    buses: tuple[int, int] | None = None  # of a bridge: first and last bus below it
    port: str | None = None  # of a bridge: Root Port, Upstream Port, Downstream Port
    verbose: bool = False  # capabilities were printed
    denied: bool = False  # they were not, as it ran without root


def parse(text: str) -> tuple[Device, ...]:
    """Return the devices. Lines before the first device are left out: nobody knows whose they are."""
    found: list[Device] = []
    for line in text.splitlines():
        head = _HEAD.match(line)
        if head:
            found.append(_device(head))
        elif found and line[:1].isspace():
            _capability(found[-1], line)
    return tuple(found)


def _device(head: re.Match[str]) -> Device:
    bdf = head["bdf"] if head["bdf"].count(":") == 2 else f"0000:{head['bdf']}"
    ids = _ID.findall(head["name"])
    vendor, device = ids[-1] if ids else (None, None)
    return Device(bdf, head["class"], _ID.sub("", head["name"]).strip(), head["code"], vendor, device)


def _capability(device: Device, line: str) -> None:
    device.verbose = device.verbose or "Capabilities:" in line or "LnkSta" in line
    device.denied = device.denied or "<access denied>" in line
    region, link = _REGION.match(line), _LINK.match(line)
    if region:
        placed = region["at"] not in ("<unassigned>", "<ignored>") and "[virtual]" not in region["what"]
        (device.bars if placed else device.bars_unplaced).append(size(region["size"]) or 0)
    elif link and link["kind"] == "LnkCap":
        device.max_speed_mts, device.max_width = speed(link["speed"].replace(" ", "")), int(link["width"])
    elif link:
        device.speed_mts, device.width = speed(link["speed"].replace(" ", "")), int(link["width"])
    else:
        _words(device, line)


def _words(device: Device, line: str) -> None:
    acs, atomics, request = _ACS.match(line), _ATOMICS.search(line), _REQUEST.search(line)
    driver, numa, bus, port = _DRIVER.match(line), _NUMA.match(line), _BUS.match(line), _PORT.search(line)
    if acs:
        device.acs = bits(acs["flags"], _ACS_BITS)
    if atomics:
        device.atomics = bits(atomics["flags"], _ATOMIC_BITS)
    if request:
        device.atomics_requested = "ReqEn+" in request["flags"]
    if port:
        device.port = port["port"]
    if driver:
        device.driver = driver[1]
    if numa:
        device.numa_node = int(numa[1])
    if bus:
        device.buses = (int(bus["first"], 16), int(bus["last"], 16))


def bits(flags: str, places: t.Mapping[str, int]) -> int:
    """Return the register of which lspci prints ``Name+`` and ``Name-``."""
    return sum(1 << place for name, place in places.items() if re.search(rf"(?<!\w){name}\+", flags))


def above(device: Device, devices: t.Iterable[Device]) -> Device | None:
    """Return the bridge right above a device: of those whose buses hold its own, the one with the fewest."""
    domain, bus = device.bdf.split(":")[0], int(device.bdf.split(":")[1], 16)
    holding = [(other.buses[1] - other.buses[0], other.bdf, other) for other in devices if other.buses
               and other.bdf.split(":")[0] == domain and other.buses[0] <= bus <= other.buses[1]]
    return min(holding, key=lambda item: item[:2])[2] if holding else None
