# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What a module of kubernetes.core answered: done, to be asked again, or refused, in one sentence."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from ..errors import FleetError

DONE, WAIT, REFUSED = "done", "wait", "refused"
_AWAY = re.compile(r"ConnectionPool\(host='(?P<host>[^']*)', port=(?P<port>[0-9]+)\)")
_BEGINNING = re.compile(r"(?:(?:Task|Module|Action) failed: )+")  # of ansible-core since 2.19
_OURS = "kubernetes node "
_LONGER = "it stays cordoned: wait longer (node_maintenance_drain_timeout), or mend that, then run again"
_TIMEOUT = "timeout reached while pods were still running"
_EVICTION = re.compile(r"Failed to delete pod (?P<pod>\S+) due to: (?P<why>.*)", re.DOTALL)
_PODS = re.compile(r"([0-9]+) Pod\(s\) deleted")
# What one of these words stands in comes to an end by itself, or is mended by somebody meanwhile.
# source: ansible-collections/kubernetes.core:plugins/modules/k8s_drain.py,
# kubernetes/kubernetes:pkg/registry/core/pod/storage/eviction.go
_PASSING = ("Cannot evict pod", "Pod deletion errors: ", "Internal Server Error", "Service Unavailable",
            "Too Many Requests", "Gateway Timeout", "Bad Gateway", "due to: Gone", "Internal error occurred",
            "more than one PodDisruptionBudget")
_KEPT = (
    (re.compile(r"cannot delete Pods not managed by [^:]*: (?P<pods>[^ ]*[^ .])"),
     "nothing would start {pods} again elsewhere (node_maintenance_kubernetes_force)"),
    (re.compile(r"cannot delete Pods with local storage: (?P<pods>[^ ]*[^ .])"),
     "what {pods} keep in an emptyDir would be lost (node_maintenance_kubernetes_emptydir)"),
)


@dc.dataclass(frozen=True)
class Answer:
    """An answer.

    Attributes:
        state: DONE, WAIT or REFUSED.
        what: what hinders; empty for DONE.
        hint: what to do next.
    """

    state: str
    what: str = ""
    hint: str = "mend that, then run again"

    def sentence(self, name: str) -> str:
        """Why the node is not as it should be; empty for DONE. What is our own sentence already stays as it is."""
        own = self.state == DONE or self.what.startswith(_OURS)
        return self.what if own else FleetError(f"{_OURS}{name}", self.what, self.hint).sentence


def answer(result: t.Mapping[str, t.Any]) -> Answer:
    """What k8s_info, k8s or k8s_drain returned. What is not known to pass is refused, so that nobody waits for ever."""
    if "resources" in result:
        hint = "node_maintenance_scheduler_name says what it is called there"
        return Answer(DONE) if len(result["resources"]) == 1 else Answer(REFUSED, "there is none of that name", hint)
    if "result" in result:
        ending = _PODS.search(str(result["result"]))
        if ending and any(_TIMEOUT in str(warning) for warning in result.get("warnings") or ()):
            return Answer(WAIT, f"{ending[1]} {'pod is' if ending[1] == '1' else 'pods are'} ending", _LONGER)
        return Answer(DONE)
    said = _BEGINNING.sub("", " ".join(str(result.get("msg") or "kubernetes.core did not answer").split()))
    away = _AWAY.search(said)
    if away:
        return Answer(WAIT, f"the API server at {away['host']}:{away['port']} does not answer")
    passes = any(words in said for words in _PASSING)
    return Answer(WAIT, _plain(said), _LONGER) if passes else Answer(REFUSED, _plain(said))


def _plain(said: str) -> str:
    eviction = _EVICTION.fullmatch(said)
    if eviction:
        said = f"pod {eviction['pod']}: {eviction['why']}"
    kept = [words.format(pods=found["pods"].replace(",", ", "))
            for pattern, words in _KEPT for found in pattern.finditer(said)]
    return "; ".join(kept) or said.rstrip(".")
