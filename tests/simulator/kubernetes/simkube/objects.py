# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects as the API server shows them: a node, a pod, with the fields that clients look at.

Source: the API reference of Kubernetes 1.34 (Node, Pod, PodDisruptionBudget); its page on well-known labels,
annotations and taints.
"""

from __future__ import annotations

import dataclasses as dc

from .status import Body

BORN = "2026-01-01T00:00:00Z"
TAINT = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}


@dc.dataclass
class Pod:
    """A pod.

    Attributes:
        owner: kind and name of its controller: ReplicaSet/web. Empty without one.
        ready_at: when it can serve; it is pending before.
        gone_at: when it has ended, once it was asked to.
        phase: Succeeded or Failed for one that ended by itself.
    """

    name: str
    node: str
    owner: str = ""
    app: str = ""
    namespace: str = "default"
    mirror: bool = False
    emptydir: bool = False
    phase: str = ""
    ready_at: float = 0.0
    gone_at: float | None = None

    def healthy(self, now: float) -> bool:
        """Whether a budget counts it."""
        return bool(self.node) and not self.phase and self.gone_at is None and self.ready_at <= now

    def body(self, now: float, version: int) -> Body:
        """As it is shown."""
        kind, _slash, owner = self.owner.partition("/")
        owners = [{"apiVersion": "apps/v1", "kind": kind, "name": owner, "uid": f"uid-{owner}", "controller": True,
                   "blockOwnerDeletion": True}]
        volumes = [{"name": "scratch", "emptyDir": {}}] if self.emptydir else []
        mirror = {"kubernetes.io/config.mirror": "0" * 32, "kubernetes.io/config.source": "file"}
        ready = self.healthy(now)
        return {"apiVersion": "v1", "kind": "Pod", "metadata": {
            "name": self.name, "namespace": self.namespace, "uid": f"uid-{self.name}", "resourceVersion": str(version),
            "creationTimestamp": BORN, **({"labels": {"app": self.app}} if self.app else {}),
            **({"ownerReferences": owners} if owner else {}), **({"annotations": mirror} if self.mirror else {}),
            **({"deletionTimestamp": BORN, "deletionGracePeriodSeconds": 30} if self.gone_at is not None else {}),
        }, "spec": {
            "containers": [{"name": "main", "image": "example.org/main:1", "resources": {}}], "restartPolicy": "Always",
            **({"nodeName": self.node} if self.node else {}), **({"volumes": volumes} if volumes else {}),
        }, "status": {
            "phase": self.phase or ("Running" if ready else "Pending"), "conditions": [
                {"type": "Ready", "status": "True" if ready else "False", "lastTransitionTime": BORN}]}}


@dc.dataclass
class Budget:
    """A PodDisruptionBudget: of the pods of this app so many must be able to serve."""

    name: str
    app: str
    needs: int
    namespace: str = "default"


def node(name: str) -> Body:
    """A node that takes pods."""
    return {"apiVersion": "v1", "kind": "Node", "metadata": {
        "name": name, "uid": f"uid-{name}", "resourceVersion": "1", "creationTimestamp": BORN,
        "labels": {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux"}, "annotations": {
            "node.alpha.kubernetes.io/ttl": "0", "volumes.kubernetes.io/controller-managed-attach-detach": "true"},
    }, "spec": {"podCIDR": "10.244.0.0/24"}, "status": {"conditions": [
        {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "kubelet is posting ready status",
         "lastHeartbeatTime": BORN, "lastTransitionTime": BORN}]}}


def settled(body: Body) -> Body:
    """A node as it is kept: false is not written down, and the controller of nodes taints one that is cordoned."""
    spec = dict(body["spec"])
    if not spec.get("unschedulable"):
        spec.pop("unschedulable", None)
    taints = [taint for taint in spec.pop("taints", []) if taint != TAINT]
    taints += [TAINT] if "unschedulable" in spec else []
    return {**body, "spec": {**spec, **({"taints": taints} if taints else {})}}
