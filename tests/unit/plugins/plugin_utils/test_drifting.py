# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node held against its own record, with the real catalogue."""

from __future__ import annotations

import dataclasses as dc
import json

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.managed import RELEASE_RECORD
from ansible_collections.instinct.fleet.plugins.plugin_utils import drifting, planning, role_specs
from ansible_collections.instinct.fleet.tests.unit.support.world import KERNEL, bare_node, carry_out

OWN_KEY = {"radeon": {"fingerprint": "AB" * 20}}
JOURNAL = (
    lk.JournalEntry("2026-01-01", "ci", "gpu_release", None, "rocm-7.0.2", "done"),
    lk.JournalEntry("2026-01-02", "op", "gpu_release", "rocm-7.0.2", "rocm-7.2.3", "done"),
    lk.JournalEntry("2026-01-03", "op", "other"),
)


def values(**given):
    given = {"gpu_release_name": "rocm-7.2.3", "gpu_release_keys": OWN_KEY} | given
    return {role: role_specs.validated(role, given) for role in planning.ROLES}


def settled(**given) -> lk.Look:
    """A node that was brought to its release and recorded it."""
    node = bare_node()
    for part in planning.plan_node(node, values(**given), planning.ROLES).plans.values():
        node = carry_out(node, part)
    return with_files(node, recorded_release="rocm-7.2.3", journal=JOURNAL)


def with_files(node: lk.Look, **change) -> lk.Look:
    return dc.replace(node, files=dc.replace(node.files, **change))


def with_record(node: lk.Look, **change) -> lk.Look:
    """The node with keys of its record replaced; None takes one away."""
    file = next(f for f in node.files.files if f.path == RELEASE_RECORD)
    record = {k: v for k, v in (json.loads(file.text) | change).items() if v is not None or k == "kernel"}
    new = dc.replace(file, text=json.dumps(record))
    return with_files(node, files=tuple(new if f is file else f for f in node.files.files))


def held_against_record(node: lk.Look, **given):
    return drifting.plan_recorded(node, values(**given), planning.ROLES)


def test_a_node_as_it_was_recorded_differs_in_nothing():
    plan, drift = held_against_record(settled())
    assert [p.steps for p in plan.plans.values()] == [()] * 5
    assert drift == {"release": "rocm-7.2.3", "differences": [], "moved": [], "notes": [], "when": "2026-01-02", "who": "op",
                     "before": "rocm-7.0.2", "after": "rocm-7.2.3"}


def test_what_the_inventory_wants_now_is_no_drift():
    plan, drift = held_against_record(settled(), gpu_release_name="rocm-7.2.4", gpu_driver_hold=False)
    assert plan.wanted.name == "rocm-7.2.3"
    assert drift["differences"] == []
    assert drift["moved"] == ["the inventory has gpu_driver_hold false, and had true",
                              "the inventory has gpu_release_name rocm-7.2.4, and had rocm-7.2.3"]


def _without_gpus(node):
    return dc.replace(node, gpus=lk.Gpus(node.gpus.gpus[:5]))


def _unheld(node):
    return dc.replace(node, packages=dc.replace(node.packages, holds=node.packages.holds[1:]))


def _other_file(node):
    files = tuple(dc.replace(f, sha256="0" * 64, text="x") if f.path.endswith("00-instinct-amdgpu") else f for f in node.files.files)
    return with_files(node, files=files)


def _other_kernel(node):
    return dc.replace(node, kernel=dc.replace(node.kernel, next_boot="6.1.0-57-amd64"))


def _stale_linker(node):
    return dc.replace(node, rocm=dc.replace(node.rocm, linker_stale=True))


BY_HAND = [
    (_stale_linker, ["the linker cache does not know the libraries"]),
    (_without_gpus, ["3 of the 8 GPUs that were recorded are not on the PCI bus; look at the hardware, or take the key gpus "
                     "out of /var/lib/instinct/release.json if they were taken out"]),
    (_unheld, ["amdgpu-dkms is not on hold"]),
    (_other_file, ["/etc/apt/preferences.d/00-instinct-amdgpu was changed"]),
    (_other_kernel, [f"6.1.0-57-amd64 boots next, not {KERNEL}"]),
]


@pytest.mark.parametrize(("change", "words"), BY_HAND)
def test_what_was_changed_by_hand_is_said(change, words):
    _plan, drift = held_against_record(change(settled()))
    assert drift["differences"] == words


def test_the_kernel_that_was_wanted_stays_wanted_though_nobody_pinned_it():
    node = settled()
    newer = dc.replace(node, kernel=dc.replace(node.kernel, running="6.1.0-57-amd64"))
    _plan, drift = held_against_record(newer)
    assert f"kernel {KERNEL} must boot (running 6.1.0-57-amd64)" in drift["differences"]


def test_a_node_that_was_never_recorded_is_unknown():
    assert held_against_record(bare_node()) == (None, {"unrecorded": "no release was recorded on this node"})


def test_a_journal_that_does_not_tell_leaves_open_who_it_was():
    _plan, drift = held_against_record(with_files(settled(), journal=()))
    assert (drift["when"], drift["who"], drift["before"], drift["after"]) == (None, None, None, None)


def test_a_record_of_the_first_form_takes_the_rest_from_the_inventory():
    old = with_record(settled(), version="v1", held=None, variables=None, gpus=None)
    plan, drift = held_against_record(old, gpu_release_name="rocm-7.0.2")
    assert (plan.wanted.name, drift["differences"]) == ("rocm-7.2.3", [])
    assert drift["moved"] == ["the inventory has gpu_release_name rocm-7.0.2, and had rocm-7.2.3"]
    assert drift["notes"] == [drifting.OLD]


@pytest.mark.parametrize(
    ("change", "says"),
    [({"version": "v9"}, "choose one of v1, v2"), ({"release": "rocm-0"}, "the catalogue has no release 'rocm-0'")],
)
def test_a_record_that_is_of_no_use_is_refused(change, says):
    with pytest.raises(FleetError, match=says):
        held_against_record(with_record(settled(), **change))
