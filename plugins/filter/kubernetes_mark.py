# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filter kubernetes_mark: documented in kubernetes_mark.yml."""

from __future__ import annotations

import typing as t

from ..module_utils._core.act import drain


def kubernetes_mark(purpose: str, reason: str | None) -> dict[str, t.Any]:
    """What makes a node ours, all at once: the cordon and the annotation; without a reason, what gives it back."""
    mark = None if reason is None else drain.mark(str(purpose), str(reason))
    return {"metadata": {"annotations": {drain.ANNOTATION: mark}}, "spec": {"unschedulable": True if mark else None}}


class FilterModule:
    """Filters of nodes in Kubernetes."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """Name -> function."""
        return {"kubernetes_mark": kubernetes_mark}
