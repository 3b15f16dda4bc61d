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


def own_limits(*texts: str) -> str:
    """What our file says besides its own limit, where these texts are read before it."""
    others = (("/etc/containers/containers.conf", text) for text in texts)
    head, text = str(written(MEMLOCK, seen(True, None, *others))[PODMAN]).split("default_ulimits = [\n")
    assert head.endswith("[containers]\n") and '  "memlock=-1:-1",\n' in text
    return text.replace('  "memlock=-1:-1",\n', "").removesuffix("]\n")


@pytest.mark.parametrize(("text", "expected"), [
    ("[containers]\ndefault_ulimits = ['nofile=1024:2048', 'memlock=1']", '  "nofile=1024:2048",\n'),
    ("['containers']\n\"default_ulimits\" = [\n 'core=0', # 'a=1:1'\n]", '  "core=0",\n'),
    ("containers.default_ulimits = ['host']", '  "host",\n'),
    ("[containers]\nenv = ['default_ulimits = [\"a=1:1\"]']", ""),
    ("[engine]\ndefault_ulimits = ['a=1:1']", ""),
    ('[containers]\nannotations = [\n"""\ndefault_ulimits = ["a=1:1"]\n"""]', ""),
    ("containers = 'x'", ""),
])
def test_limits_of_the_site_are_read_as_podman_reads_them(text: str, expected: str) -> None:
    assert own_limits(text) == expected


def test_limits_are_appended_where_a_file_asks_for_it() -> None:
    first, more, other, alone = (f"[containers]\ndefault_ulimits = [{items}]" for items in (
        "'a=1:1'", "'b=2:2', {append = true}", "'c=3:3'", "'d=4:4', {append = false}"))
    assert own_limits(first, other) == '  "c=3:3",\n'
    assert own_limits(first, more, other) == '  "a=1:1",\n  "b=2:2",\n  "c=3:3",\n  {append=false},\n'  # ours is all, and no more
    assert own_limits(first, more, alone) == '  "d=4:4",\n  {append=false},\n'


@pytest.mark.parametrize(("text", "what"), [
    ("[containers\n", "line 1 lacks ]; mend it, as the program that reads it must, too"),
    ("[containers]\ndefault_ulimits = 'a=1'", "default_ulimits: is no list; mend it: podman does not start with it either"),
    ("[containers]\ndefault_ulimits = ['nofile']", "default_ulimits: has 'nofile', which is no limit; mend it: write limits as 'nofile=1024:2048'"),
    ("[containers]\ndefault_ulimits = [{append = 'yes'}]", "default_ulimits: has {'append': 'yes'}, which is no limit; mend it"),
])
def test_what_cannot_be_read_is_not_written_over(text: str, what: str) -> None:
    with pytest.raises(FleetError) as caught:
        own_limits(text)
    assert caught.value.sentence.startswith("/etc/containers/containers.conf") and what in caught.value.sentence
    assert written({}, seen(True, None, (SITE[0], text))) == {}  # nothing of it is asked for


def test_limits_that_podman_reads_later_are_refused() -> None:
    earlier, later = (("/etc/containers/containers.conf.d/" + name, 'containers.default_ulimits=["a=1:1"]') for name in ("10-a.conf", "95-b.conf"))
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


def test_who_may_read_dockers_file_stays() -> None:
    there = seen(False, 28, daemon='{"proxies": {"https-proxy": "https://user:secret@proxy.example.com"}}')
    file = SeenFile("file", there.files[DOCKER].content, 0, 7, "root", "ops", 0o640)
    change = next(one for one in plan(MEMLOCK, Seen(False, 28, (), {**there.files, DOCKER: file})) if one.wanted.path == DOCKER)
    assert (change.wanted.owner, change.wanted.group, change.wanted.mode) == (None, None, 0o640)


def test_a_link_in_the_place_of_dockers_file_is_refused() -> None:
    there = seen(False, 28)
    with pytest.raises(FleetError, match=r"^/etc/docker/daemon.json: is a link to /srv/daemon.json; put a file in its place"):
        plan(MEMLOCK, Seen(False, 28, (), {**there.files, DOCKER: SeenFile("link", target="/srv/daemon.json")}))


def test_a_node_without_an_engine_is_told() -> None:
    with pytest.raises(FleetError, match="this node: has neither podman nor Docker; install one of them first"):
        plan(MEMLOCK, seen(False))
    assert notes(seen(False)) == ("there is neither podman nor Docker",) and notes(seen()) == () and written(None, seen(False)) == {}
