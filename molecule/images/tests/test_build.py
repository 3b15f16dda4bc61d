# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Three layers of real packages: built once, and the top alone when only that changed. What fails leaves nothing."""

from __future__ import annotations

import json
import re
import uuid

import pytest
from layered import BUILDER, TASK, built, definition, failure, forgotten, stored, timed, wish
from partitioned import result, role

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
    forgotten(host, image["name"])
    assert states(built(host, tmp_path, image, "--check", "--diff")[0]) == ["would_build"] * 3
    first, new, whole = timed(host, tmp_path, image)
    again, anew, nothing = timed(host, tmp_path, image)
    top, _new, little = timed(host, tmp_path, definition(host, application=uuid.uuid4().hex))
    assert (states(first), new) == (["built"] * 3, True)
    assert (states(again), anew) == (["cached"] * 3, False)
    assert states(top) == ["cached", "cached", "built"]
    assert first["tag"] != top["tag"] and {first["tag"], top["tag"]} <= set(stored(host))
    # Told and not asserted: a machine that is busy is slow at all three.
    print(f"whole runs of a play: built {whole:.1f} s; nothing changed {nothing:.1f} s, {nothing / whole:.0%} of that;"
          f" another top {little:.1f} s, {little / whole:.0%}")
    print("of that the module:", *(f"{said['seconds']:.2f} s" for said in (first, again, top)))


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


# The second has all that it needs, and nobody who says so.
@pytest.mark.parametrize(("command", "why"), [
    ("rm /usr/lib/x86_64-linux-gnu/libnl-3.so.200*", "libnl-3.so.200"),
    ("rm /usr/bin/ldd", "its loader cannot be asked about /"),
])
def test_a_layer_that_is_wrong_gets_no_name(host, tmp_path, command, why) -> None:
    image = definition(host)
    image["layers"][2]["run"] = [command]
    before = stored(host)
    assert why in failure(role(BUILDER, **wish(host, tmp_path, image)))
    assert stored(host) == before and "working-container" not in host.check_output("buildah containers")


def test_a_provider_that_does_not_speak_to_the_nodes_gets_no_name(host, tmp_path) -> None:
    before = stored(host)
    said = failure(role(BUILDER, **wish(host, tmp_path, definition(host, "apart"), rocm_image_verbs={"bnxt_re": 6})))
    assert "libbnxt_re-rdmav34.so speaks ABI 1, and the kernel's driver has 6" in said and "layer base" in said
    assert stored(host) == before


def test_what_is_open_or_missing_is_refused_before_the_first_change(host, tmp_path) -> None:
    image, before = definition(host, "open"), stored(host)
    image["layers"][1]["packages"] = ["rocminfo"]
    assert "rocminfo" in failure(role(BUILDER, **wish(host, tmp_path, image)))
    image["layers"][1] |= {"packages": ["rocminfo=5.2.3-2"], "run": ["pip install torch"]}
    assert "installs packages by pip, so no version" in failure(role(BUILDER, **wish(host, tmp_path, image)))
    del image["layers"][1]["run"]
    older = wish(host, tmp_path, image, rocm_image_rdma_versions={"rdma-core": "44.0-1"})
    assert "ibverbs-utils 44.0-2 is not the 44.0-1 that the nodes have" in failure(role(BUILDER, **older))
    image["parent"]["archive"] = "/srv/images/gone.tar"
    assert failure(role(BUILDER, **wish(host, tmp_path, image))) == \
        "/srv/images/gone.tar: is not on the builder; bring it there, then run again"
    assert stored(host) == before


def test_a_full_disk_leaves_nothing_half_made(host, tmp_path) -> None:
    host.check_output(TINY)
    digest = host.check_output("sha256sum /srv/images/tiny.tar").split()[0]
    image = {"version": "v1", "kind": "image", "name": "tiny", "os": {"id": "debian", "version": "12"},
             "parent": {"archive": "/srv/images/tiny.tar", "digest": f"sha256:{digest}"},
             "layers": [{"name": "base"},
                        {"name": "application", "parent": "base", "run": ["head -c 100M /dev/zero > /large"]}]}
    # Where buildah puts what it commits; 64 MB on a node.
    variables = wish(host, tmp_path, image, rocm_image_render_gid=-1, rocm_image_verbs={},
                     storage={"TMPDIR": "/dev/shm"})
    before = stored(host)
    assert re.fullmatch("layer application: .*; make room there, then run again: it goes on where it ended",
                        failure(role(BUILDER, **variables)))
    new = [name for name in stored(host) if name not in before]
    assert len(new) == 1 and new[0].startswith("localhost/tiny/base:")
    assert host.check_output("ls -I libpod_lock /dev/shm") == ""
    assert "working-container" not in host.check_output("buildah containers")
    done = result(role(BUILDER, **{**variables, "storage": {}}), TASK["build"])
    assert states(done) == ["cached", "built"]
