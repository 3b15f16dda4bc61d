# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API server answers where it refuses: objects of kind Status, with the words of Kubernetes.

Sources: the API reference of Kubernetes 1.34 (Status, meta/v1); of kubernetes/kubernetes
staging/src/k8s.io/apimachinery/pkg/api/errors/errors.go,
staging/src/k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go (403) and
pkg/registry/core/pod/storage/eviction.go (429, 500).
"""

from __future__ import annotations

import dataclasses as dc
import typing as t

Body = dict[str, t.Any]


class Refused(Exception):
    """A request that is not granted."""

    def __init__(self, code: int, reason: str, message: str, **details: t.Any) -> None:
        super().__init__(message)
        self.code, self.reason, self.message, self.details = code, reason, message, details

    def body(self) -> Body:
        """The Status that is answered."""
        answer = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": self.message}
        if self.reason:
            answer["reason"] = self.reason
        return {**answer, **({"details": self.details} if self.details else {}), "code": self.code}


@dc.dataclass(frozen=True)
class Asked:
    """What a request wants to do with what, as the rules of RBAC see it."""

    verb: str
    resource: str
    name: str = ""
    namespace: str = ""


def success(code: int) -> Body:
    """The Status of what was done and has nothing to show."""
    return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": code}


def unauthorized() -> Refused:
    """Nobody is known by this token."""
    return Refused(401, "Unauthorized", "Unauthorized")


def forbidden(user: str, asked: Asked) -> Refused:
    """The rules do not let this user."""
    resource = asked.resource.partition("/")[0]
    what = f'{resource} "{asked.name}"' if asked.name else resource
    scope = f'in the namespace "{asked.namespace}"' if asked.namespace else "at the cluster scope"
    cause = f'User "{user}" cannot {asked.verb} resource "{asked.resource}" in API group "" {scope}'
    named = {"name": asked.name} if asked.name else {}
    return Refused(403, "Forbidden", f"{what} is forbidden: {cause}", **named, kind=resource)


def not_found(resource: str, name: str) -> Refused:
    """There is no such object."""
    return Refused(404, "NotFound", f'{resource} "{name}" not found', name=name, kind=resource)


def no_such_path() -> Refused:
    """There is no such resource."""
    return Refused(404, "NotFound", "the server could not find the requested resource")


def bad_request(message: str) -> Refused:
    """It is not understood."""
    return Refused(400, "BadRequest", message)


def over_budget(budget: str, needs: int, has: int) -> Refused:
    """An eviction that would leave too few pods."""
    words = f"The disruption budget {budget} needs {needs} healthy pods and has {has} currently"
    cause = {"reason": "DisruptionBudget", "message": words}
    message = "Cannot evict pod as it would violate the pod's disruption budget."
    return Refused(429, "TooManyRequests", message, causes=[cause], retryAfterSeconds=10)


def two_budgets() -> Refused:
    """An eviction that two budgets have a say in."""
    message = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
    return Refused(500, "", message)
