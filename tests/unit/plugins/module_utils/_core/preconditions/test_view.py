# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A look as checks ask it: what is not there says why."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Gpu, Look, Os
from ansible_collections.instinct.fleet.plugins.module_utils._core.preconditions.view import UnseenError, View
from ansible_collections.instinct.fleet.tests.unit.support.preconditions import (
    GOOD,
    GPU,
    KERNEL,
    KNOWN,
    NEXT,
    PORT,
    ROOT_PORT,
    SWITCH,
    but,
)

VALUES = [
    ("a value", 7, {}, "", 7),
    ("a value of 0", 0, {"field": "why"}, "", 0),
    ("an empty list that is known", (), {}, "", ()),
    ("an empty list with a reason", (), {"field": "why"}, "", "host.field: why"),
    ("an empty list with a reason for one of it", (), {"field.1": "why"}, "", "host.field.1: why"),
    ("an empty list with a reason for one of it, numbered", (), {"field[1]": "why"}, "", "host.field[1]: why"),
    ("a reason for another field", (), {"fields": "why"}, "", ()),
    ("nothing", None, {}, "", "host.field is not told"),
    ("nothing, with a reason", None, {"field": "why"}, "else", "host.field: why"),
    ("nothing, for a known reason", None, {}, "else", "else"),
]


@pytest.mark.parametrize(("value", "unknown", "reason", "expected"), [c[1:] for c in VALUES], ids=[c[0] for c in VALUES])
def test_what_was_not_seen_says_why(value, unknown, reason, expected):
    view = View(but(host={"unknown": unknown}))
    if expected == value:
        assert view.known(value, "host.field", reason) == expected
        return
    with pytest.raises(UnseenError) as unseen:
        view.known(value, "host.field", reason)
    assert str(unseen.value) == expected


def test_a_section_that_was_not_looked_at_gives_no_reason():
    assert View(Look()).why("host", "field") == ""
    with pytest.raises(UnseenError, match="section host was not looked at"):
        View(Look()).host  # noqa: B018


@pytest.mark.parametrize(("virtualization", "guest"), [("kvm", True), ("none", False), ("container", False), (None, False)])
def test_guest(virtualization, guest):
    assert View(Look(os=Os(virtualization=virtualization))).guest is guest
    assert View(Look()).guest is False


def test_the_next_kernel_is_the_running_one_where_the_boot_loader_is_not_known():
    assert [View(but(kernel={"next_boot": name})).next_kernel for name in (NEXT, None)] == [NEXT, KERNEL]


PRODUCTS = [
    (Gpu(0, GPU, "74a1", "MI300X"), ("MI300X",)),
    (Gpu(0, GPU, "74a1"), ("MI300X",)),
    (Gpu(0, GPU, "740c"), ("MI250", "MI250X")),
    (Gpu(0, GPU, "740c", market_name="AMD Instinct MI250X"), ("MI250X",)),
    (Gpu(0, GPU, "ffff"), ()),
]


@pytest.mark.parametrize(("gpu", "names"), PRODUCTS)
def test_products(gpu, names):
    view = View(but(gpus={"gpus": (gpu,)}), KNOWN)
    assert view.names(gpu) == view.all_names == names
    assert View(Look()).all_names == ()


def test_the_path_goes_from_the_gpu_up():
    assert [d.bdf for d in View(GOOD).path(GOOD.gpus.gpus[0])] == [GPU, PORT, SWITCH, ROOT_PORT]


@pytest.mark.parametrize(("gpu", "virtual"), [
    (Gpu(0, GPU, "74b5"), True), (Gpu(0, GPU, "74a1", virtual_function=True), True), (Gpu(0, GPU, "74a1"), False)])
def test_virtual_functions(gpu, virtual):
    assert View.virtual(gpu) is virtual
