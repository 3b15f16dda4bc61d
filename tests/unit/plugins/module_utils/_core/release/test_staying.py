# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The driver that stays on a node, against AMD's windows."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.tests.unit.support.catalogue import look, refusal, resolved

STAYS = {"driver_stays": True}


def node(package: str | None, loaded: bool | None = True, version: str | None = None) -> lk.Look:
    """A node with a driver."""
    packages = (lk.Package("rocminfo", "1.0.0", "amd64", "installed"),)
    if package:
        packages = (*packages, lk.Package("amdgpu-dkms", package, "all", "installed"))
    return dc.replace(look(), packages=lk.Packages("apt", packages), driver=lk.Driver(loaded=loaded, version=version))


def test_a_driver_outside_the_window_is_refused():
    error = refusal("rocm-7.2.3", node("1:6.8.5.60200-2009582.22.04"), side_by_side=[], **STAYS)
    assert error.sentence.startswith(
        "the driver that stays on the node: driver 6.2.0 does not support ROCm 7.2.3; it supports 6.0.x, ")
    assert error.source


def test_a_driver_inside_the_window_is_no_matter():
    wanted = resolved("rocm-7.2.3", node("1:6.14.14.30100200-2226257.22.04"), **STAYS)
    assert [n for n in wanted.notes if "stays" in n] == []


def test_releases_beside_are_held_against_it_too():
    error = refusal("rocm-7.2.3", node("1:7.1.3.31500000-2390945.22.04"), side_by_side=["rocm-6.4.1"], **STAYS)
    assert error.what == "driver 31.50.0 does not support ROCm 6.4.1"


def test_a_driver_that_does_not_stay_is_the_releases_matter():
    assert resolved("rocm-7.2.3", node("1:6.8.5.60200-2009582.22.04"))


@pytest.mark.parametrize(("seen", "note"), [
    (node(None), "the kernel's own driver stays: AMD states no ROCm window for it"),
    (node(None, version="6.16.13"),
     "amdgpu 6.16.13 stays, which no package brought: whether ROCm supports it cannot be told"),
    (node(None, loaded=False), "there is no driver on the node yet: whether ROCm supports it cannot be told"),
    (look(), "there is no driver on the node yet: whether ROCm supports it cannot be told"),
    (node("1:6.12.12-2187269.el9"),
     "amdgpu-dkms 1:6.12.12-2187269.el9 stays, whose version does not tell its release: "
     "whether ROCm supports it cannot be told"),
    (node("9.9-custom"),
     "amdgpu-dkms 9.9-custom stays, whose version does not tell its release: whether ROCm supports it cannot be told"),
])
def test_what_cannot_be_told_is_noted(seen, note):
    assert note in resolved("rocm-7.2.3", seen, **STAYS).notes
