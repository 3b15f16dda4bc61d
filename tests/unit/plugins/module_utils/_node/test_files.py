# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Digests of files, and the node's own record."""

from __future__ import annotations

import os
import pwd

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Files, JournalEntry, ManagedFile
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.managed import UNATTENDED
from ansible_collections.instinct.fleet.plugins.module_utils._node import files
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree

ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  # SHA-256 of abc, FIPS 180-2 B.1


def test_read_files(tree: Tree) -> None:
    user = pwd.getpwuid(os.getuid()).pw_name
    tree.fill({"/etc/passwd": f"{user}:x:{os.getuid()}:0::/:/bin/sh\n", "/etc/group": f"staff:x:{os.getgid()}:\n"})
    tree.write("/etc/a", "abc").chmod(0o640)
    tree.link("/etc/b", "/etc/a")
    tree.link("/etc/c", "/etc/none")
    assert files.read(tree.machine(), ["/etc/b", "/etc/a", "/etc/c", "/etc/none"]) == Files((
        ManagedFile("/etc/b", ABC, user, "staff", "0640", "/etc/a"), ManagedFile("/etc/a", ABC, user, "staff", "0640"),
        ManagedFile("/etc/c", link="/etc/none"), ManagedFile("/etc/none")))


@pytest.mark.parametrize(
    ("path", "data", "text"),
    [
        (UNATTENDED, b"abc", "abc"),
        (UNATTENDED, b"\xff", None),
        (UNATTENDED, b"a" * 256 * 1024, "a" * 256 * 1024),
        (UNATTENDED, b"a" * (256 * 1024 + 1), None),
        ("/etc/shadow", b"abc", None),
    ],
    ids=["ours", "no text", "just small enough", "too large", "not ours"],
)
def test_only_small_texts_of_our_own_are_given(tree: Tree, path: str, data: bytes, text: str | None) -> None:
    tree.write(path, "").write_bytes(data)
    assert files.read(tree.machine(), [path]).files[0].text == text


def test_a_folder_has_no_digest_and_a_reason(tree: Tree) -> None:
    tree.folder("/etc/d")
    assert files.read(tree.machine(), ["/etc/d"]) == Files((ManagedFile("/etc/d"),), unknown={
        "files./etc/d": "/etc/d: Is a directory"})


RECORDS = [
    ("a release", '{"version": "v1", "release": "rocm-7.0.2"}', "rocm-7.0.2", {}),
    ("no release", "{}", None, {"recorded_release": "/var/lib/instinct/release.json does not name a release"}),
    ("no JSON", "rocm", None, {"recorded_release": "/var/lib/instinct/release.json does not name a release"}),
    ("a list", "[]", None, {"recorded_release": "/var/lib/instinct/release.json does not name a release"}),
]


@pytest.mark.parametrize(("text", "name", "unknown"), [c[1:] for c in RECORDS], ids=[c[0] for c in RECORDS])
def test_recorded_release(tree: Tree, text: str, name: str | None, unknown: dict[str, str]) -> None:
    tree.write("/var/lib/instinct/release.json", text)
    assert files.read(tree.machine(), []) == Files((), name, unknown=unknown)


LINE = '{{"when": "{}", "who": "ci", "what": "gpu_release"}}\n'


def test_the_last_entries_of_the_journal_are_given(tree: Tree) -> None:
    tree.write("/var/lib/instinct/journal.jsonl", "".join(LINE.format(number) for number in range(2000)) + '{"when": "to')
    seen = files.read(tree.machine(), [])
    assert seen.journal == tuple(JournalEntry(str(number), "ci", "gpu_release") for number in range(1990, 2000))
    assert seen.unknown == {}


def test_a_journal_that_cannot_be_read_is_unknown(tree: Tree) -> None:
    tree.folder("/var/lib/instinct/journal.jsonl")
    reason = {"journal": "/var/lib/instinct/journal.jsonl: Is a directory"}
    assert files.read(tree.machine(), []) == Files(unknown=reason)
