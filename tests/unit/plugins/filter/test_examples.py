# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Examples in the documentation of filters about devices, run by Ansible as they stand."""

from __future__ import annotations

import dataclasses as dc
import pathlib

import yaml

from ansible_collections.instinct.fleet.plugins.filter import partition_layout as plugin
from ansible_collections.instinct.fleet.plugins.plugin_utils.logical_devices import plain
from ansible_collections.instinct.fleet.tests.unit.plugins.run_playbook import HERE, run_playbook
from ansible_collections.instinct.fleet.tests.unit.support.layouts import devices, gpu, node

OFFERED = {"available_compute": ("SPX", "DPX", "QPX", "CPX"), "available_memory": ("NPS1", "NPS4")}
NODES = [{"path": path, "kind": kind, "owner": "root", "group": "render", "gid": 993, "mode": "0660"} for path, kind in (
    ("/dev/kfd", "kfd"), *((f"/dev/dri/renderD{minor}", "render") for minor in range(128, 192, 8)))]
# What the modules would return that come first in the examples.
KNOWN = {
    "seen": {"look": {"gpus": dc.asdict(node(*(gpu(index, **OFFERED) for index in range(8)))),
                      "devices": {"nodes": NODES, "groups": {"render": 993, "gpu-vision": 2001}}, "host": {}}},
    "result": {"devices": plain(devices("CPX/NPS4")), "devices_before": plain(devices())},
}


def debugged(name: str) -> list[dict]:
    """The examples of a filter, without the modules before them."""
    documentation = pathlib.Path(plugin.__file__).with_name(f"{name}.yml").read_text(encoding="utf-8")
    return [task for task in yaml.safe_load(yaml.safe_load(documentation)["EXAMPLES"]) if "ansible.builtin.debug" in task]


SAID = {
    "partition_layout": ["64 devices, 38 compute units and 24574 MiB each", '"/dev/dri/renderD128 /dev/dri/renderD129"'],
    "gres_entries": ["Name=gpu Type=mi300x_cpx File=/dev/dri/renderD[128-159] Cores=0-95 Flags=amd_gpu_env",
                     "NodeName=n1 CPUs=192 Gres=gpu:mi300x_cpx:64"],
    "cdi_spec": [" 0000:e5:00.0-7 0000:05:00.0 ", "/dev/kfd"],
    "kubernetes_devices": ["amd.com/cpx_nps4", "amd.com/compute-memory-partition"],
    "rocm_run_args": ["podman run --rm --device=amd.com/gpu=0 --device=amd.com/gpu=1 --group-add=993 ",
                      "AddDevice=instinct.fleet/gpu=vision"],
    "exporter_notes": ["'0-3', which counts devices: there were 8 and are 64"],
}


def test_examples_say_what_they_promise(tmp_path):
    tasks = [task for name in SAID for task in debugged(name)]
    assert len(tasks) == sum(map(len, SAID.values()))
    text = run_playbook(tmp_path, {"node": {**HERE, **KNOWN}}, tasks, ANSIBLE_STDOUT_CALLBACK="ansible.builtin.default")
    assert [words for said in SAID.values() for words in said if words not in text] == []
