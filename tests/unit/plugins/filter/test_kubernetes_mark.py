# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The filter kubernetes_mark."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.filter import kubernetes_mark


@pytest.mark.parametrize(("reason", "value", "cordon"), [
    ("to CPX", "instinct.fleet: partition: to CPX", True), ("", "instinct.fleet: partition", True), (None, None, None)])
def test_mark(reason: str | None, value: str | None, cordon: bool | None) -> None:
    run = kubernetes_mark.FilterModule().filters()["kubernetes_mark"]
    assert run("partition", reason) == {
        "metadata": {"annotations": {"instinct.fleet/out-of-work": value}}, "spec": {"unschedulable": cordon}}
