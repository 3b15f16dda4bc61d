# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The filter partition_layout."""

from __future__ import annotations

import dataclasses as dc
import json
import pathlib

import pytest
import yaml
from ansible.errors import AnsibleFilterError

from ansible_collections.instinct.fleet.plugins.filter import partition_layout as plugin
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.shape import LogicalDevice
from ansible_collections.instinct.fleet.tests.unit.support.layouts import gpu, node

OFFERED = {"available_compute": ("SPX", "DPX", "QPX", "CPX"), "available_memory": ("NPS1", "NPS4")}
DOCUMENTATION = pathlib.Path(plugin.__file__).with_suffix(".yml")
HALVES = {"gpus": [0], "compute": "DPX", "memory": "NPS1"}


def section(*gpus):
    return json.loads(json.dumps(dc.asdict(node(*gpus))))


EIGHT = section(*(gpu(index, **OFFERED) for index in range(8)))
FOUR = section(*(gpu(index, **OFFERED) for index in range(4)))


def run(seen=EIGHT, *arguments, **named):
    return plugin.FilterModule().filters()["partition_layout"](seen, *arguments, **named)


def test_without_a_profile_it_is_what_is_there():
    assert [(one["gpu"], one["compute_units"], one["seen"]) for one in run(FOUR)] == [
        (item["bdf"], 304, True) for item in FOUR["gpus"]]


def test_a_profile_is_what_it_would_make():
    found = run(EIGHT, "cpx-nps4")
    assert [one["index"] for one in found] == list(range(64))
    assert {(one["xcds"], one["compute_units"], one["memory_bytes"], one["seen"]) for one in found} == {
        (1, 38, 24574 * 1024 * 1024, False)}


def test_rules_are_as_good_as_a_profile():
    assert [(one["gpu_index"], one["render_node"]) for one in run(FOUR, gpus=[HALVES])] == [
        (0, "/dev/dri/renderD128"), (0, "/dev/dri/renderD129"), (1, "/dev/dri/renderD136"), (2, "/dev/dri/renderD144"),
        (3, "/dev/dri/renderD152")]


def test_a_site_brings_profiles(tmp_path):
    (tmp_path / "profiles").mkdir()
    (tmp_path / "profiles" / "ours.yml").write_text(yaml.safe_dump(
        {"version": "v1", "kind": "partition_profile", "name": "ours", "gpus": [HALVES]}))
    assert len(run(FOUR, "ours", catalogue_dirs=[str(tmp_path)])) == 5


@pytest.mark.parametrize(("seen", "arguments", "sentence"), [
    ([], {}, "gpus: is list, not a mapping"),
    (None, {}, "gpus: is NoneType, not a mapping"),
    ({"gpus": [{"bdf": 1}]}, {}, "gpus.gpus[0]: lacks device_id, index"),
    ({"gpus": "x"}, {}, "gpus.gpus: is str, not a list"),
    ({"unknown": {"gpus": "no permission"}}, {}, "node: which GPUs it has is unknown: no permission"),
    (FOUR, {"profile": 3}, "profile: is 3, not the name of a profile; write its name"),
    (FOUR, {"profile": "cpx-nps5"}, "gpu_partition_profile: there is no profile 'cpx-nps5'; did you mean cpx-nps"),
    (FOUR, {"profile": "cpx-nps4", "gpus": [HALVES]}, "profile: is set, and so is gpus; set one of them"),
    (FOUR, {"gpus": {}}, "gpus: is dict, not a list; write it as a list of {gpus, compute, memory}"),
    (FOUR, {"gpus": [{**HALVES, "gpus": [9]}]}, "gpus[0].gpus: the node has no GPU 9: they are 0 to 3"),
    (FOUR, {"gpus": [{**HALVES, "compute": "XPX"}]}, "gpus[0].compute: is 'XPX'; choose one of SPX, DPX, TPX, QPX, CPX"),
    (FOUR, {"gpus": [{**HALVES, "compute": "TPX"}]}, "gpu 0000:05:00.0: MI300X cannot be TPX/NPS1; choose one of "),
    (FOUR, {"gpus": [{**HALVES, "compute": "SPX", "memory": "NPS4"}]},
     "gpu 0000:05:00.0: SPX/NPS4 would be 4 parts of memory for 1 device; choose one of "),
    (section(gpu(0, product="MI210")), {"gpus": [HALVES]}, "gpu 0000:05:00.0: MI210 cannot be partitioned"),
    (FOUR, {"catalogue_dirs": "/etc"}, "catalogue_dirs: is '/etc', not a list of directories; write it as a list"),
    (FOUR, {"catalogue_dirs": [""]}, "catalogue_dirs: is [''], not a list of directories; write it as a list"),
    (FOUR, {"catalogue_dirs": ["/nowhere/at/all"]}, "gpu_partition_catalogue_dirs: "),
])
def test_what_is_not_of_its_form_or_cannot_be_is_one_sentence(seen, arguments, sentence):
    with pytest.raises(AnsibleFilterError) as caught:
        run(seen, **arguments)
    assert str(caught.value).startswith(sentence)
    assert "\n" not in str(caught.value)


def test_its_documentation_lists_what_it_returns():
    returned = yaml.safe_load(DOCUMENTATION.read_text())["RETURN"]["_value"]["contains"]
    assert sorted(returned) == sorted(field.name for field in dc.fields(LogicalDevice))
