# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules of context against what a look tells, and what it does not."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.faults.context import Context
from ansible_collections.instinct.fleet.plugins.module_utils._core.faults.rules import Rule
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import (
    Driver,
    Gpu,
    Gpus,
    Kernel,
    Look,
    OnDisk,
)
from ansible_collections.instinct.fleet.tests.unit.support.catalogue import own
from ansible_collections.instinct.fleet.tests.unit.support.faults import (
    GPU,
    PEER,
    catalogue,
    fault,
    hit,
    logged,
    mark,
    node_hit,
)

KNOWN = catalogue(fault("gpu-lost"), fault("reset"), fault("build", where="dkms"),
                  marks=(mark("placed"), mark("ready", each=True)))


def gpus(*products, **fields):
    return Gpus(tuple(Gpu(i, bdf, "74a1", product=product, **fields)
                      for i, (bdf, product) in enumerate(zip((GPU, PEER), products))))


def answer(rule, ours, *others, products=(), **sections):
    """Whether a rule holds: without a word on the unknown, and if the unknown holds."""
    context = Context(logged(ours, *others, **sections), (ours, *others), KNOWN, products)
    return tuple(context.holds(Rule(*rule, unknown), ours) for unknown in (False, True))


YES, NO, UNKNOWN = (True, True), (False, False), (False, True)
KERNEL = Kernel(running="6.8.0-44-generic")
DKMS = OnDisk("6.8.0-44-generic", "/lib/modules/x", "dkms", "6.16.13", None)
TREE = OnDisk("6.8.0-44-generic", "/lib/modules/x", "in_tree", None, None)

LINES = [
    (("seen", "placed"), hit("placed"), YES),
    (("seen", "placed"), hit("placed", PEER), NO),
    (("seen", "placed"), node_hit("placed"), YES),
    (("not_seen", "placed"), hit("placed"), NO),
    (("not_seen", "placed"), hit("placed", PEER), YES),
    (("seen", "reset"), hit("reset"), YES),
    (("seen", "build"), hit("placed"), UNKNOWN),
    (("not_seen", "build"), hit("placed"), UNKNOWN),
    (("seen", "ready"), hit("ready"), YES),
    (("seen", "ready"), node_hit("ready"), YES),
    (("followed_by", "reset"), hit("reset", first=6), YES),
    (("followed_by", "reset"), hit("reset", first=5), NO),
    (("followed_by", "reset"), hit("reset", first=2, last=7), YES),
    (("followed_by", "reset"), hit("reset", PEER, 7), NO),
    (("followed_by", "reset"), hit("reset", first=7, origin="journal"), UNKNOWN),
    (("followed_by", "build"), hit("reset"), UNKNOWN),
    (("not_followed_by", "reset"), hit("reset", first=7), NO),
    (("not_followed_by", "reset"), hit("placed", first=7), YES),
    (("not_followed_by", "build"), hit("reset"), UNKNOWN),
    (("count_from", 3), hit("placed"), NO),
    (("count_from", 2), hit("placed"), YES),
]


@pytest.mark.parametrize(("rule", "other", "expected"), LINES)
def test_other_lines(rule, other, expected):
    assert answer(rule, hit(first=5, count=2), other) == expected


NEAR = [("followed_by", {"reset": 60}, YES), ("followed_by", {"reset": 61}, NO), ("followed_by", {}, NO), ("followed_by", {"placed": 1}, NO),
        ("not_followed_by", {"reset": 60}, NO), ("not_followed_by", {"reset": 61}, YES)]


