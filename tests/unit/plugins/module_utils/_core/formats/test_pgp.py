# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keyrings made by gpg itself, packets laid out by hand, and everything that is no keyring."""

from __future__ import annotations

import base64
import os
import subprocess
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.formats import pgp


class Gpg(t.NamedTuple):
    """Two keys as gpg exports them: the first of elliptic curves with a subkey, the second RSA."""

    fingerprints: tuple[str, ...]
    binary: bytes
    armoured: bytes
    each: tuple[bytes, ...]


@pytest.fixture(scope="module")
def gpg(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[Gpg]:
    home = tmp_path_factory.mktemp(f"gpg-{os.getpid()}")
    home.chmod(0o700)

    def run(*arguments: str) -> bytes:
        command = ["gpg", "--homedir", str(home), "--batch", "--quiet", *arguments]
        return subprocess.run(command, check=True, capture_output=True).stdout

    for name, kind in (("first@example.com", "future-default"), ("second@example.com", "rsa2048")):
        run("--passphrase", "", "--quick-generate-key", name, kind, "default", "never")
    listing = run("--with-colons", "--list-keys").decode().splitlines()
    prints = tuple(listing[i + 1].split(":")[9] for i, line in enumerate(listing) if line.startswith("pub:"))
    yield Gpg(prints, run("--export"), run("--armor", "--export"), tuple(run("--armor", "--export", p) for p in prints))
    subprocess.run(["gpgconf", "--homedir", str(home), "--kill", "gpg-agent"], check=True)


def test_fingerprints_are_those_that_gpg_prints(gpg: Gpg) -> None:
    assert len(gpg.fingerprints) == 2
    assert pgp.fingerprints(gpg.binary, "k") == gpg.fingerprints


def test_armour_changes_nothing(gpg: Gpg) -> None:
    assert pgp.dearmor(gpg.armoured, "k") == gpg.binary
    assert pgp.dearmor(gpg.binary, "k") == gpg.binary
    assert pgp.fingerprints(gpg.armoured, "k") == gpg.fingerprints


def test_armoured_as_gpg_does_it(gpg: Gpg) -> None:
    made = pgp.armour(pgp.dearmor(gpg.each[0], "k"))
    assert made.split(b"\n\n")[1] == gpg.each[0].split(b"\n\n")[1]
    assert pgp.dearmor(made, "k") == pgp.dearmor(gpg.each[0], "k")


def test_several_armoured_blocks_with_text_between_them_are_one_keyring(gpg: Gpg) -> None:
    text = b"our keys:\n" + b"\nand the second:\n".join(gpg.each) + b"\n"
    assert pgp.fingerprints(text.replace(b"\n", b"\r\n"), "k") == gpg.fingerprints


def test_a_key_that_is_there_twice_counts_once(gpg: Gpg) -> None:
    assert pgp.fingerprints(gpg.binary + gpg.binary, "k") == gpg.fingerprints


def test_one_changed_letter_is_found_by_the_check_sum(gpg: Gpg) -> None:
    lines = gpg.armoured.splitlines(keepends=True)
    body = next(i for i, line in enumerate(lines) if i > 2 and len(line) > 60)
    lines[body] = (b"A" if lines[body][:1] != b"A" else b"B") + lines[body][1:]
    with pytest.raises(DataError, match="k: has a wrong armour check sum"):
        pgp.fingerprints(b"".join(lines), "k")


# The public key of RFC 9580's sample certificate (appendix A.3) and the fingerprint that the RFC states for it.
V6 = bytes.fromhex("0663877fe31b00000020f94da7bb48d60a61e567706a6587d0331999bb9d891a08242ead84543df895a3")
V6_PRINT = "CB186C4F0609A697E4D52DFA6C722B0C1F1E27C18A56708F6525EC27BAD9ACC9"
LONG = V6[:5] + b"\x1b" + b"\0" * 9000  # only as long as lengths of several forms need


def armour(data: bytes) -> bytes:
    """Armour without a check sum, which RFC 9580 allows."""
    return (b"-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n" + base64.encodebytes(data)
            + b"-----END PGP PUBLIC KEY BLOCK-----\n")


def new(length: bytes, body: bytes = V6) -> bytes:
    """A public key packet with a length in the new form."""
    return bytes([0xC6]) + length + body


# id, keyring with the RFC's key
FORMS = [
    ("new form, one octet", new(bytes([len(V6)]))),
    ("new form, five octets", new(b"\xff" + len(V6).to_bytes(4, "big"))),
    ("new form, in parts of 32 and the rest", new(b"\xe5" + V6[:32] + bytes([len(V6) - 32]) + V6[32:], b"")),
    ("old form, one octet", bytes([0x98, len(V6)]) + V6),
    ("old form, two octets", b"\x99" + len(V6).to_bytes(2, "big") + V6),
    ("old form, four octets", b"\x9a" + len(V6).to_bytes(4, "big") + V6),
    ("old form, to the end", b"\x9b" + V6),
    ("other packets around it", b"\xcd\x03abc" + new(bytes([len(V6)])) + b"\xce\x02hi"),
    ("armoured without check sum", armour(new(bytes([len(V6)])))),
]


@pytest.mark.parametrize("keyring", [c[1] for c in FORMS], ids=[c[0] for c in FORMS])
def test_fingerprints_reads_every_form_of_length(keyring: bytes) -> None:
    assert pgp.fingerprints(keyring, "k") == (V6_PRINT,)


def test_fingerprints_reads_a_length_of_two_octets() -> None:
    size = len(LONG) - 8000
    head = bytes([0xC0 + ((size - 192) >> 8), (size - 192) & 0xFF])
    short = LONG[:size]
    assert pgp.fingerprints(new(head, short), "k") == pgp.fingerprints(b"\x99" + size.to_bytes(2, "big") + short, "k")


BAD = [
    ("empty", b"", "holds no OpenPGP public key"),
    ("text", b"<html>not found</html>", "is not an OpenPGP keyring"),
    ("only a subkey", b"\xce\x02\x04\x00", "holds no OpenPGP public key"),
    ("cut off in the body", new(bytes([len(V6)]))[:-1], "ends inside an OpenPGP packet"),
    ("cut off in the length", b"\xc6\xff\0\0", "ends inside an OpenPGP packet"),
    ("cut off before the length", b"\xc6", "ends inside an OpenPGP packet"),
    ("cut off in an old length", b"\x9a\0\0", "ends inside an OpenPGP packet"),
    ("a key of version 3", b"\xc6\x02\x03\x00", "holds a key of version 3, only 4 and 6 are known"),
    ("an empty key", b"\xc6\x00", "holds a key of version 0"),
    ("a signature in armour", b"-----BEGIN PGP SIGNATURE-----\n\nAAAA\n-----END PGP SIGNATURE-----\n",
     "is armoured but holds no public key block"),
    ("armour without end", armour(V6).partition(b"-----END")[0], "has no end of its armour"),
    ("armour that is not base64", b"-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n!!\n-----END PGP PUBLIC KEY BLOCK-----\n",
     "holds armour that is not base64"),
    ("armour that is not ASCII", armour(V6) + "ü".encode(), "is armoured but not ASCII"),
]


@pytest.mark.parametrize(("data", "words"), [c[1:] for c in BAD], ids=[c[0] for c in BAD])
def test_fingerprints_refuses_what_is_no_keyring(data: bytes, words: str) -> None:
    with pytest.raises(DataError) as refused:
        pgp.fingerprints(data, "/etc/apt/keyrings/x.gpg")
    assert words in refused.value.sentence
    assert refused.value.where == "/etc/apt/keyrings/x.gpg"
