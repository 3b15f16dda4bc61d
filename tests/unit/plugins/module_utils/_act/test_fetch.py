# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys may come from a folder: nodes without a network have them on a share."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act.fetch import fetch
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError


@pytest.mark.parametrize("host", ["", "localhost"])
def test_a_file_is_read(tmp_path, host):
    (tmp_path / "rocm.gpg.key").write_bytes(b"key\n")
    assert fetch(f"file://{host}{tmp_path}/rocm.gpg.key", 5) == b"key\n"


def test_a_blank_in_a_path_is_written_as_in_other_urls(tmp_path):
    (tmp_path / "a key").write_bytes(b"key\n")
    assert fetch(f"file://{tmp_path}/a%20key", 5) == b"key\n"


def test_a_file_of_the_largest_size_is_read(tmp_path):
    (tmp_path / "key").write_bytes(b"x" * (1 << 20))
    assert len(fetch(f"file://{tmp_path}/key", 5)) == 1 << 20


@pytest.mark.parametrize(("url", "what"), [
    ("file:///no/such/file", "cannot be fetched: No such file or directory"),
    ("file:///", "cannot be fetched: Is a directory"),
    ("file://share/rocm.gpg.key", "names the host 'share', and a file is on the node itself"),
    ("ftp://h/key", "scheme 'ftp' is not fetched"),
    ("/srv/key", "scheme '' is not fetched"),
])
def test_what_cannot_be_fetched_is_said(url, what):
    with pytest.raises(FleetError) as caught:
        fetch(url, 5)
    assert (caught.value.where, caught.value.what) == (url, what)


def test_a_file_that_is_too_large_for_a_key_is_refused(tmp_path):
    (tmp_path / "key").write_bytes(b"x" * ((1 << 20) + 1))
    with pytest.raises(FleetError, match="is larger than 1048576 bytes"):
        fetch(f"file://{tmp_path}/key", 5)
