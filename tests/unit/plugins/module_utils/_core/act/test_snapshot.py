# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A snapshot as it is written, read and chosen."""

from __future__ import annotations

import json

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.act import snapshot
from ansible_collections.instinct.fleet.plugins.module_utils._core.act.snapshot import File, Snapshot
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError, FleetError

ONE = Snapshot(
    "20261130T064500Z-rocm-7.0.2", "2026-11-30T06:45:00+00:00", "rocm-7.0.2", "6.1.0-56-amd64", ("6.1.0-56-amd64",),
    ("amdgpu-dkms",), "{}", {"file:/srv/x": "file_srv_x"}, {"/etc/apt/keyrings/a.gpg": "keys/0-a.gpg"},
    (File("file_srv_x/pool/a_1%3a2~3_all.deb", 7, "ab" * 32),), {"a": "1:2~3"}, ("said",))
TWO = Snapshot("20261201T000000Z-rocm-7.2.3", "2026-12-01T00:00:00+00:00", "rocm-7.2.3", "k", (), (), "{}")
AGAIN = Snapshot("20261129T000000Z-rocm-7.0.2", "2026-11-29T00:00:00+00:00", "rocm-7.0.2", "k", (), (), "{}")


def test_what_is_written_is_read_again():
    assert snapshot.read(ONE.to_text(), "x") == ONE
    assert snapshot.read(TWO.to_text(), "x") == TWO


def test_a_plan_hears_of_places_on_the_node():
    root = "/var/lib/instinct/kept/mirror/20261130T064500Z-rocm-7.0.2"
    assert ONE.for_plan() == {
        "id": ONE.id, "release": "rocm-7.0.2", "kernel": "6.1.0-56-amd64", "kernels": ["6.1.0-56-amd64"],
        "holds": ["amdgpu-dkms"], "record": "{}", "mirrors": {"file:/srv/x": f"copy://{root}/file_srv_x"},
        "keys": {"/etc/apt/keyrings/a.gpg": f"file://{root}/keys/0-a.gpg"}}


@pytest.mark.parametrize(("change", "said"), [
    ({"version": "v2"}, "version: is 'v2'"), ({"id": "../x"}, "id: is '../x'"), ({"folders": {"a": "../x"}}, "none of its own"),
    ({"keys": {"a": "/etc/passwd"}}, "none of its own"), ({"more": 1}, "is not a known key"),
    ({"files": [{"path": "../x", "size": 1, "sha256": "ab" * 32}]}, "path: is '../x'"),
    ({"files": [{"path": "x", "size": 1, "sha256": "short"}]}, "sha256: is 'short'"),
])
def test_what_is_none_is_refused(change: dict, said: str):
    with pytest.raises(DataError, match=said):
        snapshot.read(json.dumps(json.loads(ONE.to_text()) | change), "x")


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000])
def test_what_is_torn_is_refused(text: str):
    with pytest.raises(DataError, match="x: is not JSON; remove it, and take another snapshot"):
        snapshot.read(text, "x")


@pytest.mark.parametrize(("release", "wanted"), [
    ("rocm-7.0.2", "20261130T064500Z-rocm-7.0.2"), ("site 1/x", "20261130T064500Z-site_1_x"),
])
def test_an_id_says_when_and_what(release: str, wanted: str):
    assert snapshot.named("2026-11-30T06:45:00+00:00", release) == wanted


@pytest.mark.parametrize(("name", "release", "wanted"), [
    ("", "", TWO), ("", "rocm-7.0.2", ONE), (AGAIN.id, "", AGAIN), (AGAIN.id, "rocm-7.0.2", AGAIN),
])
def test_the_newest_is_chosen_unless_another_is_named(name: str, release: str, wanted: Snapshot):
    assert snapshot.chosen([AGAIN, TWO, ONE], name, release) == wanted


@pytest.mark.parametrize(("there", "name", "release", "said"), [
    ([TWO], "x", "", f"snapshot x: is not kept on this node; choose one of {TWO.id} (rocm-7.2.3)"),
    ([TWO], "", "rocm-7.0.2", f"release rocm-7.0.2: is not kept on this node; choose one of {TWO.id} (rocm-7.2.3)"),
    ([], "", "", "snapshot: there is none on this node; bring it to a release from its repositories, by site.yml"),
])
def test_what_is_not_kept_is_refused(there: list, name: str, release: str, said: str):
    with pytest.raises(FleetError) as error:
        snapshot.chosen(there, name, release)
    assert error.value.sentence == said
