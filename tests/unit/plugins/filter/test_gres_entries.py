# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The filter gres_entries."""

from __future__ import annotations

import pytest
from ansible.errors import AnsibleFilterError

from ansible_collections.instinct.fleet.plugins.filter import gres_entries as plugin
from ansible_collections.instinct.fleet.plugins.plugin_utils.logical_devices import plain
from ansible_collections.instinct.fleet.tests.unit.support.layouts import devices

CPX = plain(devices("CPX/NPS4"))


def run(given=CPX, *arguments, **named):
    return plugin.FilterModule().filters()["gres_entries"](given, *arguments, **named)


def test_lines_are_those_of_the_core():
    assert run() == {
        "lines": ["AutoDetect=off", "Name=gpu Type=mi300x_cpx File=/dev/dri/renderD[128-159] Flags=amd_gpu_env",
                  "Name=gpu Type=mi300x_cpx File=/dev/dri/renderD[160-191] Flags=amd_gpu_env"],
        "definition": "gpu:mi300x_cpx:64", "counts": {"mi300x_cpx": 64}, "node": ""}


def test_with_the_name_of_the_node_its_line_is_there_too():
    found = run(CPX, "n1", parameters={"CPUs": 192})
    assert found["node"] == "NodeName=n1 CPUs=192 Gres=gpu:mi300x_cpx:64"
    assert found["lines"] == run()["lines"]


def test_lines_of_a_shared_file_name_the_node():
    assert {line.split()[0] for line in run(CPX, "n1", shared=True)["lines"]} == {"NodeName=n1"}


@pytest.mark.parametrize("key", [0, "0"])
def test_numa_nodes_are_numbers_or_the_text_of_one(key):
    assert "Cores=0-63" in run(cores={key: "0-63"})["lines"][1]


@pytest.mark.parametrize(("given", "arguments", "sentence"), [
    ("x", {}, "devices: is str, not a list; give it what partition_layout returns"),
    ([{**CPX[0], "render_node": None}], {}, "gpu 0000:05:00.0 partition 0: its render node is not known; "),
    (CPX, {"node_name": "n1 x"}, "node name: is 'n1 x', which does not match "),
    (CPX, {"node_name": 1}, "node name: is 1, which does not match "),
    (CPX, {"shared": "yes"}, "shared: is 'yes', not true or false; write it so"),
    (CPX, {"shared": True}, "node_name: is missing, and lines of a file that nodes share name their node; add it"),
    (CPX, {"cores": ["0-63"]}, "cores: is list, not a mapping; write it as in {0: 0-95, 1: 96-191}"),
    (CPX, {"cores": {"one": "0-63"}}, "cores: has a key 'one', which is no number of a NUMA node; write it as a number"),
    (CPX, {"cores": {True: "0-63"}}, "cores: has a key True, which is no number of a NUMA node; write it as a number"),
    (CPX, {"cores": {0: None}}, "cores of NUMA node 0: is None, which does not match "),
    (CPX, {"node_name": "n1", "parameters": "CPUs=1"}, "parameters: is str, not a mapping; write it as a mapping"),
])
def test_what_is_not_of_its_form_is_one_sentence(given, arguments, sentence):
    with pytest.raises(AnsibleFilterError) as caught:
        run(given, **arguments)
    assert str(caught.value).startswith(sentence)
