# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a look says of the machine, as plain data and back."""

from __future__ import annotations

import dataclasses as dc
import json

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.host import (
    Clock,
    Host,
    Limits,
    PciDevice,
    RdmaPort,
)
from ansible_collections.instinct.fleet.plugins.plugin_utils.plain import from_plain

SEEN = Host(
    iommu_groups=3, iommu_types=("identity",), cpu_vendor="AuthenticAMD", cpus=192, kernel_config={"CONFIG_PCI_P2PDMA": "y"},
    devices=(PciDevice("0000:05:00.0", "1002", "74a1", "gpu", "0000:00:01.1", bars=(1 << 38,), bars_unplaced=(-1,), acs=0x1D,
                       atomics=0x180, atomics_requested=True, aer_correctable=2),),
    limits=(Limits("slurmd", 41, -1, 1024),), drm_devices={"amdgpu": 64}, loaded_modules=("ast",),
    rdma=(RdmaPort("mlx5_0", 1, rate_gbps=400, counters={"symbol_error": 0}),), clock=Clock(1700000000.5, True, 1699999999.0),
    unknown={"lockdown": "there is none"})


def test_it_comes_back_from_a_node_as_it_was() -> None:
    assert from_plain(Host, json.loads(json.dumps(dc.asdict(SEEN)))) == SEEN


def test_what_was_not_read_is_not_there() -> None:
    assert from_plain(Host, {}) == Host()
