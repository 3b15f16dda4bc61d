# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The filter kubernetes_standing."""

from __future__ import annotations

import pytest
from ansible.errors import AnsibleFilterError

from ansible_collections.instinct.fleet.plugins.filter import kubernetes_mark, kubernetes_standing


def test_what_is_marked_is_ours_for_the_same_purpose_alone() -> None:
    run = kubernetes_standing.FilterModule().filters()["kubernetes_standing"]
    mark = kubernetes_mark.FilterModule().filters()["kubernetes_mark"]("partition", "x")
    node = {**mark, "kind": "Node"}
    assert run(node, "partition") == {"standing": "ours", "reason": "instinct.fleet: partition: x", "stale": False, "unmarked": False}
    assert run(node, "upgrade")["standing"] == "foreign"
    assert [run(node, "partition", why)["unmarked"] for why in ("x", "y")] == [False, True]
    with pytest.raises(AnsibleFilterError, match=r"^kubernetes node: has no spec or no metadata; "):
        run([], "partition")
