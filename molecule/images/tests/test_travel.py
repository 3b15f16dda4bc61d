# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One image on its way to nodes: carried, pushed and pulled, with one id and one digest; told before it is brought."""

from __future__ import annotations

import json
import subprocess
import uuid

import playbook
from layered import BUILDER, TASK, definition, stored, wish
from partitioned import result

testinfra_hosts = ["ansible://img-b"]
REGISTRY = "img-a:5000"


def fleet(tmp_path, variables: dict, *options: str) -> tuple[dict, subprocess.CompletedProcess]:
    """Run images.yml on both nodes: what it says of each, and of the builder's image."""
    report = tmp_path / "said" / "images.json"
    report.parent.mkdir(exist_ok=True)
    ran = playbook.run(
        "images", "instinct", {**variables, "fleet_image_path": str(report), "fleet_image_builder": BUILDER}, *options
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return json.loads(report.read_text(encoding="utf-8"))["nodes"], ran


def changed_by(ran: subprocess.CompletedProcess) -> set[str]:
    """Names of tasks that changed something. What is in memory is the kernel's own choice on a busy machine."""
    tasks = {line["task"] for line in playbook.results(ran) if line["result"].get("changed")}
    return {name for name in tasks if not name.endswith("Have images in memory")}


def inspected(host, name: str) -> tuple[str, str]:
    """Id and digest of the manifest."""
    ident, digest = host.check_output(f"podman image inspect --format '{{{{.Id}}}} {{{{.Digest}}}}' {name}").split()
    return ident, digest


def test_carried_to_a_node_without_a_registry(host, tmp_path) -> None:
    variables = wish(
        builder(host),
        tmp_path,
        definition(builder(host), "duo", rocm=False),
        rocm_image_carried=str(tmp_path.parent / "carried"),
    )
    nodes, ran = fleet(tmp_path, variables)
    assert {name: (node["status"], node["verdict"]) for name, node in nodes.items()} == {
        "img-a": ("has", "pass"),
        "img-b": ("has", "pass"),
    }
    said = result(ran, TASK["export"])
    assert inspected(host, said["tag"]) == (said["id"], said["digest"])
    assert nodes["img-b"]["digest"] == said["digest"]
    nodes, ran = fleet(tmp_path, variables)
    assert changed_by(ran) == set()


def builder(host):
    """The node that builds."""
    return host.get_host("ansible://" + BUILDER, ansible_inventory=host.backend.ansible_inventory)


def test_pushed_and_pulled_over_a_registry_that_was_away(host, tmp_path) -> None:
    image, there = definition(builder(host), "duo", uuid.uuid4().hex, rocm=False), builder(host)
    variables = wish(there, tmp_path, image, rocm_image_registry=f"{REGISTRY}/fleet")
    there.check_output("systemctl stop docker-registry")
    ran = playbook.run("images", "instinct", {**variables, "fleet_image_builder": BUILDER})
    assert ran.returncode != 0
    assert (
        f"{REGISTRY}/fleet/duo/application" in playbook.refusals(ran)[0]
        and "cannot be reached; see that the registry runs" in playbook.refusals(ran)[0]
    )
    there.check_output("systemctl start docker-registry")
    nodes, ran = fleet(tmp_path, variables)
    assert not result(ran, TASK["build"])["changed"] and result(ran, TASK["push"])["changed"]
    said = result(ran, TASK["push"])
    assert {node["status"] for node in nodes.values()} == {"has"}
    assert host.check_output(f"podman image inspect --format '{{{{.Id}}}}' {said['reference']}") == said["id"]
    _nodes, ran = fleet(tmp_path, variables)
    assert changed_by(ran) == set()


def test_a_node_that_the_image_does_not_fit_is_told_before_it_is_brought(host, tmp_path) -> None:
    before = stored(host)
    nodes, _ran = fleet(
        tmp_path,
        wish(builder(host), tmp_path, definition(builder(host)), rocm_image_carried=str(tmp_path.parent / "carried")),
    )
    assert {(node["status"], node["verdict"]) for node in nodes.values()} == {("left_out", "fail")}
    assert "5.2.3" in nodes["img-b"]["findings"][0]["summary"] and stored(host) == before
