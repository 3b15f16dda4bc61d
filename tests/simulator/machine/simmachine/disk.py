# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A disk that GRUB starts from, made of a tree without mounting anything."""

from __future__ import annotations

import shutil
import struct
import subprocess
from pathlib import Path

from simhost.errors import SimError

SECTOR = 512
FIRST = 2048  # sector of the one partition
UUID = "51a00000-0000-4000-8000-000000000001"
LABEL = "instinct"
LINUX, BOOTABLE, NO_CHS = 0x83, 0x80, b"\xfe\xff\xff"
# GRUB 2.06 cannot read a file system with these.
WITHOUT = "^metadata_csum_seed,^orphan_file"


def partition_table(sectors: int) -> bytes:
    """The last 66 bytes of the first sector: one bootable Linux partition from FIRST on."""
    entry = struct.pack("<B3sB3sII", BOOTABLE, NO_CHS, LINUX, NO_CHS, FIRST, sectors)
    return entry + bytes(48) + b"\x55\xaa"


def run(*command: str | Path) -> None:
    """Run a command.

    Raises:
        SimError: it is missing or fails.
    """
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError) as error:
        words = (getattr(error, "stderr", "") or str(error)).strip().splitlines()
        raise SimError(f"{Path(command[0]).name} failed: {words[-1] if words else 'no word'}") from error


def make(tree: Path, target: Path, mebibytes: int) -> None:
    """Write the tree to a new disk in qcow2 format; GRUB's own images lie in the tree's /boot/grub/i386-pc.

    Raises:
        SimError: a tool is missing or fails.
    """
    raw = target.with_suffix(".raw")
    grub = tree / "boot" / "grub" / "i386-pc"
    size = mebibytes << 20
    with open(raw, "wb") as disk:
        disk.truncate(size)
    kibibytes = (size - FIRST * SECTOR) >> 10
    mke2fs = shutil.which("mke2fs", path="/usr/sbin:/sbin") or "mke2fs"
    run(mke2fs, "-q", "-F", "-t", "ext4", "-L", LABEL, "-U", UUID, "-O", WITHOUT,
        "-E", f"offset={FIRST * SECTOR},lazy_itable_init=1,nodiscard", "-d", tree, raw, f"{kibibytes}k")
    with open(raw, "r+b") as disk:
        disk.write((grub / "boot.img").read_bytes()[:440])
        disk.seek(SECTOR - 66)
        disk.write(partition_table((kibibytes << 10) // SECTOR))
        core = (grub / "core.img").read_bytes()
        if len(core) > (FIRST - 1) * SECTOR:
            raise SimError("GRUB's core image does not fit before the partition")
        disk.write(core)
    run("qemu-img", "convert", "-O", "qcow2", raw, target.with_suffix(".new"))
    raw.unlink()
    target.with_suffix(".new").replace(target)
