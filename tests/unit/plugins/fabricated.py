# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A machine fabricated under a folder: files, links, recorded command outputs, GPUs in sysfs and KFD."""

from __future__ import annotations

import typing as t
from pathlib import Path

from ansible_collections.instinct.fleet.plugins.module_utils._node.apart import UnreadableError
from ansible_collections.instinct.fleet.plugins.module_utils._node.command import Ran, SlowError
from ansible_collections.instinct.fleet.plugins.module_utils._node.machine import Machine

KFD = "/sys/class/kfd/kfd"


class Recorded:
    """A command that has already ended with a recorded output, or that never ends."""

    def __init__(self, ran: Ran | None) -> None:
        self._ran = ran

    def wait(self, seconds: float) -> Ran:
        """Return the recording."""
        if self._ran is None:
            raise SlowError(f"it did not end in {seconds:.0f} s", "")
        return self._ran


class Tree:
    """Files below a folder, and the machine that reads them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.commands: dict[str, Ran | None] = {}  # command line -> what it leaves behind; None: it hangs
        self.asked: list[str] = []

    def write(self, path: str, content: str | bytes = "") -> Path:
        """Write one file with the folders above it."""
        file = self.root / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            file.write_bytes(content)
        else:
            file.write_text(content, encoding="utf-8")
        return file

    def fill(self, files: t.Mapping[str, str]) -> Tree:
        """Write several files."""
        for path, content in files.items():
            self.write(path, content)
        return self

    def folder(self, path: str) -> None:
        """Make an empty folder."""
        (self.root / path.lstrip("/")).mkdir(parents=True, exist_ok=True)

    def link(self, path: str, target: str) -> None:
        """Make a symbolic link; an absolute target means one in the tree."""
        link = self.root / path.lstrip("/")
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(target)

    def machine(self, **options: t.Any) -> Machine:
        """The machine, with recorded commands."""
        return Machine(root=str(self.root), starter=self._start, streamer=self._stream, **options)

    def _stream(self, argv: t.Sequence[str], end: float) -> t.Iterator[bytes]:
        ran = self._start(argv).wait(1)
        yield ran.stdout.encode()
        if ran.code:
            raise UnreadableError(f"{argv[0]}: {ran.stderr}")

    def _start(self, argv: t.Sequence[str]) -> Recorded:
        line = " ".join(argv)
        self.asked.append(line)
        if line not in self.commands:
            raise UnreadableError(f"{argv[0]} cannot be run: No such file or directory")
        return Recorded(self.commands[line])

    def pci(self, bdf: str, device: str = "0x74a1", driver: str | None = "amdgpu", **attributes: str) -> str:
        """Put an accelerator on the bus. Returns its folder."""
        folder = f"/sys/bus/pci/devices/{bdf}"
        words = {"vendor": "0x1002", "class": "0x120000", "device": device, "numa_node": "0", "current_link_width": "16",
                 "max_link_width": "16", "current_link_speed": "32.0 GT/s PCIe", "max_link_speed": "32.0 GT/s PCIe",
                 "power/runtime_status": "active"}
        self.fill({f"{folder}/{name}": f"{word}\n" for name, word in {**words, **attributes}.items()})
        if driver:
            self.link(f"{folder}/driver", f"../../../bus/pci/drivers/{driver}")
        return folder

    def kfd_node(self, number: int, location: int, minor: int, gpu_id: int | None = None) -> int:
        """Put a GPU node into the KFD topology. Returns its GPU id."""
        identifier = gpu_id or 40000 + number
        folder = f"{KFD}/topology/nodes/{number}"
        self.fill({
            f"{folder}/gpu_id": f"{identifier}\n", f"{folder}/name": "ip discovery\n",
            f"{folder}/properties": f"simd_count 304\nlocation_id {location}\ndomain 0\ndrm_render_minor {minor}\n",
            f"{folder}/mem_banks/0/properties": "heap_type 1\nsize_in_bytes 206141652992\n",
        })
        return identifier

    def kfd_cpu(self, number: int = 0) -> None:
        """Put a CPU node into the KFD topology."""
        folder = f"{KFD}/topology/nodes/{number}"
        self.fill({f"{folder}/gpu_id": "0\n", f"{folder}/properties": "cpu_cores_count 96\nsimd_count 0\n"})
