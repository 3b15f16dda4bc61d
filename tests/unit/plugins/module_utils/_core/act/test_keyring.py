# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keyrings that hold more or less than the pinned key."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.act.fileset import Seen
from ansible_collections.instinct.fleet.plugins.module_utils._core.act.keyring import (
    accepted,
    checked_path,
    held,
    keyring_file,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError, FleetError

FINGERPRINT = "CA8BB4727A47B4D09B4EE8969386B48A1A693C5C"
# A version 4 key packet with made-up material, and its fingerprint by sha1sum over 0x99, length and body.
KEY = b"\xc6\x0a\x04\x5e\x0b\xe1\x00\x16ours"
KEY_FINGERPRINT = "1E160F69F8540A3F4470B2ACA745ED0C61A9C550"


@pytest.mark.parametrize(("path", "why"), [
    ("a.gpg", "is not an absolute path"), ("/etc/../a.gpg", "is not an absolute path"),
    ("/etc/a.asc", "does not end in .gpg"), ("/etc/a", "does not end in .gpg"),
])
def test_checked_path_refuses(path: str, why: str) -> None:
    with pytest.raises(DataError, match=f"^{path}: {why}"):
        checked_path(path, "apt")


def test_checked_path_of_rpm_may_have_any_name() -> None:
    path = "/etc/pki/rpm-gpg/RPM-GPG-KEY-instinct-radeon"
    assert checked_path(path, "dnf") == path
    with pytest.raises(DataError, match="is not an absolute path"):
        checked_path("key", "zypper")


HELD = {
    "the key": (Seen("file", KEY), (KEY_FINGERPRINT,)),
    "absent": (Seen(), ()),
    "a link to it": (Seen("link", KEY, target="x"), ()),
    "no keyring": (Seen("file", b"<html>"), ()),
    "cut off": (Seen("file", KEY[:-1]), ()),
}


@pytest.mark.parametrize(("seen", "found"), HELD.values(), ids=HELD)
def test_held(seen: Seen, found: tuple[str, ...]) -> None:
    assert held(seen, "/a.gpg") == found


def test_accepted() -> None:
    assert accepted(KEY, "url", KEY_FINGERPRINT, "apt") == KEY
    armoured = accepted(KEY, "url", KEY_FINGERPRINT, "dnf")
    assert armoured.startswith(b"-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n")
    assert accepted(armoured, "url", KEY_FINGERPRINT, "zypper") == armoured
    with pytest.raises(FleetError, match=f"^url: holds {KEY_FINGERPRINT}, not just the pinned key {FINGERPRINT}; "):
        accepted(KEY, "url", FINGERPRINT, "apt")


def test_keyring_file_is_readable_for_the_user_of_apt() -> None:
    file = keyring_file("/a.gpg", KEY)
    assert (file.owner, file.group, file.mode, file.content) == ("root", "root", 0o644, KEY)
