# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What a kernel module file says about itself, without starting modinfo."""

from __future__ import annotations

import re
import struct
import typing as t

from ..errors import DataError

_ELF64_LITTLE = b"\x7fELF\x02\x01"
_SIGNED = b"~Module signature appended~\n"
# id-at-commonName with a PrintableString or UTF8String behind it. A module signature carries no certificate, so the
# first name in it is the issuer's, which for a self-signed key is the signer's: what modinfo prints.
_COMMON_NAME = re.compile(rb"\x06\x03\x55\x04\x03[\x0c\x13](.)", re.DOTALL)


def parse_elf(data: bytes, where: str) -> dict[str, str]:
    """Return the first value of each .modinfo field, and ``signer`` if a signature names one.

    Raises:
        DataError: not a 64-bit little-endian ELF file, or cut off.
    """
    if not data.startswith(_ELF64_LITTLE):
        raise DataError(where, "is not a 64-bit ELF file")
    try:
        section = _section(data, b".modinfo")
    except (struct.error, IndexError, ValueError):
        raise DataError(where, "is cut off or damaged") from None
    fields = parse_fields(section)
    signer = _signer(data)
    return {**fields, "signer": signer} if signer else fields


def parse_fields(section: bytes) -> dict[str, str]:
    """Read name=value strings that end with NUL bytes."""
    fields: dict[str, str] = {}
    for item in section.split(b"\0"):
        name, equals, value = item.decode("utf-8", "replace").partition("=")
        if equals:
            fields.setdefault(name, value)
    return fields


def parse_output(text: str) -> dict[str, str]:
    """Read what modinfo prints: the first value of each field."""
    fields: dict[str, str] = {}
    for line in text.splitlines():
        name, colon, value = line.partition(":")
        if colon and name and not name[0].isspace():
            fields.setdefault(name, value.strip())
    return fields


def _section(data: bytes, wanted: bytes) -> bytes:
    (table,) = struct.unpack_from("<Q", data, 40)
    size, count, names_index = struct.unpack_from("<3H", data, 58)
    headers = [struct.unpack_from("<2I4Q", data, table + size * index) for index in range(count)]
    names = headers[names_index]
    for name, _kind, _flags, _address, offset, length in headers:
        start = names[4] + name
        if data[start:data.index(b"\0", start)] == wanted:
            return data[offset:offset + length]
    return b""


def _signer(data: bytes) -> str | None:
    if not data.endswith(_SIGNED):
        return None
    head = len(data) - len(_SIGNED) - 12  # struct module_signature: 8 bytes, then the length, big endian
    (length,) = struct.unpack_from(">I", data, head + 8)
    return common_name(data[max(0, head - length):head])


def common_name(data: bytes) -> str | None:
    """Return the first common name in DER: in a signature and in a self-signed certificate that of the key."""
    match = _COMMON_NAME.search(data)
    return data[match.end():match.end() + match[1][0]].decode("utf-8", "replace") if match else None


def module_path(modules_dep: str, module: str) -> str | None:
    """Return the path (relative to the kernel's directory) that depmod chose for a module; None if it has none."""
    match = re.search(rf"^(\S*/)?{re.escape(module)}\.ko(\.(?:xz|zst|gz))?:", modules_dep, re.MULTILINE)
    return match[0][:-1] if match else None


def kind(path: str, dkms_links: t.Collection[str], kernel: str) -> str:
    """Say where a module file came from: dkms, in_tree or other. ``dkms_links`` are kernel-<release>-<arch> names.

    DKMS installs to updates/dkms on Debian and to extra or updates elsewhere. source: dkms(8), DEST_MODULE_LOCATION
    """
    if path.startswith("kernel/"):
        return "in_tree"
    if path.startswith("updates/dkms/"):
        return "dkms"
    ours = any(link.startswith(f"kernel-{kernel}-") for link in dkms_links)
    return "dkms" if ours and path.startswith(("extra/", "updates/", "weak-updates/")) else "other"
