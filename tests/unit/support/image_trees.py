# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Trees of images for tests: small ones, with real ELF files of stand-ins in them."""

from __future__ import annotations

import pathlib

from ansible_collections.instinct.fleet.tests.unit.support.providers import libibverbs, provider

LIB = "/usr/lib/x86_64-linux-gnu"
IONIC = f"{LIB}/libibverbs/libionic-rdmav34.so"
STATUS = ("Package: libibverbs1\nStatus: install ok installed\nArchitecture: amd64\nVersion: 44.0-2\n\n"
          "Package: gone\nStatus: deinstall ok config-files\nArchitecture: amd64\nVersion: 1\n\n")


def of_machine(data: bytes, machine: int) -> bytes:
    """A library as if it were for another architecture: 183 is aarch64."""
    return data[:18] + machine.to_bytes(2, "little") + data[20:]


def rdma_tree(root: pathlib.Path, least: int = 1, greatest: int = 4) -> pathlib.Path:
    """A tree with libibverbs, librdmacm and a provider of ionic."""
    folder = root / LIB[1:]
    (folder / "libibverbs").mkdir(parents=True)
    (folder / "libibverbs.so.1.14.44.0").write_bytes(libibverbs())
    (folder / "libibverbs.so.1").symlink_to("libibverbs.so.1.14.44.0")
    (folder / "librdmacm.so.1").write_bytes(libibverbs())
    (root / IONIC[1:]).write_bytes(provider("ionic", least, greatest))
    (root / "etc/libibverbs.d").mkdir(parents=True)
    (root / "etc/libibverbs.d/ionic.driver").write_text("driver ionic\n")
    return root


def image_tree(root: pathlib.Path, rocm: str = "7.0.2", gid: int = 109) -> pathlib.Path:
    """The same as an image: with a system, packages, groups and ROCm."""
    rdma_tree(root)
    for folder in ("var/lib/dpkg", f"opt/rocm-{rocm}/.info", f"opt/rocm-{rocm}/lib/rocblas/library", "bin", "var/cache/apt/archives"):
        (root / folder).mkdir(parents=True)
    (root / "etc/os-release").write_text('ID=debian\nVERSION_ID="12"\n')
    (root / "etc/group").write_text(f"root:x:0:\nrender:x:{gid}:\n")
    (root / "var/lib/dpkg/status").write_text(STATUS)
    (root / "var/cache/apt/archives/lock").touch()
    (root / "bin/sh").write_bytes(provider("ionic", 1, 4))  # any file of this architecture
    (root / "opt/rocm").symlink_to(f"rocm-{rocm}")
    (root / f"opt/rocm-{rocm}/.info/version").write_text(f"{rocm}-56\n")
    for name in ("TensileLibrary_Type_HH_Contraction_gfx942.co", "Kernels.so-000-gfx90a-xnack-.hsaco", "TensileLibrary_lazy_gfx942.dat"):
        (root / f"opt/rocm-{rocm}/lib/rocblas/library/{name}").touch()
    return root
