# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Role node_maintenance in Kubernetes: the real kubernetes.core and its client, against the stand-in for the API server."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.tests.unit.plugins.run_playbook import HERE, end_of_playbook
from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT

sys.path.insert(0, str(ROOT / "tests/simulator/kubernetes"))

from simkube import status
from simkube.cluster import Cluster, Fault
from simkube.objects import Budget
from simkube.server import kubeconfig, serving

FOREIGN = ROOT / ".cache/foreign/collections/ansible_collections/kubernetes"
NODE, OTHER, TOKEN, MARK = "gpu-a01", "gpu-a02", "a-token-that-nobody-reads", "instinct.fleet/out-of-work"
OURS = "instinct.fleet: upgrade: to 7.2.3"
EVICTED = "/api/v1/namespaces/default/pods/{}/eviction"


class Site:
    """A cluster of two nodes, and the role as a playbook uses it."""

    def __init__(self, home: Path, patch: pytest.MonkeyPatch) -> None:
        self.home, self.cluster = home, Cluster(starts=0.5)
        self.cluster.users[TOKEN] = "system:serviceaccount:ops:fleet"
        for name in (NODE, OTHER):
            self.cluster.add_node(name)
        (home / "collections/ansible_collections").mkdir(parents=True)
        (home / "collections/ansible_collections/kubernetes").symlink_to(FOREIGN)
        (home / "tmp").mkdir()
        patch.setenv("TMPDIR", str(home / "tmp"))  # the client keeps what the server said of itself there

    def __call__(self, verb: str, *options: str, away: bool = False, **variables: t.Any) -> subprocess.CompletedProcess[str]:
        """What became of it. Any word of the secret is an error."""
        given = {
            "node_maintenance_scheduler": "kubernetes", "node_maintenance_purpose": "upgrade", "node_maintenance_reason": "to 7.2.3",
            "node_maintenance_drain_timeout": 120, "node_maintenance_scheduler_patience": 0,
            "node_maintenance_kubernetes_kubeconfig": str(self.home / "kubeconfig"), "node_maintenance_kubernetes_context": "simulated", **variables}
        tasks = [{"name": verb, "ansible.builtin.include_role": {"name": "instinct.fleet.node_maintenance", "tasks_from": verb}},
                 {"name": "Standing", "ansible.builtin.debug": {
                     "msg": "{{ node_maintenance_standing.standing }}, {{ node_maintenance_standing.reason }}"}}]
        with contextlib.nullcontext("http://127.0.0.1:9") if away else serving(self.cluster) as address:
            kubeconfig(self.home / "kubeconfig", address, TOKEN)
            done = end_of_playbook(self.home, {NODE: {**HERE, **given}}, tasks, *options)
        assert TOKEN not in done.stdout + done.stderr
        return done

    @property
    def out(self) -> tuple[bool, str]:
        """Whether the node is cordoned, and its mark."""
        body = self.cluster.nodes[NODE]
        return body["spec"].get("unschedulable", False), body["metadata"]["annotations"].get(MARK, "")

    def changes(self) -> list[tuple[str, str]]:
        """Requests that change something."""
        return [(method, path) for method, path in self.cluster.requests if method != "GET" and not method.startswith("DRY ")]


