# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where modules of another hand are put, and what belongs together."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.act import adopt
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError


@pytest.mark.parametrize(
    ("path", "kernel", "target"),
    [
        ("/lib/modules/6.8.0-85-generic/updates/amdgpu.ko", "6.8.0-85-generic", "6.8.0-85-generic/updates/amdgpu.ko"),
        ("/usr/lib/modules/6.12.117+deb13-amd64/extra/a/amdgpu.ko.xz", "6.12.117+deb13-amd64",
         "6.12.117+deb13-amd64/extra/a/amdgpu.ko.xz"),
    ],
)
def test_destination(path, kernel, target):
    assert (adopt.kernel_of(path), adopt.destination(path)) == (kernel, f"/var/lib/instinct/adopted/{target}")


@pytest.mark.parametrize("path", [
    "/etc/passwd", "/lib/modules/6.1/kernel/drivers/gpu/drm/amd/amdgpu/amdgpu.ko", "/lib/modules/6.1/../../x/amdgpu.ko",
    "/lib/modules/amdgpu.ko", "lib/modules/6.1/updates/amdgpu.ko"])
def test_what_is_not_of_another_hand_is_refused(path):
    with pytest.raises(DataError, match="is not a module of another hand"):
        adopt.destination(path)


def test_siblings_are_the_modules_of_the_driver_alone():
    names = ["amddrm_buddy.ko", "amd-sched.ko.zst", "amdgpu.ko", "amdgpu.txt", "amdttm.ko.xz", "amd_iommu_v2.ko", "nvme.ko"]
    assert adopt.siblings(names) == ("amddrm_buddy.ko", "amd-sched.ko.zst", "amdgpu.ko", "amdttm.ko.xz")
