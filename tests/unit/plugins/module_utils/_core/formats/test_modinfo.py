# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Module files as the linker and sign-file leave them."""

from __future__ import annotations

import struct

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.formats import modinfo

FIELDS = b"version=6.14.14\0license=GPL\0srcversion=DACB82B9A8C62E22A4AAEE1\0alias=a\0alias=b\0\0\0parm=x:a=b (int)\0"


def elf(sections: dict[bytes, bytes]) -> bytes:
    """A 64-bit little-endian relocatable file with these sections: header, contents, section headers."""
    names = b"\0" + b"".join(name + b"\0" for name in [*sections, b".shstrtab"])
    contents, headers, offset = b"", [struct.pack("<2I4Q2I2Q", *[0] * 10)], 64
    for name, content in {**sections, b".shstrtab": names}.items():
        headers.append(struct.pack("<2I4Q2I2Q", names.index(name + b"\0"), 1, 0, 0, offset, len(content), 0, 0, 1, 0))
        contents, offset = contents + content, offset + len(content)
    count = len(headers)
    head = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<2HI3QI6H", 1, 62, 1, 0, 0, offset, 0, 64, 0, 0, 64, count, count - 1)
    return head + contents + b"".join(headers)


def signed(data: bytes, signature: bytes) -> bytes:
    """A module with a signature appended: the signature, its description, the mark."""
    return data + signature + bytes(8) + struct.pack(">I", len(signature)) + b"~Module signature appended~\n"


MODULE = elf({b".text": b"\x90" * 8, b".modinfo": FIELDS})
NAME = b"\x31\x0f\x30\x0d\x06\x03\x55\x04\x03\x0c\x17DKMS module signing key"  # UTF8String of 23 bytes
PLAIN = {"version": "6.14.14", "license": "GPL", "srcversion": "DACB82B9A8C62E22A4AAEE1", "alias": "a",
         "parm": "x:a=b (int)"}

CASES = [
    ("plain", MODULE, PLAIN),
    ("signed", signed(MODULE, b"\x30\x82" + NAME + b"rest"), {**PLAIN, "signer": "DKMS module signing key"}),
    ("signed by key identifier only", signed(MODULE, b"\x30\x82no name"), PLAIN),
    ("a name outside the signature is none", signed(MODULE + NAME, b"\x30"), PLAIN),
    ("no .modinfo", elf({b".text": b"\x90"}), {}),
]


@pytest.mark.parametrize(("data", "fields"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_parse_elf_reads_fields_and_signer(data: bytes, fields: dict[str, str]) -> None:
    assert modinfo.parse_elf(data, "m") == fields


BAD = [
    ("empty", b"", "m: is not a 64-bit ELF file"),
    ("32 bits", b"\x7fELF\x01\x01" + MODULE[6:], "m: is not a 64-bit ELF file"),
    ("cut off in the header", MODULE[:40], "m: is cut off or damaged"),
    ("cut off in the sections", MODULE[:-100], "m: is cut off or damaged"),
]


@pytest.mark.parametrize(("data", "words"), [c[1:] for c in BAD], ids=[c[0] for c in BAD])
def test_parse_elf_refuses_what_is_no_module(data: bytes, words: str) -> None:
    with pytest.raises(DataError, match=words):
        modinfo.parse_elf(data, "m")


def test_parse_output_reads_what_modinfo_prints() -> None:
    printed = ("filename:       /lib/modules/6.8.0-60-generic/updates/dkms/amdgpu.ko.zst\nversion:        6.12.12\n"
               "alias:          a\nalias:          b\nsignature:      1A:2B:\n\t\t3C:4D\nsig_id:         PKCS#7\n")
    assert modinfo.parse_output(printed) == {
        "filename": "/lib/modules/6.8.0-60-generic/updates/dkms/amdgpu.ko.zst", "version": "6.12.12", "alias": "a",
        "signature": "1A:2B:", "sig_id": "PKCS#7"}


PATHS = [
    ("in tree", "kernel/drivers/gpu/drm/amd/amdgpu/amdgpu.ko: kernel/drivers/gpu/drm/drm.ko\n",
     "kernel/drivers/gpu/drm/amd/amdgpu/amdgpu.ko"),
    ("DKMS", "kernel/a.ko:\nupdates/dkms/amdgpu.ko.xz: updates/dkms/amdttm.ko.xz\n", "updates/dkms/amdgpu.ko.xz"),
    ("zstd", "updates/dkms/amdgpu.ko.zst:\n", "updates/dkms/amdgpu.ko.zst"),
    ("only as a dependency", "kernel/x.ko: updates/dkms/amdgpu.ko\n", None),
    ("similar names", "updates/dkms/amdgpu_xcp.ko:\nupdates/dkms/xamdgpu.ko:\n", None),
    ("empty", "", None),
]


@pytest.mark.parametrize(("dep", "path"), [c[1:] for c in PATHS], ids=[c[0] for c in PATHS])
def test_module_path_is_the_one_that_depmod_chose(dep: str, path: str | None) -> None:
    assert modinfo.module_path(dep, "amdgpu") == path


KERNEL = "4.18.0-553.el8_10.x86_64"
LINKS = (f"kernel-{KERNEL}-x86_64",)
KINDS = [
    ("in tree", "kernel/drivers/gpu/drm/amd/amdgpu/amdgpu.ko.xz", LINKS, "in_tree"),
    ("DKMS on Debian", "updates/dkms/amdgpu.ko", (), "dkms"),
    ("DKMS on RHEL", "extra/amdgpu.ko.xz", LINKS, "dkms"),
    ("DKMS on SLES", "updates/amdgpu.ko", LINKS, "dkms"),
    ("a kmod package", "extra/amdgpu.ko.xz", (), "other"),
    ("DKMS for another kernel", "extra/amdgpu.ko.xz", ("kernel-5.14.0-x86_64",), "other"),
    ("copied by hand", "amdgpu.ko", LINKS, "other"),
]


@pytest.mark.parametrize(("path", "links", "kind"), [c[1:] for c in KINDS], ids=[c[0] for c in KINDS])
def test_kind_says_where_a_module_came_from(path: str, links: tuple[str, ...], kind: str) -> None:
    assert modinfo.kind(path, links, KERNEL) == kind