@pytest.fixture(name="site")
def _site(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Site:
    return Site(tmp_path_factory.mktemp("k"), monkeypatch)  # a short name, since Ansible makes a socket below it


def said(done: subprocess.CompletedProcess[str]) -> str:
    """The sentence of what failed."""
    assert done.returncode == 2, done.stdout + done.stderr
    line = [line.strip() for line in done.stdout.splitlines() if line.strip().startswith("kubernetes node ")][-1]
    assert "Traceback" not in done.stdout + done.stderr
    return line


def test_a_node_goes_out_of_work_and_comes_back(site: Site) -> None:
    site.cluster.budgets.append(Budget("web", "web", needs=1))
    for name in ("web-1", "web-2"):
        site.cluster.add_pod(name, NODE, "ReplicaSet/web")
    site.cluster.add_pod("exporter", NODE, "DaemonSet/exporter", namespace="kube-system")
    site.cluster.add_pod("etcd", NODE, mirror=True, namespace="kube-system")
    site.cluster.add_pod("done", NODE, phase="Succeeded")
    checked = site("drain", "--check")
    assert (checked.returncode, site.changes(), site.out) == (0, [], (False, ""))
    drained = site("drain")
    assert (drained.returncode, f"ours, {OURS}" in drained.stdout) == (0, True), drained.stdout + drained.stderr
    assert (site.out, site.cluster.on(NODE)) == ((True, OURS), ["etcd", "exporter"])
    # The budget let the second go only when the first had its successor elsewhere.
    assert site.changes().count(("POST", EVICTED.format("web-2"))) > 1
    assert len(site.cluster.on(OTHER)) == 2
    del site.cluster.requests[:]
    again = site("drain")
    assert (again.returncode, site.changes(), " changed " in again.stdout) == (0, [], False)
    back = site("undrain")
    assert (back.returncode, site.out, "open," in back.stdout) == (0, (False, ""), True)
    assert "taints" not in site.cluster.nodes[NODE]["spec"]


def test_what_was_cordoned_for_something_else_is_left_and_its_pods_go_all_the_same(site: Site) -> None:
    site.cluster.add_node(NODE, cordoned=True, **{MARK: "instinct.fleet: partition: x"})
    site.cluster.add_pod("web-1", NODE, "ReplicaSet/web")
    assert "foreign," in site("drain").stdout
    assert (site.out, site.cluster.on(NODE)) == ((True, "instinct.fleet: partition: x"), [])
    assert "foreign," in site("undrain").stdout
    assert site.out == (True, "instinct.fleet: partition: x")


def test_a_mark_that_outlived_its_cordon_is_none(site: Site) -> None:
    site("drain")
    site.cluster.nodes[NODE]["spec"].pop("unschedulable")  # kubectl uncordon, which knows nothing of the mark
    assert "open," in site("drain", "--check").stdout
    site.cluster.add_pod("web-1", NODE, "ReplicaSet/web")
    again = site("drain", node_maintenance_reason="to 7.2.4")
    assert (again.returncode, site.out, site.cluster.on(NODE)) == (0, (True, "instinct.fleet: upgrade: to 7.2.4"), [])
    site.cluster.nodes[NODE]["spec"].pop("unschedulable")
    assert ("open," in site("undrain").stdout, site.out) == (True, (False, ""))


def test_a_cordon_of_somebody_behind_our_mark_is_left(site: Site) -> None:
    site("drain")
    marked = {"f:metadata": {"f:annotations": {f"f:{MARK}": {}}}}
    site.cluster.nodes[NODE]["metadata"]["managedFields"] = [  # as after kubectl uncordon and kubectl cordon
        {"manager": "OpenAPI-Generator", "fieldsV1": marked}, {"manager": "kubectl", "fieldsV1": {"f:spec": {"f:unschedulable": {}}}}]
    assert "foreign," in site("undrain").stdout
    assert site.out == (True, OURS)


@pytest.mark.parametrize(("pod", "words"), [
    ({"owner": "ReplicaSet/web"}, "pod default/p: Cannot evict pod as it would violate the pod's disruption budget; it stays cordoned: "),
    ({}, "nothing would start default/p again elsewhere (node_maintenance_kubernetes_force); it stays cordoned: "),
    ({"owner": "ReplicaSet/web", "emptydir": True},
     "what default/p keep in an emptyDir would be lost (node_maintenance_kubernetes_emptydir); it stays cordoned: "),
], ids=["a budget that never lets go", "a pod without a controller", "a pod with data"])
def test_a_pod_that_does_not_go_is_one_sentence_and_the_node_stays_cordoned(site: Site, pod: dict[str, t.Any], words: str) -> None:
    site.cluster.budgets.append(Budget("web", "web", needs=1))
    site.cluster.add_pod("p", NODE, **pod)
    assert said(site("drain", node_maintenance_drain_timeout=1)).startswith(f"kubernetes node {NODE}: {words}")
    assert (site.out, site.cluster.on(NODE)) == ((True, OURS), ["p"])


def test_pods_that_are_let_go_in_so_many_words(site: Site) -> None:
    site.cluster.add_pod("bare", NODE)
    site.cluster.add_pod("scratch", NODE, "ReplicaSet/web", emptydir=True)
    done = site("drain", node_maintenance_kubernetes_force=True, node_maintenance_kubernetes_emptydir=True)
    assert (done.returncode, site.cluster.on(NODE)) == (0, [])


def test_an_api_server_that_is_away_changes_nothing(site: Site) -> None:
    assert said(site("drain", away=True)) == (
        f"kubernetes node {NODE}: the API server at 127.0.0.1:9 does not answer; mend that, then run again")
    assert (site.cluster.requests, site.out) == ([], (False, ""))


@pytest.mark.parametrize(("verb", "resource", "cordoned"), [
    ("patch", "nodes", False), ("create", "pods/eviction", True)])
def test_what_is_forbidden_is_not_asked_for_again(site: Site, verb: str, resource: str, cordoned: bool) -> None:
    site.cluster.add_pod("web-1", NODE, "ReplicaSet/web")
    site.cluster.denied.add((verb, resource))
    assert f'cannot {verb} resource "{resource}"' in said(site("drain")).replace('\\"', '"')
    assert (site.out[0], site.cluster.on(NODE)) == (cordoned, ["web-1"])


def test_a_node_that_kubernetes_does_not_know(site: Site) -> None:
    assert said(site("drain", node_maintenance_scheduler_name="gpu-z")) == (
        "kubernetes node gpu-z: there is none of that name; node_maintenance_scheduler_name says what it is called there")


def test_faults_that_pass_are_waited_for(site: Site) -> None:
    site.cluster.add_pod("web-1", NODE, "ReplicaSet/web")
    broken = status.Refused(500, "InternalError", "Internal error occurred: etcdserver: request timed out")
    gone = status.Refused(410, "Expired", "The resourceVersion for the provided list is too old.")
    site.cluster.faults = [Fault("POST", ".*/eviction", broken), Fault("GET", "/api/v1/pods", gone)]
    assert (site("drain").returncode, site.cluster.on(NODE), site.out) == (0, [], (True, OURS))
