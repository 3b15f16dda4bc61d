# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers of kubernetes.core 6.6.0: what passes is waited for, what does not is refused, each in one sentence."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.act.kubernetes_answer import answer

LONGER = "it stays cordoned: wait longer (node_maintenance_drain_timeout), or mend that, then run again"
MEND = "mend that, then run again"
UNMANAGED = ("cannot delete Pods not managed by ReplicationController, ReplicaSet, Job, DaemonSet or StatefulSet "
             "(use option force set to yes): default/a,ops/b.")
LOCAL = "cannot delete Pods with local storage: default/c."
POOL = "HTTPSConnectionPool(host='10.0.0.1', port=6443): Max retries exceeded with url: /version (Caused by NewConnectionError(...))"
DONE: dict[str, dict[str, t.Any]] = {
    "a node": {"resources": [{}], "api_found": True}, "a change": {"result": {"kind": "Node"}, "changed": True},
    "no pod was there": {"result": "node n1 already marked unschedulable.", "changed": False},
    "pods have gone": {"result": "node n1 already marked unschedulable. 2 Pod(s) deleted from node.", "warnings": ["cannot delete mirror Pods"]},
}
ENDING = {"result": "2 Pod(s) deleted from node.", "warnings": ["timeout reached while pods were still running."]}
HINDERED: dict[str, tuple[dict[str, t.Any], str, str]] = {
    "pods that end slowly": (ENDING, "wait", f"2 pods are ending; {LONGER}"),
    "one pod that does": ({**ENDING, "result": "1 Pod(s) deleted from node."}, "wait", f"1 pod is ending; {LONGER}"),
    "a budget": ({"msg": "Failed to delete pod web/w-1 due to: Cannot evict pod as it would violate the pod's disruption budget."}, "wait",
                 f"pod web/w-1: Cannot evict pod as it would violate the pod's disruption budget; {LONGER}"),
    "pods of nobody": ({"msg": f"Pod deletion errors: {UNMANAGED}"}, "wait",
                       f"nothing would start default/a, ops/b again elsewhere (node_maintenance_kubernetes_force); {LONGER}"),
    "pods with data as well": ({"msg": f"Pod deletion errors: {UNMANAGED} {LOCAL}"}, "wait", (
        "nothing would start default/a, ops/b again elsewhere (node_maintenance_kubernetes_force); "
        f"what default/c keep in an emptyDir would be lost (node_maintenance_kubernetes_emptydir); {LONGER}")),
    "a server that fails": ({"msg": "Failed to list pod from node n1 due to: Internal Server Error", "status": 500}, "wait",
                            f"Failed to list pod from node n1 due to: Internal Server Error; {LONGER}"),
    "a server that is away": ({"msg": f"Task failed: Module failed: {POOL}"}, "wait", f"the API server at 10.0.0.1:6443 does not answer; {MEND}"),
    "a rule": ({"msg": "Failed to delete pod web/w-1 due to: pods \"w-1\" is forbidden:\nUser \"x\" cannot create"}, "refused",
               f'pod web/w-1: pods "w-1" is forbidden: User "x" cannot create; {MEND}'),
    "no client": ({"msg": "Failed to import the required Python library (kubernetes)"}, "refused",
                  f"Failed to import the required Python library (kubernetes); {MEND}"),
    "nothing said": ({"failed": True}, "refused", f"kubernetes.core did not answer; {MEND}"),
    "no such node": ({"resources": []}, "refused", "there is none of that name; node_maintenance_scheduler_name says what it is called there"),
}


@pytest.mark.parametrize("result", DONE.values(), ids=DONE)
def test_done(result: dict[str, t.Any]) -> None:
    found = answer(result)
    assert (found.state, found.sentence("n1")) == ("done", "")


@pytest.mark.parametrize(("result", "state", "sentence"), HINDERED.values(), ids=HINDERED)
def test_hindered(result: dict[str, t.Any], state: str, sentence: str) -> None:
    found = answer(result)
    assert (found.state, found.sentence("n1")) == (state, f"kubernetes node n1: {sentence}")
    assert answer({"msg": found.sentence("n1")}).sentence("n1") == found.sentence("n1"), "said once"
