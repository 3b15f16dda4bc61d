# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which kernels a machine has, and what it keeps of them."""

from __future__ import annotations

import pytest
from simhost.errors import SimError
from simmachine import recipe

OLD, NEW = "6.1.0-57-amd64", "6.12.117+deb12-amd64"


def test_the_two_kernels_are_those_that_were_downloaded(tmp_path):
    for name in (f"linux-image-{OLD}_6.1.192-3_amd64.deb", f"linux-image-{NEW}_6.12.117-1_amd64.deb",
                 f"linux-headers-{NEW}_6.12.117-1_amd64.deb"):
        (tmp_path / name).touch()
    found = recipe.kernels(tmp_path)
    assert found == recipe.Kernels(OLD, NEW)
    assert found.prerequisites() == ["linux-headers-6.12.117+deb12-common", "linux-kbuild-6.12.117+deb12", "pahole"]


def test_a_kernel_that_is_missing_is_named(tmp_path):
    (tmp_path / f"linux-image-{OLD}_6.1.192-3_amd64.deb").touch()
    with pytest.raises(SimError, match=r"one kernel like \^6\\\.12.* there are none"):
        recipe.kernels(tmp_path)


@pytest.mark.parametrize(("path", "kept"), [
    ("drivers/net/virtio_net.ko", True),
    ("drivers/net/ethernet/intel/e1000/e1000.ko.xz", False),
    ("drivers/gpu/drm/drm.ko.xz", True),
    ("drivers/gpu/drm/amd/amdgpu/amdgpu.ko", True),
    ("drivers/gpu/drm/i915/i915.ko", False),
    ("fs/ext4/ext4.ko", True),
    ("fs/btrfs/btrfs.ko", False),
    ("lib/crc16.ko", True),
])
def test_a_module_is_kept_where_machines_need_it(path, kept):
    assert recipe.kept(path) is kept


def test_dpkg_is_told_the_same_in_an_order_in_which_the_last_word_counts():
    lines = recipe.dpkg_options().splitlines()
    order = [lines.index(f"path-{line}") for line in (
        "exclude=*/lib/modules/*/kernel/drivers/*", "include=*/lib/modules/*/kernel/drivers/gpu/drm/*",
        "exclude=*/lib/modules/*/kernel/drivers/gpu/drm/i915/*")]
    assert order == sorted(order)
