# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From variables to a resolved release."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.plugin_utils import role_specs
from ansible_collections.instinct.fleet.plugins.plugin_utils.releases import Choices, resolve_release
from ansible_collections.instinct.fleet.tests.unit.support.world import KERNEL, bare_node


def resolve(source: str = "dkms", **given):
    values = role_specs.validated("gpu_release", {"gpu_release_name": "rocm-7.2.3", **given})
    return resolve_release(bare_node(), values, Choices(source))


def test_every_variable_reaches_the_release():
    wanted = resolve(
        gpu_release_mirrors={"https://repo.radeon.com": "https://mirror.example.org"},
        gpu_release_keys={"radeon": {"fingerprint": "ab" * 20}},
        gpu_release_kernel="6.1.0-57-amd64",
    )
    assert [r.uri for r in wanted.repositories] == [
        "https://mirror.example.org/amdgpu/30.30.3/ubuntu",
        "https://mirror.example.org/rocm/apt/7.2.3",
    ]
    assert (wanted.keys["radeon"].fingerprint, wanted.kernel.wanted) == ("AB" * 20, "6.1.0-57-amd64")
    assert resolve().kernel.wanted == KERNEL
    assert resolve("in_tree").driver.source == "in_tree"


def test_confidence_must_be_accepted():
    with pytest.raises(FleetError, match="add derived to gpu_release_accept"):
        resolve(gpu_release_name="rocm-7.2.0")
    assert resolve(gpu_release_name="rocm-7.2.0", gpu_release_accept=["derived", "third_party"]).name == "rocm-7.2.0"


def test_what_a_variable_holds_is_refused_by_its_name():
    with pytest.raises(FleetError, match=r"^gpu_release_keys\.radeon\.fingerprint: is missing; add it$"):
        resolve(gpu_release_keys={"radeon": {}})


def test_a_directory_of_the_site_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(FleetError, match="is not a directory"):
        resolve(gpu_release_catalogue_dirs=[str(tmp_path / "none")])


def test_variables_of_other_roles_reach_the_release_too():
    given = {"gpu_driver_source": "in_tree", "rocm_userspace_components": ["rocm-core"],
             "rocm_userspace_side_by_side": ["rocm-7.0.2"]}
    values = {role: role_specs.validated(role, given) for role in ("gpu_driver", "rocm_userspace")}
    choices = Choices.of(values, ["rocm_userspace"])
    assert choices == Choices("in_tree", True, ("rocm-core",), ("rocm-7.0.2",))
    assert not Choices.of(values, ["gpu_driver"]).driver_stays
    release = role_specs.validated("gpu_release", {"gpu_release_name": "rocm-7.2.3"})
    wanted = resolve_release(bare_node(), release, choices)
    assert (wanted.rocm.packages, [b.release for b in wanted.beside]) == ({"rocm-core": ("rocm-core{line}",)}, ["rocm-7.0.2"])
    assert "there is no driver on the node yet: whether ROCm supports it cannot be told" in wanted.notes
