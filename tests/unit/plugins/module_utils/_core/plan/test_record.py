# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a node records about itself, and reboots."""

from __future__ import annotations

import dataclasses as dc
import json

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.whole import WholeLook, whole
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.managed import LOCAL_FACTS, RELEASE_RECORD
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.record import (
    Record,
    plan_reboot,
    plan_record,
    readable,
    recorded,
)
from ansible_collections.instinct.fleet.tests.unit.support.releases import release
from ansible_collections.instinct.fleet.tests.unit.support.world import KERNEL, bare_node, carry_out

VARIABLES = {"gpu_release": {"gpu_release_name": "rocm-7.0.2"}, "gpu_driver": {"gpu_driver_hold": True}}
V1 = {"version": "v1", "release": "r", "kernel": None, "driver": {"source": "in_tree", "release": None, "packages": {}},
      "rocm": "7.0.2"}


def node(text: str | None) -> WholeLook:
    """A node whose record is this text."""
    file = lk.ManagedFile(RELEASE_RECORD, "0" * 64, "root", "root", "0644", text=text)
    return whole(dc.replace(bare_node(), files=lk.Files((lk.ManagedFile("/etc/x"), file))))


def test_what_was_recorded_is_read_again():
    before = whole(carry_out(bare_node(), plan_record(bare_node(), release("rocm-7.0.2"), VARIABLES, ["b", "a"])))
    assert recorded(before) == Record("rocm-7.0.2", KERNEL, "dkms", "7.0.2", ("a", "b"), VARIABLES, 8, dict(release("rocm-7.0.2").driver.packages))
    assert recorded(whole(bare_node())) is None


def test_records_of_the_first_form_are_read():
    assert recorded(node(json.dumps(V1))) == Record("r", None, "in_tree", "7.0.2")


def test_records_of_the_second_form_without_a_number_of_gpus_are_read():
    assert recorded(node(json.dumps(V1 | {"version": "v2", "held": ["a"], "variables": {}}))) == Record(
        "r", None, "in_tree", "7.0.2", ("a",), {}, None)


# recorded, there now, recorded then
GPUS = [(None, 8, 8), (None, 0, 0), (4, 8, 8), (8, 5, 8), (8, 0, 8)]


@pytest.mark.parametrize(("before", "there", "after"), GPUS)
def test_gpus_that_are_gone_stay_in_the_record(before: int | None, there: int, after: int):
    old = V1 | {"version": "v2", "held": [], "variables": {}} | ({} if before is None else {"gpus": before})
    seen = dc.replace(node(json.dumps(old)), gpus=bare_node(gpus=there).gpus)
    (record,) = [s for s in plan_record(seen, release("rocm-7.0.2")).steps if s.data["path"] == RELEASE_RECORD]
    assert json.loads(record.data["content"])["gpus"] == after


def test_a_damaged_record_says_nothing_and_is_written_anew():
    damaged = node("{")
    assert (readable(damaged), readable(node(json.dumps(V1)))) == (None, Record("r", None, "in_tree", "7.0.2"))
    assert json.loads(plan_record(damaged, release("rocm-7.0.2")).steps[0].data["content"])["gpus"] == 8


WRONG = {
    "no JSON": ("rocm", "is not JSON; run site.yml to write it anew"),
    "no text": (None, "is not JSON; run site.yml to write it anew"),
    "of a later version": (json.dumps(V1 | {"version": "v3"}), "version: is 'v3'; choose one of v1, v2"),
    "a key of nobody": (json.dumps(V1 | {"colour": "red"}), "colour: is not a known key"),
    "GPUs that are no number": (json.dumps(V1 | {"version": "v2", "held": [], "variables": {}, "gpus": "8"}),
                                "gpus: is text, not a number"),
    "no variables": (json.dumps(V1 | {"version": "v2", "held": [], "variables": []}),
                     "variables: is not a mapping; run site.yml to write it anew"),
    "a role that is none": (json.dumps(V1 | {"version": "v2", "held": [], "variables": {"r": 1}}),
                            "variables.r: is not a mapping; run site.yml to write it anew"),
}


@pytest.mark.parametrize(("text", "said"), WRONG.values(), ids=WRONG)
def test_a_record_of_another_form_is_refused(text: str | None, said: str):
    with pytest.raises(DataError) as refusal:
        recorded(node(text))
    assert str(refusal.value).startswith(RELEASE_RECORD)
    assert said in str(refusal.value)


def test_the_record_names_release_kernel_driver_and_rocm():
    steps = {
        s.data["path"]: json.loads(s.data["content"])
        for s in plan_record(bare_node(), release("rocm-7.0.2"), VARIABLES, ["b", "a"]).steps
    }
    assert steps == {
        RELEASE_RECORD: {
            "version": "v2",
            "release": "rocm-7.0.2",
            "kernel": KERNEL,
            "rocm": "7.0.2",
            "held": ["a", "b"],
            "gpus": 8,
            "variables": VARIABLES,
            "driver": {
                "source": "dkms",
                "release": "30.10.2",
                "packages": {
                    "amdgpu-dkms": "1:6.14.14.30100200-2226257.22.04",
                    "amdgpu-dkms-firmware": "30.10.2.0.30100200-2226257.22.04",
                },
            },
        },
        LOCAL_FACTS: {"release": "rocm-7.0.2", "driver": "30.10.2", "rocm": "7.0.2"},
    }


def test_a_record_that_is_right_is_not_written_again():
    node = carry_out(bare_node(), plan_record(bare_node(), release("rocm-7.0.2")))
    assert plan_record(node, release("rocm-7.0.2")).empty
    assert len(plan_record(node, release("rocm-7.2.3")).steps) == 2


def test_a_reboot_is_a_step_only_when_it_is_needed_and_allowed():
    assert [s.words for s in plan_reboot("kernel 2 must boot", True).steps] == ["reboot: kernel 2 must boot"]
    assert plan_reboot("kernel 2 must boot", False).empty
    assert plan_reboot("", True).empty
