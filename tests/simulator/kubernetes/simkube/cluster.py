# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cluster behind the server: what is asked of it, and what its controllers do meanwhile."""

from __future__ import annotations

import dataclasses as dc
import itertools
import re
import threading
import time
import typing as t

from . import status
from .objects import Budget, Pod, node, settled
from .patches import patched
from .status import Asked, Body, Refused

_SELECTORS = {"spec.nodeName", "metadata.name", "metadata.namespace"}


@dc.dataclass
class Fault:
    """An answer to the next requests of that method and path, instead of the true one."""

    method: str
    path: str
    refusal: Refused
    times: int = 1


class Cluster:
    """Nodes, pods and budgets.

    Attributes:
        users: token -> user.
        denied: verb and resource that the rules grant nobody.
        faults: answers that are no true ones.
        requests: method and path of each request, in order; one that only tries has DRY before its method.
    """

    def __init__(self, starts: float = 0.0, stops: float = 0.0, now: t.Callable[[], float] = time.monotonic) -> None:
        self._starts, self._stops, self._now = starts, stops, now
        self._versions, self._names = itertools.count(2), itertools.count(1)
        self._wanted: dict[str, int] = {}
        self.nodes: dict[str, Body] = {}
        self.pods: list[Pod] = []
        self.budgets: list[Budget] = []
        self.users: dict[str, str] = {}
        self.denied: set[tuple[str, str]] = set()
        self.faults: list[Fault] = []
        self.requests: list[tuple[str, str]] = []
        self.lock = threading.RLock()

    # What tests make of it

    def add_node(self, name: str, cordoned: bool = False, **annotations: str) -> None:
        """A node, which a person may have cordoned."""
        made = node(name)
        made["metadata"]["annotations"] |= annotations
        self.nodes[name] = settled({**made, "spec": {**made["spec"], "unschedulable": cordoned}})

    def add_pod(self, name: str, node: str, owner: str = "", **more: t.Any) -> None:
        """A pod that runs; a ReplicaSet that owns it wants as many as were added."""
        self.pods.append(Pod(name, node, owner, **{"app": owner.partition("/")[2], **more}))
        if owner.startswith("ReplicaSet/"):
            self._wanted[owner] = self._wanted.get(owner, 0) + 1

    def on(self, node: str) -> list[str]:
        """Names of the pods of a node."""
        self.settle()
        return sorted(pod.name for pod in self.pods if pod.node == node)

    # What its controllers do

    def settle(self) -> None:
        """Pods that were asked to end have ended, and controllers have begun others elsewhere."""
        now = self._now()
        self.pods = [pod for pod in self.pods if pod.gone_at is None or pod.gone_at > now]
        for owner, wanted in self._wanted.items():
            ours = [pod for pod in self.pods if pod.owner == owner and not pod.phase]
            for _missing in range(wanted - sum(pod.gone_at is None for pod in ours)):
                open_nodes = [name for name, body in self.nodes.items() if not body["spec"].get("unschedulable")]
                app = owner.partition("/")[2]
                self.pods.append(Pod(f"{app}-new{next(self._names)}", open_nodes[0] if open_nodes else "", owner, app,
                                     ready_at=now + self._starts))

    # What is asked of it

    def granted(self, user: str, asked: Asked) -> None:
        """Refuse what the rules do not let this user do."""
        if (asked.verb, asked.resource) in self.denied:
            raise status.forbidden(user, asked)

    def faulty(self, method: str, path: str) -> None:
        """Refuse what a fault was made for."""
        for fault in self.faults:
            if fault.times and fault.method == method and re.fullmatch(fault.path, path):
                fault.times -= 1
                raise fault.refusal

    def node(self, name: str) -> Body:
        """A node."""
        if name not in self.nodes:
            raise status.not_found("nodes", name)
        return self.nodes[name]

    def patch_node(self, name: str, content_type: str, text: bytes, dry_run: bool) -> Body:
        """A node after its change, or as it would be then."""
        after = settled(patched(self.node(name), content_type, text))
        if after != self.nodes[name]:
            after = {**after, "metadata": {**after["metadata"], "resourceVersion": str(next(self._versions))}}
        if not dry_run:
            self.nodes[name] = after
        return after

    def pod(self, namespace: str, name: str) -> Pod:
        """A pod."""
        found = [pod for pod in self.pods if (pod.namespace, pod.name) == (namespace, name)]
        if not found:
            raise status.not_found("pods", name)
        return found[0]

    def shown(self, pod: Pod) -> Body:
        """A pod as it is shown."""
        return pod.body(self._now(), 1)

    def pod_list(self, selector: str) -> Body:
        """The pods that a field selector chooses."""
        chosen = [self.shown(pod) for pod in self.pods]
        for term in filter(None, selector.split(",")):
            field, _equals, value = term.replace("==", "=").partition("=")
            if field not in _SELECTORS:
                found = 'Unable to find "/v1, Resource=pods" that match label selector "", field selector '
                raise status.bad_request(f'{found}"{selector}": field label not supported: {field}')
            part, key = field.split(".")
            chosen = [body for body in chosen if body[part].get(key, "") == value]
        for body in chosen:
            del body["apiVersion"], body["kind"]  # items of a list have none
        return {"kind": "PodList", "apiVersion": "v1", "metadata": {"resourceVersion": "1"}, "items": chosen}

    def delete(self, pod: Pod) -> Body:
        """End a pod."""
        if pod.gone_at is None:
            pod.gone_at = self._now() + self._stops
        shown = self.shown(pod)
        self.settle()
        return shown

    def evict(self, pod: Pod) -> Body:
        """End a pod, if no budget is against it. One that has ended by itself, or cannot serve, counts for none."""
        now = self._now()
        budgets = [budget for budget in self.budgets if (budget.namespace, budget.app) == (pod.namespace, pod.app)]
        if len(budgets) > 1:
            raise status.two_budgets()
        if budgets and not pod.phase:
            same = [other for other in self.pods if (other.namespace, other.app) == (pod.namespace, pod.app)]
            healthy = sum(other.healthy(now) for other in same)
            if healthy <= budgets[0].needs:
                raise status.over_budget(budgets[0].name, budgets[0].needs, healthy)
        self.delete(pod)
        return status.success(201)
