# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A look through the library, on the simulated node, and steps that it and the kernel take."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Gpus, Look
from ansible_collections.instinct.fleet.plugins.module_utils._core.qos.shape import NODE, Step
from ansible_collections.instinct.fleet.plugins.module_utils._qos import eyes
from ansible_collections.instinct.fleet.tests.unit.plugins.simulated import SimulatedNode

A, B = "0000:03:00.0", "0000:26:00.0"


@pytest.fixture
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SimulatedNode:
    """Two MI210, the interrupt of the first, and a kernel that balances."""
    node = SimulatedNode(tmp_path, "mi210", 2)
    node.folder("/run")
    node.install("7.0.2")
    node.write("/proc/sys/kernel/numa_balancing", "1\n")
    node.write(f"/sys/bus/pci/devices/{A}/msi_irqs/77", "msi\n")
    node.write("/proc/irq/77/smp_affinity_list", "0-63\n")
    monkeypatch.setattr(eyes, "machine", lambda _seconds: node.machine())
    return node


def test_steps_and_what_is_seen_then(node: SimulatedNode) -> None:
    (first, one, two), failed = eyes.see((), 30)
    assert (first.name, first.values, failed) == (NODE, {"numa_balancing": "on"}, {})
    assert (one.product, one.cap, two.values) == ("MI210", (0, 300_000_000, 300_000_000), {
        "power_cap": 300_000_000, "performance_level": "auto", "sclk_min_mhz": 500, "sclk_max_mhz": 1700, "mclk_max_mhz": 1600,
        "xgmi_plpd": "plpd_default", "process_isolation": "off"})
    assert one.values == {**two.values, "irq_affinity": "0-63"}
    (first, one, two), failed = eyes.see((), 30, (
        Step(NODE, "numa_balancing", "on", "off"), Step(A, "power_cap", 300_000_000, 200_000_000), Step(A, "irq_affinity", "0-63", "0-7"),
        Step(B, "performance_level", "auto", "determinism 1500")))
    assert (first.values["numa_balancing"], one.values["power_cap"], one.values["irq_affinity"]) == ("off", 200_000_000, "0-7")
    assert (two.values["performance_level"], failed) == ("determinism 1500", {})


def test_the_kernel_is_left_alone_where_the_library_fails(node: SimulatedNode) -> None:
    node.simulator("fault", "setting_refused")
    (first, _one, _two), failed = eyes.see((), 30, (Step(NODE, "numa_balancing", "on", "off"), Step(A, "power_cap", None, 200_000_000)))
    assert (first.values["numa_balancing"], failed) == ("on", {(A, "power_cap"): "AMDSMI_STATUS_NO_PERM: Permission Denied"})
    node.simulator("heal")
    (node.root / "proc/irq/77/smp_affinity_list").unlink()
    (node.root / "proc/irq/77").rmdir()
    _seen, failed = eyes.see((), 30, (Step(A, "irq_affinity", None, "0-7"),))
    assert failed == {(A, "irq_affinity"): f"{node.root}/proc/irq/77/smp_affinity_list: No such file or directory"}


def test_unknown_gpus_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Blind:
        """Sees nothing."""

        def __init__(self, _machine: object) -> None:
            pass

        def take(self, _sections: object) -> Look:
            """A look."""
            return Look(gpus=Gpus(unknown={"gpus": "no permission"}))

    monkeypatch.setattr(eyes, "Sight", Blind)
    with pytest.raises(FleetError, match="which GPUs it has is unknown: no permission"):
        eyes.see((), 1)
