# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filter kubernetes_standing: documented in kubernetes_standing.yml."""

from __future__ import annotations

import typing as t

from ansible.errors import AnsibleFilterError

from ..module_utils._core.act import drain
from ..module_utils._core.errors import FleetError


def kubernetes_standing(node: t.Any, purpose: str, reason: str = "") -> dict[str, t.Any]:
    """Who took a node of Kubernetes out of work, and why.

    Raises:
        AnsibleFilterError: it is no description of a node.
    """
    try:
        found = drain.cordon(node, str(purpose))
    except FleetError as error:
        raise AnsibleFilterError(error.sentence) from error
    return {**found, "unmarked": drain.to_mark(found["standing"], found["reason"], str(purpose), str(reason))}


class FilterModule:
    """Filters of nodes in Kubernetes."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """Name -> function."""
        return {"kubernetes_standing": kubernetes_standing}
