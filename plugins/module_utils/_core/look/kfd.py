# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The KFD topology: which compute nodes exist, and which physical GPU each belongs to."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..errors import DataError

# location_id = bus << 8 | device << 3 | function. The partition number is put into the function bits by mainline
# kernels (1280 to 1287 in ROCm/k8s-device-plugin:testdata) and into bits 28-31 by some DKMS drivers (the layout of
# amdsmi_get_gpu_bdf_id in amdsmi.h).
_FUNCTION = 0x7
_HIGH = 0xF0000000
# A link of XGMI weighs 15 for each hop, so one that weighs more is no direct one.
# source: torvalds/linux drivers/gpu/drm/amd/amdkfd/kfd_crat.h (CRAT_IOLINK_TYPE_XGMI), and the weight: kfd_crat.c
_XGMI, _ONE_HOP = 11, 15


@dc.dataclass(frozen=True)
class Node:
    """One GPU node of the topology: a whole GPU or one partition of it."""

    number: int
    gpu_id: int
    domain: int
    location: int
    render_minor: int | None
    hive: int
    unique: int
    device: int
    vram_bytes: int | None = None

    @property
    def bdf(self) -> str:
        """The PCI address as the location says it, function bits included."""
        return _bdf(self.domain, self.location & ~_HIGH)

    @property
    def rocr_uuid(self) -> str | None:
        """The name that ROCR_VISIBLE_DEVICES takes; None for one without an id.

        source: ROCm/ROCR-Runtime runtime/hsa-runtime/core/runtime/amd_gpu_agent.cpp (HSA_AMD_AGENT_INFO_UUID)
        """
        return f"GPU-{self.unique:016x}" if self.unique else None

    @property
    def gpu_bdf(self) -> str:
        """The PCI address with the function bits cleared."""
        return _bdf(self.domain, self.location & ~_HIGH & ~_FUNCTION)


def _bdf(domain: int, location: int) -> str:
    return f"{domain:04x}:{location >> 8 & 0xFF:02x}:{location >> 3 & 0x1F:02x}.{location & _FUNCTION}"


def parse_properties(text: str) -> dict[str, int]:
    """Read one properties file.

    Raises:
        DataError: a line is not a name and a number.
    """
    values = {}
    for line in text.splitlines():
        name, _blank, number = line.partition(" ")
        if not number.strip().isdigit():
            raise DataError("KFD topology", f"line not understood: {line!r}")
        values[name] = int(number)
    return values


def node(number: int, gpu_id: int, properties: t.Mapping[str, int], vram_bytes: int | None = None) -> Node | None:
    """Return the GPU node, or None for a CPU (it has no SIMD units and no GPU id)."""
    if not gpu_id or not properties.get("simd_count"):
        return None
    minor = properties.get("drm_render_minor", 0)
    return Node(
        number=number, gpu_id=gpu_id, domain=properties.get("domain", 0), location=properties.get("location_id", 0),
        render_minor=minor if minor > 0 else None, hive=properties.get("hive_id", 0),
        unique=properties.get("unique_id", 0), device=properties.get("device_id", 0), vram_bytes=vram_bytes,
    )


def memory(banks: t.Iterable[str]) -> int | None:
    """Return the bytes of frame buffer in the memory banks of a node; None if it has no bank of that kind."""
    sizes = [bank.get("size_in_bytes", 0) for bank in map(parse_properties, banks) if bank.get("heap_type") in (1, 2)]
    return sum(sizes) if sizes else None


def peers(links: t.Iterable[str], owners: t.Mapping[int, str], bdf: str) -> tuple[str, ...]:
    """Return the GPUs that one has a direct link of XGMI to.

    Args:
        links: properties of the links of one of its nodes.
        owners: number of a node -> its GPU.
        bdf: of the GPU.
    """
    found = {owners.get(link.get("node_to", -1)) for link in map(parse_properties, links)
             if link.get("type") == _XGMI and link.get("weight", _ONE_HOP) <= _ONE_HOP}
    return tuple(sorted(peer for peer in found if peer not in (None, bdf)))


def partitions(nodes: t.Iterable[Node], bdfs: t.Collection[str]) -> dict[str, tuple[tuple[int, Node], ...]]:
    """Return PCI address of each GPU -> its (partition number, node) in order of partition.

    A node belongs to the PCI function that its location names if there is one (a virtual function), else to function 0
    of the same device. Where drivers give no number in the location, node order counts.
    """
    groups: dict[str, list[Node]] = {}
    for item in sorted(nodes, key=lambda n: n.number):
        groups.setdefault(item.bdf if item.bdf in bdfs else item.gpu_bdf, []).append(item)
    return {bdf: _numbered(members) for bdf, members in groups.items()}


def _numbered(members: list[Node]) -> tuple[tuple[int, Node], ...]:
    in_function = [member.location & _FUNCTION for member in members]
    in_high_bits = [member.location >> 28 for member in members]
    for numbers in (in_function, in_high_bits):
        if len(set(numbers)) == len(members) > 1:
            return tuple(sorted(zip(numbers, members), key=lambda pair: pair[0]))
    return tuple(enumerate(members))
