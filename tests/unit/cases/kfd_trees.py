# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Trees of /sys/class/kfd as somebody packs them: too many small files to keep each in the repository."""

from __future__ import annotations

import io
import tarfile
import typing as t

CPU = {"cpu_cores_count": 112, "simd_count": 0, "location_id": 0, "domain": 0, "drm_render_minor": 0}


def pack(path: str, nodes: t.Sequence[tuple[int, dict[str, int], int]]) -> None:
    """Write an archive with one folder per node: (gpu_id, properties, bytes of memory)."""
    with tarfile.open(path, "w:xz", preset=0) as archive:
        for number, (gpu_id, properties, memory) in enumerate(nodes):
            bank = {"heap_type": 1 if gpu_id else 0, "size_in_bytes": memory, "flags": 0}
            folder = f"kfd/topology/nodes/{number}"
            for name, text in (("gpu_id", f"{gpu_id}\n"), ("properties", lines(properties)), ("name", "ip discovery\n"),
                               ("mem_banks/0/properties", lines(bank)), ("caches/0/properties", "level 1\n")):
                member = tarfile.TarInfo(f"{folder}/{name}")
                member.size = len(text)
                archive.addfile(member, io.BytesIO(text.encode()))


def lines(values: t.Mapping[str, int]) -> str:
    """The text of a properties file."""
    return "".join(f"{name} {value}\n" for name, value in values.items())


def partitioned(path: str) -> None:
    """Two processors, then eight MI308 in two PCI domains, four partitions each; eight minors are kept for each."""
    gpus = [(domain, bus) for domain, buses in ((0, (0x0A, 0x80, 0xA4, 0xC8)), (1, (0x0B, 0x81, 0xA5, 0xC9)))
            for bus in buses]
    parts = [(1000 + 8 * index + part, {
        "simd_count": 80, "vendor_id": 4098, "device_id": 0x74A2, "location_id": bus << 8 | part, "domain": domain,
        "drm_render_minor": 128 + 8 * index + part, "hive_id": 5301122334455667788, "unique_id": 7000 + index,
        "num_xcc": 1}, 51539607552) for index, (domain, bus) in enumerate(gpus) for part in range(4)]
    pack(path, [(0, CPU, 2**40), (0, CPU, 2**40), *parts])


def twice(path: str) -> None:
    """One Vega, whose node somebody copied to have two."""
    node = {"simd_count": 256, "vendor_id": 4098, "device_id": 0x6860, "location_id": 6400, "drm_render_minor": 128}
    pack(path, [(0, CPU, 2**36), (13261, {**node, "unique_id": 11}, 17163091968),
                (13261, {**node, "drm_render_minor": 129, "unique_id": 12}, 17163091968)])


GENERATED: dict[str, t.Callable[[str], None]] = {"mi308-cpx4.tar.xz": partitioned, "vega-twice.tar.xz": twice}
