# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Three layers of real packages: built once, and the top alone when only that changed. What fails leaves nothing."""

from __future__ import annotations

import json
import re
import uuid

from layered import BUILDER, TASK, built, definition, failure, stored, wish
from partitioned import changed, result, role

testinfra_hosts = ["ansible://img-a"]
NAMES = ["base", "rocm", "application"]
# A tree with a shell and little else.
TINY = """
set -eu; cd "$(mktemp -d)"
mkdir -p bin etc lib/x86_64-linux-gnu lib64 var/lib/dpkg; touch var/lib/dpkg/status
cp /bin/sh /usr/bin/head bin; cp /etc/os-release etc; cp /lib/x86_64-linux-gnu/libc.so.6 lib/x86_64-linux-gnu
cp /lib64/ld-linux-x86-64.so.2 lib64
tar --create --file /srv/images/tiny.tar .
"""


def states(said: dict) -> list[str]:
    return [one["state"] for one in said["layers"]]


def test_only_what_changed_is_built(host, tmp_path) -> None:
    image = definition(host)
    foreseen, ran = built(host, tmp_path, image, "--check", "--diff")
    assert states(foreseen) in (["would_build"] * 3, ["cached"] * 3)
    first, _ran = built(host, tmp_path, image)
    again, ran = built(host, tmp_path, image)
    assert (states(again), changed(ran)) == (["cached"] * 3, False)
    top, _ran = built(host, tmp_path, definition(host, application=uuid.uuid4().hex))
    assert states(top) == ["cached", "cached", "built"]
    seconds = {
        name: sum(one["seconds"] for one in said["layers"])
        for name, said in (("first", first), ("again", again), ("top", top))
    }
    print(f"seconds: {seconds}; a changed top costs {seconds['top'] / (seconds['first'] or 1):.0%} of a whole build")
    assert seconds["again"] == 0 and seconds["top"] < (seconds["first"] or 1e9) / 2
    assert first["tag"] != top["tag"] and {first["tag"], top["tag"]} <= set(stored(host))


def test_the_image_is_what_was_asked_for(host, tmp_path) -> None:
    said, _ran = built(host, tmp_path, definition(host))
    inspected = json.loads(host.check_output(f"podman image inspect {said['tag']}"))[0]
    assert (inspected["Id"], len(inspected["RootFS"]["Layers"])) == (said["id"], 3)
    assert said["labels"].items() <= inspected["Labels"].items() and "NCCL_DEBUG=INFO" in inspected["Config"]["Env"]
    bill = json.loads(host.file(said["sbom"]).content_string)
    versions = {one["name"]: one["version"] for one in bill["components"]}
    assert (bill["specVersion"], versions["rocminfo"], versions["libibverbs1"]) == ("1.6", "5.2.3-2", "44.0-2")
    record = json.loads(host.file(said["record"]).content_string)
    assert ([one["name"] for one in record["layers"]], record["id"]) == (NAMES, said["id"])


def test_a_layer_that_is_wrong_gets_no_name(host, tmp_path) -> None:
    image = definition(host)
    image["layers"][2]["run"] = ["rm /usr/lib/x86_64-linux-gnu/libnl-3.so.200*"]
    before = stored(host)
    assert "libnl-3.so.200" in failure(role(BUILDER, **wish(host, tmp_path, image)))
    assert stored(host) == before and "working-container" not in host.check_output("buildah containers")


def test_what_is_open_or_missing_is_refused_before_the_first_change(host, tmp_path) -> None:
    image, before = definition(host, "open"), stored(host)
    image["layers"][1]["packages"] = ["rocminfo"]
    assert "rocminfo" in failure(role(BUILDER, **wish(host, tmp_path, image)))
    image["layers"][1]["packages"] = ["rocminfo=5.2.3-2"]
    image["parent"]["archive"] = "/srv/images/gone.tar"
    assert (
        failure(role(BUILDER, **wish(host, tmp_path, image)))
        == "/srv/images/gone.tar: is not on the builder; bring it there, then run again"
    )
    assert stored(host) == before


def test_a_full_disk_leaves_nothing_half_made(host, tmp_path) -> None:
    host.check_output(TINY)
    digest = host.check_output("sha256sum /srv/images/tiny.tar").split()[0]
    image = {
        "version": "v1",
        "kind": "image",
        "name": "tiny",
        "os": {"id": "debian", "version": "12"},
        "parent": {"archive": "/srv/images/tiny.tar", "digest": f"sha256:{digest}"},
        "layers": [
            {"name": "base"},
            {"name": "application", "parent": "base", "run": ["head -c 100M /dev/zero > /large"]},
        ],
    }
    # Where buildah puts what it commits; 64 MB on a node.
    variables, before = (
        wish(host, tmp_path, image, rocm_image_render_gid=-1, storage={"TMPDIR": "/dev/shm"}),
        stored(host),
    )
    assert re.fullmatch(
        "layer application: .*; make room there, then run again: it goes on where it ended",
        failure(role(BUILDER, **variables)),
    )
    new = [name for name in stored(host) if name not in before]
    assert (
        len(new) == 1
        and new[0].startswith("localhost/tiny/base:")
        and host.check_output("ls -I libpod_lock /dev/shm") == ""
    )
    assert "working-container" not in host.check_output("buildah containers")
    done = result(role(BUILDER, **{**variables, "storage": {}}), TASK["build"])
    assert states(done) == ["cached", "built"]
