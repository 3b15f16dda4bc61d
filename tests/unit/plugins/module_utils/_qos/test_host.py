# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""NUMA balancing and the interrupts of GPUs, on a fabricated machine."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.qos.shape import IRQ, NODE, NUMA, Step, Target
from ansible_collections.instinct.fleet.plugins.module_utils._qos import host
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree

A = "0000:03:00.0"
BALANCING = "/proc/sys/kernel/numa_balancing"


@pytest.mark.parametrize(("text", "target"), [
    ("0\n", Target(NODE, values={NUMA: "off"})), ("1\n", Target(NODE, values={NUMA: "on"})), ("2\n", Target(NODE, values={NUMA: "2"})),
    (None, Target(NODE, values={NUMA: "off"}, lacking=(NUMA,))),
])
def test_node(tree: Tree, text: str | None, target: Target) -> None:
    if text:
        tree.write(BALANCING, text)
    assert host.node(tree.machine()) == target


def test_what_cannot_be_read_is_unknown(tree: Tree) -> None:
    tree.folder(BALANCING)
    assert host.node(tree.machine()).unknown == {NUMA: f"{BALANCING}: Is a directory"}
    tree.folder(f"/sys/bus/pci/devices/{A}/msi_irqs/77")
    tree.folder("/proc/irq/77/smp_affinity_list")
    seen = host.with_interrupts(tree.machine(), Target(A))
    assert seen.unknown == {IRQ: "/proc/irq/77/smp_affinity_list: Is a directory"}


def test_set_and_seen(tree: Tree) -> None:
    tree.write(BALANCING, "1\n")
    for number in ("77", "78"):
        tree.write(f"/sys/bus/pci/devices/{A}/msi_irqs/{number}", "msi\n")
        tree.write(f"/proc/irq/{number}/smp_affinity_list", "0-63\n")
    machine = tree.machine()
    assert host.with_interrupts(machine, Target(A)).values == {IRQ: "0-63"}
    assert host.put(machine, Step(A, IRQ, "0-63", "0-15")) == ""
    assert host.with_interrupts(machine, Target(A)).values == {IRQ: "0-15"}
    assert (tree.root / "proc/irq/78/smp_affinity_list").read_text() == "0-15\n"
    for word, text in (("off", "0\n"), ("2", "2\n"), ("on", "1\n")):
        assert host.put(machine, Step(NODE, NUMA, None, word)) == ""
        assert (tree.root / BALANCING[1:]).read_text() == text


def test_a_gpu_without_interrupts_has_no_such_setting(tree: Tree) -> None:
    assert host.with_interrupts(tree.machine(), Target(A)) == Target(A)


def test_what_cannot_be_set_is_said(tree: Tree) -> None:
    assert host.put(tree.machine(), Step(NODE, NUMA, "on", "off")) == f"{tree.root}{BALANCING}: No such file or directory"
