# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A machine has the GPUs that it was told of, and its kernel binds them by itself."""

from __future__ import annotations

import json

import pytest
from simmachine import machines

ASK = """
import json, sys
sys.path.insert(0, "/opt/rocm/share/amd_smi")
import amdsmi
amdsmi.amdsmi_init()
handles = amdsmi.amdsmi_get_processor_handles()
print(json.dumps([amdsmi.amdsmi_get_gpu_device_bdf(handle) for handle in handles]))
"""


@pytest.mark.parametrize(("product", "gpus", "device", "render"), [("mi355x", 8, "75a3", 64), ("mi210", 4, "740f", 4)])
def test_products(new_lab, product, gpus, device, render):
    lab = new_lab(product, gpus)
    lines = lab.run(f"lspci -Dn -d 1002:{device}").splitlines()
    assert len(lines) == gpus
    assert all(" 1200: " in line for line in lines)
    found = lab.state()
    assert (found["bound"], found["render"], found["version"]) == (gpus, render, "6.14.14")
    assert found["loaded"] == found["on_disk"]
    # The library sees what the kernel has bound, and no GPU that it has not.
    addresses = [line.split()[0] for line in lines]
    assert json.loads(machines.ssh(lab.machine, "python3", "-", input=ASK).stdout) == addresses
    lab.run(f"echo {addresses[-1]} > /sys/bus/pci/drivers/amdgpu/unbind && udevadm settle")
    assert json.loads(machines.ssh(lab.machine, "python3", "-", input=ASK).stdout) == addresses[:-1]
    assert lab.state()["render"] == render - render // gpus
