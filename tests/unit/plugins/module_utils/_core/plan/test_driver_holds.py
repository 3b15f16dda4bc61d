# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A hold of another hand is not lifted without a word."""

from __future__ import annotations

import dataclasses as dc
import json
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.driver import DriverPolicy, plan_driver
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.managed import RELEASE_RECORD
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.plan import Plan
from ansible_collections.instinct.fleet.tests.unit.support.releases import release
from ansible_collections.instinct.fleet.tests.unit.support.world import bare_node, carry_out, package

POLICY = DriverPolicy(reload_allowed=True)
SETTLED = carry_out(bare_node(), plan_driver(bare_node(), release("rocm-7.0.2"), POLICY))
DRIVER = ("amdgpu-dkms", "amdgpu-dkms-firmware")
V1 = {"version": "v1", "release": "rocm-7.0.2", "kernel": None, "rocm": "7.0.2",
      "driver": {"source": "dkms", "release": "30.10.2", "packages": {}}}


def v2(*held: str) -> str:
    """A record that lists these holds."""
    return json.dumps({**V1, "version": "v2", "held": held, "variables": {}})


def plan(record: str | None, broken: t.Sequence[str] = (), policy: DriverPolicy = POLICY, to: str = "rocm-7.2.3") -> Plan:
    """The plan that brings the settled node, whose driver and kernel are on hold, to another release."""
    files = SETTLED.files.files
    if record is not None:
        files = (*(f for f in files if f.path != RELEASE_RECORD), lk.ManagedFile(RELEASE_RECORD, "digest", text=record))
    half = tuple(package(name, "1", "half-configured") for name in broken)
    packages = dc.replace(SETTLED.packages, broken=half)
    node = dc.replace(SETTLED, files=dc.replace(SETTLED.files, files=files), packages=packages)
    return plan_driver(node, release(to), policy)


# id, record, packages that are half done, policy, packages named by the refusal
REFUSED = [
    ("one that we did not set", v2("amdgpu-dkms"), (), POLICY, ["amdgpu-dkms-firmware"]),
    ("none that we set", v2(), (), POLICY, list(DRIVER)),
    ("where the site wants no holds of ours", v2(), (), dc.replace(POLICY, hold=False), list(DRIVER)),
    ("beside one that we were about to set", v2(), ["amdgpu-dkms"], POLICY, ["amdgpu-dkms-firmware"]),
]


@pytest.mark.parametrize(("record", "broken", "policy", "named"), [c[1:] for c in REFUSED], ids=[c[0] for c in REFUSED])
def test_holds_of_another_hand_are_refused(record, broken, policy, named) -> None:
    with pytest.raises(FleetError) as refused:
        plan(record, broken, policy)
    assert refused.value.sentence == (
        f"{', '.join(named)}: {'is' if len(named) == 1 else 'are'} on hold, must change, and the record of this node does "
        f"not list the hold as ours; lift it if it is no longer meant: apt-mark unhold {' '.join(named)}")


# id, record, whether a note tells of the holds
LIFTED = [
    ("ours", v2(*DRIVER), False),
    ("of nobody known, for there is no record", None, True),
    ("of nobody known, for the record does not tell", json.dumps(V1), True),
    ("of nobody known, for the record cannot be read", "{", True),
]


@pytest.mark.parametrize(("record", "told"), [c[1:] for c in LIFTED], ids=[c[0] for c in LIFTED])
def test_other_holds_are_lifted_and_told_where_nobody_knows_whose_they_are(record, told) -> None:
    found = plan(record)
    assert [s.data["packages"] for s in found.of("unhold")] == [list(DRIVER)]
    note = f"no record says who set the hold of {', '.join(DRIVER)}: it is lifted for the change"
    assert (note in found.notes) is told


def test_without_a_change_there_is_nothing_to_say() -> None:
    found = plan(v2(), to="rocm-7.0.2")
    assert (found.of("unhold"), [n for n in found.notes if "hold" in n]) == ((), [])