@pytest.mark.parametrize(("kind", "followed", "expected"), NEAR)
def test_what_follows_within_some_lines(kind, followed, expected):
    context = Context(logged(hit(first=5)), (hit(first=5), hit("reset", first=900)), KNOWN)
    holds = tuple(context.holds(Rule(kind, "reset", unknown, 60), hit(first=5, followed=followed)) for unknown in (False, True))
    assert holds == expected
    alone = Context(logged(hit(first=5)), (hit(first=5),), KNOWN)
    assert alone.holds(Rule(kind, "reset", False, 60), hit(first=5)) is (kind == "not_followed_by")
    elsewhere = Context(logged(hit(first=5)), (hit(first=5), hit("reset", first=9, origin="journal")), KNOWN)
    assert not elsewhere.holds(Rule(kind, "reset", False, 60), hit(first=5, followed={"reset": 1}))


def test_a_line_without_a_gpu_has_lines_of_every_gpu_beside_it():
    assert answer(("seen", "placed"), node_hit(), hit("placed", PEER)) == YES


def test_what_each_gpu_has_of_its_own_says_nothing_of_a_line_without_one():
    both = gpus("MI300X", "MI300X")
    assert answer(("seen", "ready"), node_hit(), hit("ready", PEER), gpus=both) == NO
    assert answer(("not_followed_by", "ready"), node_hit(first=1), hit("ready", PEER, 7), gpus=both) == YES
    assert answer(("seen", "ready"), node_hit(), node_hit("ready"), gpus=both) == YES
    assert answer(("seen", "ready"), node_hit(), gpus=both) == NO


READY = [
    ({"gpus": gpus("MI300X", "MI300X")}, 7, YES), ({"gpus": gpus("MI300X", "MI300X")}, 0, NO), ({}, 7, YES), ({}, 0, NO),
    ({"gpus": gpus("MI300X")}, 7, YES), ({"gpus": Gpus((Gpu(0, "0000:99:00.0", "74a1"),))}, 7, NO),
    ({"gpus": Gpus((*gpus("MI300X", "MI300X").gpus, Gpu(2, "0000:99:00.0", "73a3", market_name="Radeon")))}, 7, YES),
]


@pytest.mark.parametrize(("sections", "last", "expected"), READY)
def test_what_all_gpus_have_of_their_own_says_something_of_a_line_without_one(sections, last, expected):
    ready = (hit("ready", first=5), hit("ready", PEER, last))
    assert answer(("followed_by", "ready"), node_hit(first=1), *ready, products=own().products, **sections) == expected


NODE_RULES = [
    (("kernel_from", "6.8"), {"kernel": KERNEL}, YES),
    (("kernel_from", "6.11"), {"kernel": KERNEL}, NO),
    (("kernel_before", "6.11"), {"kernel": KERNEL}, YES),
    (("kernel_before", "6.8"), {"kernel": KERNEL}, NO),
    (("kernel_from", "6.8"), {}, UNKNOWN),
    (("kernel_before", "6.8"), {"kernel": Kernel()}, UNKNOWN),
    (("driver_from", "6.16"), {"driver": Driver(version="6.16.6")}, YES),
    (("driver_before", "6.16.13"), {"driver": Driver(version="6.16.6")}, YES),
    (("driver_from", "6.16"), {"driver": Driver(version="Linux version 6.18.0")}, UNKNOWN),
    (("driver_from", "6.16"), {"driver": Driver(on_disk=(DKMS,)), "kernel": KERNEL}, YES),
    (("driver_from", "6.16"), {"driver": Driver(on_disk=(TREE,)), "kernel": KERNEL}, UNKNOWN),
    (("driver_from", "6.16"), {"driver": Driver(on_disk=(DKMS,))}, UNKNOWN),
    (("driver_from", "6.16"), {}, UNKNOWN),
    (("driver_kind", "dkms"), {"driver": Driver(on_disk=(DKMS,)), "kernel": KERNEL}, YES),
    (("driver_kind", "in_tree"), {"driver": Driver(on_disk=(DKMS,)), "kernel": KERNEL}, NO),
    (("driver_kind", "dkms"), {"driver": Driver(on_disk=(DKMS,)), "kernel": Kernel(running="6.1.0")}, UNKNOWN),
    (("driver_kind", "dkms"), {}, UNKNOWN),
    (("driver_loaded", True), {"driver": Driver(loaded=True)}, YES),
    (("driver_loaded", False), {"driver": Driver(loaded=True)}, NO),
    (("driver_loaded", False), {"driver": Driver()}, UNKNOWN),
    (("driver_loaded", False), {}, UNKNOWN),
    (("virtual_function", True), {"gpus": gpus("MI300X", virtual_function=True)}, YES),
    (("virtual_function", False), {"gpus": gpus("MI300X", virtual_function=True)}, NO),
    (("virtual_function", False), {"gpus": gpus("MI300X")}, UNKNOWN),
    (("virtual_function", False), {}, UNKNOWN),
    (("instinct", True), {"gpus": gpus("MI300X")}, YES),
    (("instinct", False), {"gpus": gpus("MI300X")}, NO),
    (("instinct", False), {"gpus": gpus(None, market_name="Radeon RX 6700M")}, YES),
    (("instinct", True), {"gpus": gpus(None)}, UNKNOWN),
    (("instinct", True), {"gpus": gpus()}, UNKNOWN),
    (("instinct", True), {}, UNKNOWN),
]


