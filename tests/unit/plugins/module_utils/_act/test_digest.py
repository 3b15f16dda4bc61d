# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Digests of files, piece by piece."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act import digest

# source: FIPS 180-4, and NIST's examples of SHA-256
EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


@pytest.mark.parametrize(("pieces", "told"), [((), EMPTY), ((b"abc",), ABC), ((b"a", b"", b"bc"), ABC)])
def test_pieces_are_one_text(pieces, told):
    assert digest.of(pieces) == told


@pytest.mark.parametrize(("content", "told"), [(b"", EMPTY), (b"abc", ABC)])
def test_a_file_and_its_copy(tmp_path, content, told):
    (tmp_path / "it").write_bytes(content)
    assert digest.sha256(str(tmp_path / "it")) == told
    assert digest.sha256(str(tmp_path / "it"), str(tmp_path / "copy")) == told
    assert (tmp_path / "copy").read_bytes() == content


def test_a_file_of_several_pieces_is_copied_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(digest, "PIECE", 2)
    (tmp_path / "it").write_bytes(b"abc")
    assert digest.sha256(str(tmp_path / "it"), str(tmp_path / "copy")) == ABC
    assert (tmp_path / "copy").read_bytes() == b"abc"


def test_a_file_that_is_not_there_is_told_by_the_system(tmp_path):
    with pytest.raises(FileNotFoundError):
        digest.sha256(str(tmp_path / "none"))
