# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filter kubernetes_answer: documented in kubernetes_answer.yml."""

from __future__ import annotations

import typing as t

from ansible.errors import AnsibleFilterError

from ..module_utils._core.act.kubernetes_answer import answer


def kubernetes_answer(result: t.Any, name: str) -> dict[str, str]:
    """What a module of kubernetes.core answered.

    Raises:
        AnsibleFilterError: it is no result of a module.
    """
    if not isinstance(result, t.Mapping):
        raise AnsibleFilterError("kubernetes_answer: is given no result of a module; register one")
    found = answer(result)
    return {"state": found.state, "sentence": found.sentence(str(name))}


class FilterModule:
    """Filters of nodes in Kubernetes."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """Name -> function."""
        return {"kubernetes_answer": kubernetes_answer}
