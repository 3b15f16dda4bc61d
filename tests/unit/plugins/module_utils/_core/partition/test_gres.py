# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Slurm is told of devices."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.gres import gres, gres_type, slurm_node
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.layout import layout
from ansible_collections.instinct.fleet.tests.unit.support.layouts import CAPABILITIES, devices, gpu, node, wanted

MIXED = layout(node(gpu(0), gpu(1), gpu(2), gpu(4)), CAPABILITIES, (*wanted("CPX/NPS1", 1), *wanted("DPX/NPS1", 2)))
END = " Flags=amd_gpu_env"


@pytest.mark.parametrize(("given", "lines", "definition"), [
    pytest.param(devices("CPX/NPS4"), [
        "Name=gpu Type=mi300x_cpx File=/dev/dri/renderD[128-159]",
        "Name=gpu Type=mi300x_cpx File=/dev/dri/renderD[160-191]"], "gpu:mi300x_cpx:64", id="a line for each NUMA node"),
    pytest.param(devices(), [
        "Name=gpu Type=mi300x File=/dev/dri/renderD[128,136,144,152]",
        "Name=gpu Type=mi300x File=/dev/dri/renderD[160,168,176,184]"], "gpu:mi300x:8", id="whole GPUs, numbers in steps"),
    pytest.param(MIXED, [
        "Name=gpu Type=mi300x File=/dev/dri/renderD128",
        "Name=gpu Type=mi300x_cpx File=/dev/dri/renderD[136-143]",
        "Name=gpu Type=mi300x_dpx File=/dev/dri/renderD[144-145]",
        "Name=gpu Type=mi300x File=/dev/dri/renderD160"],
        "gpu:mi300x:2,gpu:mi300x_cpx:8,gpu:mi300x_dpx:2", id="types in the order of devices"),
    pytest.param((), [], "", id="no device"),
])
def test_there_is_a_line_for_each_run_of_like_devices(given, lines, definition):
    found = gres(given)
    assert found.lines == ("AutoDetect=off", *(line + END for line in lines))
    assert found.definition == definition


def test_in_a_file_that_nodes_share_each_line_names_its_node():
    assert gres(MIXED[:1], node_name="n-1.site").lines == (
        "NodeName=n-1.site AutoDetect=off Name=gpu Type=mi300x File=/dev/dri/renderD128" + END,)


def test_cores_are_told_where_they_are_given():
    assert gres(MIXED, cores={1: "64-127"}).lines[-1] == "Name=gpu Type=mi300x File=/dev/dri/renderD160 Cores=64-127" + END
    assert [line for line in gres(MIXED, cores={1: "64-127"}).lines[:-1] if "Cores" in line] == []
    unplaced = dc.replace(MIXED[0], numa_node=None)
    assert gres((unplaced,), cores={0: "0-63"}).lines[-1] == "Name=gpu Type=mi300x File=/dev/dri/renderD128" + END


@pytest.mark.parametrize(("product", "compute", "kind"), [
    ("MI300X", "CPX", "mi300x_cpx"), ("MI300X", "SPX", "mi300x"), ("MI210", "", "mi210"),
    ("AMD Instinct MI325X VF", "SPX", "amd_instinct_mi325x_vf"), (None, "CPX", "amd_cpx"), (None, "", "amd"),
    ("x:1,gpu", "SPX", "x_1_gpu"), ("\n", "SPX", "amd"),
])
def test_a_type_is_the_product_and_the_mode_of_parts(product, compute, kind):
    assert gres_type(dc.replace(MIXED[0], product=product, compute=compute)) == kind


@pytest.mark.parametrize(("arguments", "sentence"), [
    ({"node_name": "n1 Gres=x"}, "node name: is 'n1 Gres=x', which does not match "),
    ({"node_name": "n1\n"}, "node name: is 'n1\\n', which does not match "),
    ({"node_name": ["n1"]}, "node name: is ['n1'], which does not match "),
    ({"cores": {0: "0-63 File=/dev/null"}}, "cores of NUMA node 0: is '0-63 File=/dev/null', which does not match "),
    ({"cores": {0: 3}}, "cores of NUMA node 0: is 3, which does not match "),
])
def test_what_slurm_would_read_otherwise_is_refused(arguments, sentence):
    with pytest.raises(FleetError) as caught:
        gres(MIXED, **arguments)
    assert caught.value.sentence.startswith(sentence)


def test_the_line_of_a_node_says_what_it_has():
    line = slurm_node("n1", gres(devices("CPX/NPS4")), {"CPUs": 192, "Features": "cpx,mi300x"})
    assert line == "NodeName=n1 CPUs=192 Features=cpx,mi300x Gres=gpu:mi300x_cpx:64"
    assert slurm_node("n1", gres(())) == "NodeName=n1"


@pytest.mark.parametrize(("name", "parameters", "sentence"), [
    ("n[1-2]", {}, "node name: is 'n[1-2]', which does not match "),
    ("n1", {"Gres": "gpu:8"}, "parameter Gres of Slurm node n1: is no parameter that can be given here; remove it"),
    ("n1", {"CPUs 1": 2}, "parameter CPUs 1 of Slurm node n1: is no parameter that can be given here; remove it"),
    ("n1", {"Reason": "two words"}, "parameter Reason of Slurm node n1: is 'two words', which is no number and no word; "
                                    "write it as one word"),
    ("n1", {"CPUs": True}, "parameter CPUs of Slurm node n1: is True, which is no number and no word; write it as one word"),
    ("n1", {"CPUs": None}, "parameter CPUs of Slurm node n1: is None, which is no number and no word; write it as one word"),
    ("n1", {"CPUs": ""}, "parameter CPUs of Slurm node n1: is '', which is no number and no word; write it as one word"),
    ("n1", {"CPUs": "1#"}, "parameter CPUs of Slurm node n1: is '1#', which is no number and no word; write it as one word"),
])
def test_a_line_of_a_node_that_slurm_would_read_otherwise_is_refused(name, parameters, sentence):
    with pytest.raises(FleetError) as caught:
        slurm_node(name, gres(()), parameters)
    assert caught.value.sentence.startswith(sentence)
