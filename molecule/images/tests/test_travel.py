# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One image on its way to nodes: carried, pushed and pulled, with one id and one digest; told before it is brought."""

from __future__ import annotations

import json
import subprocess
import uuid
from pathlib import Path

import playbook
import pytest
import yaml
from layered import BUILDER, TASK, built, definition, definition_of, failure, render_gid, stored, wish
from partitioned import result, role

testinfra_hosts = ["ansible://img-b"]
NODE, REGISTRY, PREFIX = "img-b", "img-a:5000", "io.github.instinct-fleet."
AWAY = "cannot be reached; see that the registry runs"
# Seconds that reading all files of a tree takes: first from the disk, then from memory.
READ = """
import os, sys, time
files = [os.path.join(f, n) for f, _d, names in os.walk(sys.argv[1]) for n in names]
files = [one for one in files if os.path.isfile(one) and not os.path.islink(one)]
if sys.argv[2] == "cold":
    os.sync()
    for one in files:
        with open(one, "rb") as stream:
            os.posix_fadvise(stream.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
start = time.monotonic()
for one in files:
    with open(one, "rb") as stream:
        while stream.read(1 << 20):
            pass
print(time.monotonic() - start)
"""


@pytest.fixture
def builder(host):
    """The node that builds."""
    return host.get_host("ansible://" + BUILDER, ansible_inventory=host.backend.ansible_inventory)


