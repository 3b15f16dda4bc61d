# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What podman and Docker are told, by what they are and have."""

from __future__ import annotations

import json
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.act.fileset import Seen as SeenFile
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.runtime import (
    DOCKER,
    PATHS,
    PODMAN,
    RECORD,
    Seen,
    docker_version,
    limits,
    notes,
    plan,
)

MEMLOCK = {"memlock": -1}
ULIMIT = {"memlock": {"Name": "memlock", "Hard": -1, "Soft": -1}}
SITE = ("/etc/containers/containers.conf", '[containers]\ndefault_ulimits = [\n  "nofile=1024:2048", # "core=0:0"\n  "memlock=1:1"]\n')


def seen(podman: bool = True, docker: int | None = None, *others: tuple[str, str], **files: str) -> Seen:
    there = {"conf": PODMAN, "daemon": DOCKER, "record": RECORD}
    found = {path: SeenFile() for path in PATHS}
    found.update({there[name]: SeenFile("file", text.encode(), owner="root", group="root", mode=0o644) for name, text in files.items()})
    return Seen(podman, docker, others, found)


def written(wanted: dict[str, int] | None, node: Seen) -> dict[str, str | None]:
    return {change.wanted.path: change.wanted.content.decode() if change.wanted.content else None for change in plan(wanted, node)}


@pytest.mark.parametrize(("given", "expected"), [
    ({"memlock": "unlimited", "nofile": 65536}, {"memlock": -1, "nofile": 65536}), ({}, {}), ({"core": "0"}, {"core": 0})])
def test_limits_are_numbers(given: dict[str, t.Any], expected: dict[str, int]) -> None:
    assert limits(given) == expected


@pytest.mark.parametrize("given", [{"memlock": "infinity"}, {"MEMLOCK": 1}, {"memlock": -1}, {"memlock": True}])
def test_what_is_no_limit_is_refused(given: dict[str, t.Any]) -> None:
    with pytest.raises(FleetError, match="is no limit; write it as"):
        limits(given)


def test_docker_says_its_version() -> None:
    assert docker_version("Docker version 20.10.24+dfsg1, build 297e128\n") == 20
    with pytest.raises(FleetError, match="says 'oh', which is no version"):
        docker_version("oh\n")


def test_podman_gets_limits_beside_those_of_the_site() -> None:
    text = written(MEMLOCK, seen(True, None, ("/usr/share/containers/containers.conf", "# default_ulimits = []\n"), SITE))
    assert list(text) == [PODMAN]
    assert str(text[PODMAN]).endswith('[containers]\ndefault_ulimits = [\n  "nofile=1024:2048",\n  "memlock=-1:-1",\n]\n')
    again = seen(True, None, SITE, conf=str(text[PODMAN]))
    assert (written(MEMLOCK, again), written({}, again), written(None, again)) == ({}, {PODMAN: None}, {PODMAN: None})


def test_limits_that_podman_reads_later_are_refused() -> None:
    earlier, later = (("/etc/containers/containers.conf.d/" + name, 'default_ulimits=["a=1:1"]') for name in ("10-a.conf", "95-b.conf"))
    assert '"a=1:1"' in str(written(MEMLOCK, seen(True, None, earlier))[PODMAN])
    with pytest.raises(FleetError, match=r"95-b\.conf: names default_ulimits, and is read after /etc/containers/containers\.conf\.d/90"):
        plan(MEMLOCK, seen(True, None, later))


@pytest.mark.parametrize(("version", "expected", "validated"), [
    (28, {"features": {"cdi": True}, "default-ulimits": ULIMIT}, True), (23, {"default-ulimits": ULIMIT}, True),
    (20, {"default-ulimits": ULIMIT}, False)])
def test_docker_reads_specifications_from_25_on(version: int, expected: dict[str, t.Any], validated: bool) -> None:
    changes = {change.wanted.path: change.wanted for change in plan(MEMLOCK, seen(False, version))}
    assert list(changes) == [DOCKER, RECORD]
    assert json.loads(changes[DOCKER].content or b"") == expected and bool(changes[DOCKER].validate) == validated
    assert bool(notes(seen(False, version))) == (version < 25)


def test_docker_is_as_before_when_all_is_taken_back() -> None:
    site = '{"log-driver": "journald", "features": {"buildkit": true}}'
    files = {path: str(text) for path, text in written(MEMLOCK, seen(False, 28, daemon=site)).items()}
    there = seen(False, 28, daemon=files[DOCKER], record=files[RECORD])
    assert json.loads(files[DOCKER])["features"] == {"buildkit": True, "cdi": True} and written(MEMLOCK, there) == {}
    back = written(None, there)
    assert json.loads(str(back[DOCKER])) == json.loads(site) and back[RECORD] is None
    gone = Seen(False, None, (), there.files)  # Docker was removed meanwhile
    assert written(None, gone) == back
    assert written({}, seen(False, 20, daemon="not read")) == {}


def test_a_node_without_an_engine_is_told() -> None:
    with pytest.raises(FleetError, match="this node: has neither podman nor Docker; install one of them first"):
        plan(MEMLOCK, seen(False))
    assert notes(seen(False)) == ("there is neither podman nor Docker",) and notes(seen()) == () and written(None, seen(False)) == {}
