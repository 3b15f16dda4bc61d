# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The filter kubernetes_answer."""

from __future__ import annotations

import pytest
from ansible.errors import AnsibleFilterError

from ansible_collections.instinct.fleet.plugins.filter import kubernetes_answer


def test_an_answer() -> None:
    run = kubernetes_answer.FilterModule().filters()["kubernetes_answer"]
    assert run({"resources": [{}]}, "n1") == {"state": "done", "sentence": ""}
    assert run({"msg": "Failed to patch node due to: Forbidden"}, "n1") == {
        "state": "refused", "sentence": "kubernetes node n1: Failed to patch node due to: Forbidden; mend that, then run again"}
    with pytest.raises(AnsibleFilterError, match=r"^kubernetes_answer: is given no result of a module; "):
        run("x", "n1")
