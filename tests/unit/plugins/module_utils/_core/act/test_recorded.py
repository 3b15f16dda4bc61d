# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Only a node that is what its record says is worth to be kept."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.act import recorded
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Package
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.record import Record

RECORD = Record("rocm-7.0.2", "6.1", "dkms", "7.0.2", packages={"amdgpu-dkms": "1:6.14"})
HERE = {"amdgpu-dkms": Package("amdgpu-dkms", "1:6.14", "all", "installed")}
THERE = {"amdgpu-dkms": Package("amdgpu-dkms", "1:6.16", "all", "installed")}
REFUSED = [
    (recorded.refuse_unrecorded, ("/r", False), "/r: is not there, so what this node is cannot be kept; run site.yml"),
    (recorded.refuse_moved, (RECORD, THERE, {"7.0.2"}), "amdgpu-dkms: is 1:6.16, and the node recorded 1:6.14 with rocm-7.0.2"),
    (recorded.refuse_moved, (RECORD, {}, {"7.0.2"}), "amdgpu-dkms: is not installed, and the node recorded 1:6.14"),
    (recorded.refuse_moved, (RECORD, HERE, {"7.2.3", "6.4.2"}), "ROCm: is 6.4.2, 7.2.3, and the node recorded 7.0.2"),
    (recorded.refuse_broken, ([*HERE.values()],), "amdgpu-dkms: is half installed, so this node is not what could be kept"),
    (recorded.refuse_broken, ([*HERE.values(), *THERE.values()],), "amdgpu-dkms, amdgpu-dkms: are half installed"),
    (recorded.refuse_kernel, ("6.1", False, False, True), "kernel 6.1: is recorded, and its image and headers are not installed"),
    (recorded.refuse_kernel, ("6.1", True, False, True), "kernel 6.1: is recorded, and its headers are not installed"),
]


@pytest.mark.parametrize(("refuse", "arguments", "said"), REFUSED)
def test_what_is_not_as_recorded_is_refused(refuse, arguments, said: str):
    with pytest.raises(FleetError) as error:
        refuse(*arguments)
    assert error.value.sentence.startswith(said)


def test_what_is_as_recorded_is_kept():
    recorded.refuse_unrecorded("/r", True)
    recorded.refuse_moved(RECORD, HERE, {"7.0.2", "6.4.2"})
    recorded.refuse_moved(RECORD, HERE, set())
    recorded.refuse_broken([])
    recorded.refuse_kernel("6.1", True, False, False)