@pytest.mark.parametrize(("rule", "sections", "expected"), NODE_RULES)
def test_the_node(rule, sections, expected):
    assert answer(rule, hit(), **sections) == expected


def test_the_kernel_that_a_line_names_comes_before_the_running_one():
    assert answer(("kernel_from", "6.11"), hit(groups={"kernel": "6.14.0-24-generic"}), kernel=KERNEL) == YES


def test_all_gpus_must_agree_where_the_line_names_none():
    mixed = Gpus((Gpu(0, GPU, "74a1", virtual_function=True), Gpu(1, PEER, "74a1", virtual_function=False)))
    assert answer(("virtual_function", True), node_hit(), gpus=mixed) == UNKNOWN
    assert answer(("virtual_function", True), hit(), gpus=mixed) == YES
    assert answer(("instinct", True), node_hit(), gpus=gpus("MI300X", "MI300X")) == YES


DEVICE_IDS = [
    ("740f", True, YES), ("740F", True, YES), ("73df", True, NO), ("73df", False, YES), ("740f", False, NO),
]


@pytest.mark.parametrize(("device", "wanted", "expected"), DEVICE_IDS)
def test_a_device_id_tells_the_product(device, wanted, expected):
    products = own().products
    listed = Gpus((Gpu(0, GPU, device),))
    assert answer(("instinct", wanted), hit(), products=products, gpus=listed) == expected
    # A log names it too; of the same GPU only.
    named = hit("placed", groups={"device": device})
    assert answer(("instinct", wanted), hit(), named, products=products) == expected
    assert answer(("instinct", wanted), hit(subject=PEER), named, products=products) == UNKNOWN
    assert answer(("instinct", wanted), hit(), named) == UNKNOWN


PRODUCTS = [
    (("MI210",), (), gpus("MI210"), True),
    (("MI210", "MI250"), (), gpus("MI250"), True),
    (("MI210",), (), gpus("MI300X"), False),
    (("MI210",), (), gpus(None), False),
    (("MI210",), (), None, False),
    (("MI210",), (), gpus(None, market_name="AMD Instinct MI210"), True),
    ((), ("MI210",), gpus("MI210"), False),
    ((), ("MI210",), gpus("MI300X"), True),
    ((), ("MI210",), gpus(None), True),
    ((), ("MI210",), None, True),
    ((), ("MI250",), gpus("MI250 or MI250X"), True),
    ((), (), gpus("MI210"), True),
]


@pytest.mark.parametrize(("products", "not_products", "listed", "expected"), PRODUCTS)
def test_products(products, not_products, listed, expected):
    context = Context(Look(gpus=listed), (), KNOWN)
    assert context.concerns(products, not_products, hit()) is expected
    assert context.concerns(products, not_products, node_hit()) is expected