@pytest.fixture(scope="module")
def carried(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A directory of the control machine."""
    return str(tmp_path_factory.mktemp("carried"))


def ran(variables: dict, *options: str) -> subprocess.CompletedProcess:
    """Run images.yml on both nodes."""
    return playbook.run("images", "instinct", {"fleet_image_builder": BUILDER, **variables}, *options)


def fleet(tmp_path, variables: dict, *options: str) -> tuple[dict, subprocess.CompletedProcess]:
    """Run it, well: what it says of each node."""
    report = tmp_path / "said" / "images.json"
    report.parent.mkdir(exist_ok=True)
    done = ran({**variables, "fleet_image_path": str(report)}, *options)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(report.read_text(encoding="utf-8"))["nodes"], done


def changed_by(done: subprocess.CompletedProcess) -> set[str]:
    """Names of tasks that changed something. What is in memory is the kernel's own choice on a busy machine."""
    tasks = {line["task"] for line in playbook.results(done) if line["result"].get("changed")}
    return {name for name in tasks if not name.endswith("Have images in memory")}


def inspected(host, name: str) -> tuple[str, str]:
    """Id and digest of the manifest."""
    ident, digest = host.check_output(f"podman image inspect --format '{{{{.Id}}}} {{{{.Digest}}}}' {name}").split()
    return ident, digest


def ours(host) -> list[str]:
    """Names of images that a node was given."""
    return sorted(name for name in stored(host) if name.startswith("localhost/"))


def test_carried_to_nodes_without_a_registry(host, builder, carried, tmp_path) -> None:
    """The inventory says nothing of the nodes: they are asked. No registry runs meanwhile."""
    builder.check_output("systemctl stop docker-registry; instinct-sim fault nic family=mlx5 abi=1")
    assert "refused" in host.run(f"skopeo inspect docker://{REGISTRY}/fleet/none:1").stderr
    image = definition(builder, "duo", rocm=False)
    variables = {**definition_of(builder, tmp_path, image), "rocm_image_carried": carried}
    nodes, done = fleet(tmp_path, variables)
    assert {name: (node["status"], node["verdict"]) for name, node in nodes.items()} == {
        "img-a": ("has", "pass"), "img-b": ("has", "pass")}
    labels = result(done, TASK["build"])["labels"]
    assert [labels[PREFIX + name] for name in ("render-gid", "gfx", "verbs-abi")] == [
        str(render_gid(host)), "gfx942", "mlx5=1"]
    said = result(done, TASK["export"])
    assert inspected(host, said["tag"]) == (said["id"], said["digest"])
    assert nodes["img-b"]["digest"] == said["digest"]
    nodes, done = fleet(tmp_path, variables)
    assert changed_by(done) == set()
    host.check_output("instinct-sim fault nic family=mlx5 abi=2")
    assert failure(ran(variables)).endswith(
        "rocm_image_verbs.mlx5: one image has one ABI of RDMA with mlx5, and nodes differ: 1 on img-a, 2 on img-b; "
        "name the one that it is for (others are told), or bring an image to each kind with --limit")
    builder.check_output("systemctl start docker-registry; instinct-sim heal")
    host.check_output("instinct-sim heal")


def test_pushed_and_pulled_over_a_registry_that_was_away(host, builder, tmp_path) -> None:
    """Away for the push, then for the pull: one sentence each, and the next run goes on."""
    image, before = definition(builder, "duo", uuid.uuid4().hex, rocm=False), ours(host)
    variables = wish(builder, tmp_path, image, rocm_image_registry=f"{REGISTRY}/fleet")
    builder.check_output("systemctl stop docker-registry")
    said = failure(ran(variables))
    assert f"{REGISTRY}/fleet/duo/application" in said and AWAY in said
    builder.check_output("systemctl start docker-registry")
    done = role(BUILDER, **variables)
    assert not result(done, TASK["build"])["changed"] and result(done, TASK["push"])["changed"], done.stdout
    wanted = result(done, "Export | Say what there is")["ansible_facts"]["rocm_image_result"]
    builder.check_output("systemctl stop docker-registry")
    said = failure(role(NODE, role="rocm_image", entry="distribute", rocm_image_wanted=wanted))
    assert wanted["reference"] in said and AWAY in said and ours(host) == before
    builder.check_output("systemctl start docker-registry")
    warm = tmp_path / "inventory" / "warm.yml"  # a site's own list of what must start at once
    warm.parent.mkdir()
    warm.write_text(yaml.safe_dump({"all": {"hosts": {NODE: {"rocm_image_prewarm": before[-1:]}}}}), encoding="utf-8")
    nodes, done = fleet(tmp_path, variables, "-i", str(warm))
    assert {node["status"] for node in nodes.values()} == {"has"}
    assert host.check_output(f"podman image inspect --format '{{{{.Id}}}}' {wanted['reference']}") == wanted["id"]
    kept = next(one["result"]["images"] for one in playbook.results(done)
                if one["host"] == NODE and one["task"].endswith("Have images in memory"))
    assert before and [one["name"] for one in kept] == [wanted["tag"], *before[-1:]]
    _nodes, done = fleet(tmp_path, variables)
    assert changed_by(done) == set()


def test_a_layer_takes_from_an_image_of_the_registry(builder, tmp_path) -> None:
    name = f"{REGISTRY}/fleet/duo/application"
    tag = json.loads(builder.check_output(f"skopeo list-tags docker://{name}"))["Tags"][0]
    digest = json.loads(builder.check_output(f"skopeo inspect docker://{name}:{tag}"))["Digest"]
    image = definition(builder, "taken", rocm=False)
    image["layers"][1] = {"name": "application", "parent": "base",
                          "copy": [{"image": f"{name}@{digest}", "paths": ["/opt/application"]}]}
    said, _done = built(builder, tmp_path, image)
    read = "podman run --rm --network host {} cat /opt/application"
    assert builder.check_output(read.format(said["id"])) == builder.check_output(read.format(f"{name}@{digest}")) != ""
    assert not [one for one in stored(builder) if "instinct-build" in one]
    assert "working-container" not in builder.check_output("buildah containers")


def test_a_node_that_the_image_does_not_fit_is_told_before_it_is_brought(host, builder, carried, tmp_path) -> None:
    before = stored(host)
    nodes, _done = fleet(tmp_path, wish(builder, tmp_path, definition(builder), rocm_image_carried=carried))
    assert {(node["status"], node["verdict"]) for node in nodes.values()} == {("left_out", "fail")}
    assert "5.2.3" in nodes["img-b"]["findings"][0]["summary"] and stored(host) == before


def test_a_run_without_the_builder_is_one_sentence(host, builder, carried, tmp_path) -> None:
    variables = wish(builder, tmp_path, definition(builder), rocm_image_carried=carried, fleet_image_builder=BUILDER)
    assert failure(playbook.run("images", NODE, variables)).startswith(f"{BUILDER} built no image in this run, so that")


def test_old_images_go_and_new_ones_are_in_memory(host, builder, carried, tmp_path) -> None:
    """By their last use, on a node and on a builder that is none; archives with them."""
    older = [name for name in ours(host) if "/duo/" in name]
    assert len(older) >= 2
    first = older[0]
    tree = host.check_output(f"podman image mount {first}")
    read = f"python3 -c '{READ}' {tree}"
    cold = float(host.check_output(f"{read} cold"))
    host.check_output(f"{read} cold")
    done = role(NODE, role="rocm_image", entry="keep", rocm_image_prewarm=[first])
    warm = float(host.check_output(f"{read} warm"))
    print(f"all files of an image: read in {cold:.2f} s; prewarmed, in {warm:.2f} s, {warm / (cold or 1):.0%}")
    host.check_output(f"podman image unmount {first}")
    assert result(done, "Have images in memory")["images"][0]["state"] in ("warmed", "warm")
    image = definition(builder, "duo", uuid.uuid4().hex, rocm=False)
    few = wish(builder, tmp_path, image, rocm_image_carried=carried, rocm_image_keep=1, fleet_targets=NODE)
    nodes, done = fleet(tmp_path, few)
    new = nodes[NODE]["image"]
    assert ours(host) == sorted([first, new])  # pinned, and the one that was used last of all others
    there = [name for name in ours(builder) if "/application:" in name]
    assert new in there and len(there) == 2, there
    archive = result(done, TASK["export"])["archive"].rpartition("/")[2]
    assert [path.name for path in Path(carried).glob("duo-*.tar")] == [archive]
