# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which settings a node gets."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.tuning.catalogue import Catalogue, Profile
from ansible_collections.instinct.fleet.plugins.module_utils._core.tuning.choose import Node, Wish, choose
from ansible_collections.instinct.fleet.plugins.module_utils._core.tuning.setting import Setting

SETTINGS = (
    Setting("all", "sysctl", "vm.a", "1"),
    Setting("mi300a", "sysctl", "vm.b", "1", products=("MI300A",)),
    Setting("others", "kernel_argument", "iommu", "pt", except_products=("MI300A",)),
    Setting("intel", "kernel_argument", "intel_iommu", "on", cpu="GenuineIntel"),
    Setting("open", "sysctl", "vm.nr_hugepages", ""),
    Setting("all-too", "sysctl", "vm.a", "2"),
    Setting("same", "sysctl", "vm.a", "1"),
    Setting("one", "kernel_argument", "pci", "bfsort", accumulates=True),
    Setting("two", "kernel_argument", "pci", "realloc=off", accumulates=True),
)
CATALOGUE = Catalogue({s.id: s for s in SETTINGS}, {"p": Profile("p", ("all", "mi300a", "others", "intel", "one", "two"), "p.yml")})
MI210, MI300A = Node(("MI210",), "AuthenticAMD"), Node(("MI300A",), "AuthenticAMD")


def chosen(node: Node = MI210, profile: str = "p", **wish: t.Any) -> tuple[list[str], dict[str, str]]:
    found = choose(CATALOGUE, Wish(profile, **wish), node)
    return [setting.id for setting in found.settings], found.left


@pytest.mark.parametrize(("node", "idents", "left"), [
    (MI210, ["all", "others", "one", "two"], {"mi300a": "it is for MI300A", "intel": "it is for CPUs of GenuineIntel"}),
    (MI300A, ["all", "mi300a", "one", "two"], {"others": "it is not for MI300A", "intel": "it is for CPUs of GenuineIntel"}),
    (Node((), "GenuineIntel"), ["all", "others", "intel", "one", "two"], {"mi300a": "it is for MI300A"}),
])
def test_a_node_gets_what_is_for_its_gpus_and_cpus(node: Node, idents: list[str], left: dict[str, str]) -> None:
    assert chosen(node) == (idents, left)


def test_a_site_adds_leaves_out_and_gives_values() -> None:
    wish = Wish("p", also=("open", "all"), skip=("others", "intel", "mi300a"), values={"open": "512", "all": "3"})
    found = choose(CATALOGUE, wish, MI210)
    assert [(s.id, s.value) for s in found.settings] == [("all", "3"), ("one", "bfsort"), ("two", "realloc=off"), ("open", "512")]
    assert found.left["others"] == "host_tuning_skip names it"
    assert chosen(profile="", also=("all", "same"))[0] == ["all", "same"]


@pytest.mark.parametrize(("wish", "node", "sentence"), [
    ({"profile": "q"}, MI210, "host_tuning_profile: there is no profile 'q'; "),
    ({"also": ("opn",)}, MI210, "host_tuning_also: there is no setting 'opn'; did you mean open?"),
    ({"skip": ("x",)}, MI210, "host_tuning_skip: there is no setting 'x'; "),
    ({"values": {"x": "1"}}, MI210, "host_tuning_values: there is no setting 'x'; "),
    ({"also": ("open",)}, MI210, "setting open: its value is '', which does not match "),
    ({"also": ("all-too",)}, MI210, "setting all-too: sets vm.a to '2', and all to '1'; name one of them in host_tuning_skip"),
    ({}, Node(None, "AuthenticAMD", "the bus is gone"),
     "setting mi300a: depends on the GPUs of the node, which are not known: the bus is gone; name it in host_tuning_skip, or mend that"),
    ({}, Node(("MI210",), None), "setting intel: depends on the CPUs of the node, which are not known; "),
])
def test_what_cannot_be_chosen_is_one_sentence(wish: dict[str, t.Any], node: Node, sentence: str) -> None:
    with pytest.raises(FleetError) as refusal:
        chosen(node, **wish)
    assert refusal.value.sentence.startswith(sentence)
