# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Fingerprints of the primary keys in an OpenPGP keyring, without gpg. source: RFC 9580, RFC 4880."""

from __future__ import annotations

import base64
import binascii
import hashlib
import typing as t

from ..errors import DataError

_PUBLIC_KEY = 6  # packet type id; 14 is a subkey and not of interest here
_BEGIN = "-----BEGIN PGP PUBLIC KEY BLOCK-----"
_END = "-----END PGP PUBLIC KEY BLOCK-----"
_CRC24_INIT, _CRC24_POLY = 0xB704CE, 0x1864CFB


def fingerprints(data: bytes, where: str) -> tuple[str, ...]:
    """Return the fingerprints of all primary keys, upper case, in order; ``data`` is binary or armoured.

    Raises:
        DataError: the data is no keyring, is cut off, or its check sum is wrong.
    """
    found = [_fingerprint(body, where) for tag, body in _packets(dearmor(data, where), where) if tag == _PUBLIC_KEY]
    if not found:
        raise DataError(where, "holds no OpenPGP public key")
    return tuple(dict.fromkeys(found))


def dearmor(data: bytes, where: str) -> bytes:
    """Return a binary keyring: all armoured blocks joined; binary data as it is.

    Raises:
        DataError: the armour is damaged or holds something else than public keys.
    """
    return b"".join(_blocks(data, where)) if b"-----BEGIN PGP" in data else data


def armour(data: bytes) -> bytes:
    """The armoured text of a binary keyring: the only form that rpm imports."""
    body = base64.b64encode(data).decode("ascii")
    lines = [body[start:start + 64] for start in range(0, len(body), 64)]
    check = "=" + base64.b64encode(_crc24(data).to_bytes(3, "big")).decode("ascii")
    return "\n".join([_BEGIN, "", *lines, check, _END, ""]).encode("ascii")


def _fingerprint(body: bytes, where: str) -> str:
    version = body[0] if body else 0
    if version == 4:
        # SHA-1 is what the format defines for this version; nothing is signed with it here.
        return hashlib.sha1(b"\x99" + len(body).to_bytes(2, "big") + body, usedforsecurity=False).hexdigest().upper()
    if version == 6:
        return hashlib.sha256(b"\x9b" + len(body).to_bytes(4, "big") + body).hexdigest().upper()
    raise DataError(where, f"holds a key of version {version}, only 4 and 6 are known")


def _packets(data: bytes, where: str) -> t.Iterator[tuple[int, bytes]]:
    position = 0
    while position < len(data):
        head = data[position]
        if not head & 0x80:
            raise DataError(where, "is not an OpenPGP keyring")
        read = _new_length if head & 0x40 else _old_length
        tag = head & 0x3F if head & 0x40 else (head >> 2) & 0x0F
        try:
            body, position = read(data, position)
        except IndexError:
            raise DataError(where, "ends inside an OpenPGP packet") from None
        yield tag, body


def _old_length(data: bytes, position: int) -> tuple[bytes, int]:
    kind = data[position] & 0x03
    if kind == 3:
        return data[position + 1:], len(data)
    size = 1 << kind
    start = position + 1 + size
    return _slice(data, start, int.from_bytes(_slice(data, position + 1, size)[0], "big"))


def _new_length(data: bytes, position: int) -> tuple[bytes, int]:
    body = b""
    position += 1
    while True:
        first = data[position]
        if first < 192:
            length, start, partial = first, position + 1, False
        elif first < 224:
            length, start, partial = ((first - 192) << 8) + data[position + 1] + 192, position + 2, False
        elif first == 255:
            length, start, partial = int.from_bytes(_slice(data, position + 1, 4)[0], "big"), position + 5, False
        else:
            length, start, partial = 1 << (first & 0x1F), position + 1, True
        part, position = _slice(data, start, length)
        body += part
        if not partial:
            return body, position


def _slice(data: bytes, start: int, length: int) -> tuple[bytes, int]:
    """Return exactly ``length`` bytes and the position behind them.

    Raises:
        IndexError: there are fewer.
    """
    if start + length > len(data):
        raise IndexError(start + length)
    return data[start:start + length], start + length


def _blocks(data: bytes, where: str) -> list[bytes]:
    try:
        lines = [line.strip() for line in data.decode("ascii").splitlines()]
    except UnicodeDecodeError:
        raise DataError(where, "is armoured but not ASCII") from None
    blocks = []
    while _BEGIN in lines:
        start = lines.index(_BEGIN)
        if _END not in lines[start:]:
            raise DataError(where, "has no end of its armour")
        end = lines.index(_END, start)
        blocks.append(_block(lines[start + 1:end], where))
        lines = lines[end + 1:]
    if not blocks:
        raise DataError(where, "is armoured but holds no public key block")
    return blocks


def _block(lines: list[str], where: str) -> bytes:
    body = lines[lines.index("") + 1:] if "" in lines else lines  # armour headers end with an empty line
    checks = [line[1:] for line in body if len(line) == 5 and line.startswith("=")]
    try:
        text = "".join(line for line in body if not (len(line) == 5 and line.startswith("=")))
        data = base64.b64decode(text, validate=True)
        wanted = [int.from_bytes(base64.b64decode(check, validate=True), "big") for check in checks]
    except binascii.Error:
        raise DataError(where, "holds armour that is not base64") from None
    if any(crc != _crc24(data) for crc in wanted):  # optional since RFC 9580, but if there, it must be right
        raise DataError(where, "has a wrong armour check sum")
    return data


def _crc24_table() -> tuple[int, ...]:
    table = []
    for byte in range(256):
        crc = byte << 16
        for _bit in range(8):
            crc = (crc << 1) ^ (_CRC24_POLY if crc & 0x800000 else 0)
        table.append(crc & 0xFFFFFF)
    return tuple(table)


def _crc24(data: bytes) -> int:
    table, crc = _crc24_table(), _CRC24_INIT
    for byte in data:
        crc = ((crc << 8) & 0xFFFFFF) ^ table[(crc >> 16) ^ byte]
    return crc
