# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All texts of a reservation as one set."""

from __future__ import annotations

import dataclasses as dc
import json

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation import record as records
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import Record
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_groups import Seen
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_service import Boot
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_set import (
    PATH,
    Settings,
    brought,
    nothing,
    read,
    texts,
    written,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_slices import Bounds
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_slurm import Slurm
from ansible_collections.instinct.fleet.tests.unit.support.granted import FIRST, RECORD, VISION, grant

SITE = Settings("/etc/site", bounds=Bounds(("/dev/fuse",), False), slurm=Slurm("/etc/gres.conf", "/etc/cgroup.conf", {"A": "b"}, {0: "0-3"}),
                boot=Boot(("slurmd.service",), 60))


def paths(settings: Settings, record: Record = RECORD) -> dict[str, bytes | None]:
    return {one.path: one.content for one in texts(record, record, record, settings, Seen({"render": (110, ("bob",))}, {"alice": 1001}))}


def test_every_file_belongs_to_root_and_nobody_else_writes() -> None:
    assert {(one.owner, one.group, one.mode) for one in texts(RECORD, RECORD, RECORD, SITE, Seen({}, {}))} == {("root", "root", 0o644)}


def test_all_of_it() -> None:
    assert sorted(paths(SITE)) == sorted([
        "/var/lib/instinct/reservation.json", "/etc/instinct/reservation.json", "/etc/udev/rules.d/72-instinct-reservation.rules",
        "/etc/systemd/system/tenant-vision.slice", "/etc/systemd/system/tenant-research.slice",
        "/etc/systemd/system/vllm.service.d/50-instinct-reservation.conf",
        "/etc/systemd/system/user-1001.slice.d/50-instinct-reservation.conf",
        "/etc/security/limits.d/72-instinct-reservation.conf", "/etc/instinct/tenants/vision.env", "/etc/instinct/tenants/research.env",
        "/etc/site/device_filter.conf", "/etc/site/quality_of_service.conf", "/etc/gres.conf", "/etc/cgroup.conf",
        "/etc/cdi/instinct-tenants.json", "/etc/systemd/system/instinct-reservation.service",
        "/etc/systemd/system/multi-user.target.d/50-instinct-reservation.conf"])


def test_the_record_is_what_the_node_was_told_and_not_what_holds_now() -> None:
    now = dc.replace(RECORD, grants=())
    found = {one.path: one.content for one in texts(RECORD, RECORD, now, Settings(), Seen({}, {}))}
    assert records.read((found[records.PATH] or b"").decode()) == RECORD
    assert b"renderD" not in (found["/etc/systemd/system/tenant-vision.slice"] or b"")


@pytest.mark.parametrize("record", [Record(), Record((VISION,), (grant("a", "vision", dc.replace(FIRST, render_node=None)),))])
def test_without_devices_there_is_no_specification(record: Record) -> None:
    assert "/etc/cdi/instinct-tenants.json" not in paths(Settings(), record)


def test_a_specification_can_be_left_out() -> None:
    assert "/etc/cdi/instinct-tenants.json" not in paths(Settings(cdi=False))


def test_settings_name_what_was_written_and_are_read_again() -> None:
    found = paths(SITE)
    kept = read((found[PATH] or b"").decode())
    assert kept == dc.replace(SITE, files=tuple(sorted(set(found) - {PATH})), groups=("gpu-research", "gpu-vision"),
                              users=("alice", "carol"), uids={"alice": 1001})
    assert list(found)[-1] == PATH


def test_what_another_version_brought_is_known_for_taking_it_back() -> None:
    later = {**json.loads(written(dc.replace(SITE, files=("/a",), groups=("gpu-a",), users=("b",), uids={"b": 1}))), "new": 1}
    assert brought(json.dumps(later)) == Settings(files=("/a",), groups=("gpu-a",), users=("b",), uids={"b": 1})
    with pytest.raises(DataError, match="new: is not a known key"):
        read(json.dumps(later))


def login(uid: int) -> str:
    return f"/etc/systemd/system/user-{uid}.slice.d/50-instinct-reservation.conf"


def test_logins_have_their_policy_while_the_node_does_not_know_their_users() -> None:
    kept = read((paths(SITE)[PATH] or b"").decode())
    found = {one.path: one.content for one in texts(RECORD, RECORD, RECORD, kept, Seen({}, {}))}
    assert found[login(1001)] and read((found[PATH] or b"").decode()).uids == {"alice": 1001}


def test_a_login_of_who_has_left_keeps_a_policy_until_it_ends() -> None:
    kept = read((paths(SITE)[PATH] or b"").decode())
    fewer = dc.replace(RECORD, tenants=(dc.replace(VISION, users=("erin",)),))
    for logins, stays in (({1001: frozenset({998})}, True), ({}, False)):
        seen = Seen({"gpu-vision": (998, ())}, {"erin": 1005}, logins=logins)
        found = {one.path: one.content for one in texts(fewer, fewer, fewer, kept, seen)}
        policy = found[login(1001)]
        assert (policy is not None, b"renderD128" in (policy or b""), b"renderD128" in (found[login(1005)] or b"")) == (stays, False, True)
        assert read((found[PATH] or b"").decode()).uids == {"erin": 1005}


@pytest.mark.parametrize("path", ["/home/slurm", "/root", "/etc/../tmp/x"])
def test_a_place_that_the_service_does_not_see_is_refused(path: str) -> None:
    with pytest.raises(DataError, match="is where the service instinct-reservation sees nothing; "):
        read(spoilt(intent_dir=path))


def test_directories_of_a_site() -> None:
    assert SITE.directories == ("/etc", "/etc/site")


def test_the_next_set_takes_away_what_it_has_not() -> None:
    kept = read((paths(SITE)[PATH] or b"").decode())
    after = paths(dc.replace(kept, slurm=Slurm(), intent_dir="/etc/other"), dc.replace(RECORD, tenants=(VISION,)))
    assert {path for path, content in after.items() if content is None} == {
        "/etc/gres.conf", "/etc/cgroup.conf", "/etc/site/device_filter.conf", "/etc/site/quality_of_service.conf",
        "/etc/systemd/system/tenant-research.slice", "/etc/instinct/tenants/research.env"}


def test_nothing_is_none_of_the_last_set() -> None:
    assert {(one.path, one.content) for one in nothing(Settings(files=("/etc/a", "/etc/b")))} == {
        ("/etc/a", None), ("/etc/b", None), (PATH, None)}


def spoilt(**changes: object) -> str:
    return json.dumps({**json.loads(written(SITE)), **changes})


@pytest.mark.parametrize(("text", "sentence"), [
    ("{", f"{PATH}: is not JSON; remove it, and let the role gpu_reservation write it anew"),
    (spoilt(version="v2"), f"{PATH}: version: is 'v2'; choose one of v1"),
    (spoilt(intent_dir="etc"), f"{PATH}: intent_dir: is 'etc', which does not match /[^\\s%]+; write it in that form"),
    (spoilt(bounds={"besides": ["fuse"], "bind": True}),
     f"{PATH}: bounds.besides[0]: is 'fuse', which does not match (?:/dev/|char-|block-)[^\\s%]+; write it in that form"),
    (spoilt(slurm={"parameters": {"A": "b c"}, "cores": {}}), f"{PATH}: slurm.parameters.A: 'b c' is no word; write it as one word"),
    (spoilt(slurm={"parameters": {}, "cores": {"x": "0-3"}}),
     "cores of NUMA node 'x': are of no number; write it as in {0: 0-95, 1: 96-191}"),
    (spoilt(more=1), f"{PATH}: more: is not a known key; remove it"),
])
def test_settings_that_are_not_of_their_form(text: str, sentence: str) -> None:
    with pytest.raises(DataError) as caught:
        read(text)
    assert caught.value.sentence.startswith(sentence)
