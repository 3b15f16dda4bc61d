# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the server says of itself: its version and its resources. Of a real one's only those that are modelled.

Sources: the API reference of Kubernetes 1.34 (APIVersions, APIGroupList, APIResourceList, meta/v1); the page
"The Kubernetes API", discovery.
"""

from __future__ import annotations

from .status import Body

VERSION: Body = {
    "major": "1", "minor": "34", "gitVersion": "v1.34.0-simulated", "gitCommit": "", "gitTreeState": "clean",
    "buildDate": "2025-08-27T00:00:00Z", "goVersion": "go1.24.6", "compiler": "gc", "platform": "linux/amd64",
}
_POLICY = {"groupVersion": "policy/v1", "version": "v1"}
_READ = ["get", "list"]


def _resource(name: str, kind: str, verbs: list[str], namespaced: bool, **more: object) -> Body:
    singular = "" if "/" in name else kind.lower()
    return {"name": name, "singularName": singular, "namespaced": namespaced, "kind": kind, "verbs": verbs, **more}


PATHS: dict[str, Body] = {
    "/version": VERSION,
    "/api": {"kind": "APIVersions", "versions": ["v1"],
             "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": "127.0.0.1:6443"}]},
    "/apis": {"kind": "APIGroupList", "apiVersion": "v1",
              "groups": [{"name": "policy", "versions": [_POLICY], "preferredVersion": _POLICY}]},
    "/api/v1": {"kind": "APIResourceList", "groupVersion": "v1", "resources": [
        _resource("nodes", "Node", [*_READ, "patch"], False, shortNames=["no"]),
        _resource("pods", "Pod", [*_READ, "delete"], True, shortNames=["po"], categories=["all"]),
        _resource("pods/eviction", "Eviction", ["create"], True, group="policy", version="v1")]},
    "/apis/policy/v1": {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "policy/v1", "resources": [
        _resource("poddisruptionbudgets", "PodDisruptionBudget", _READ, True, shortNames=["pdb"])]},
}
