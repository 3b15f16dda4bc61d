# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Slurm is told."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_slurm import (
    Slurm,
    files,
    logical,
    resources,
)
from ansible_collections.instinct.fleet.tests.unit.support.granted import (
    FIRST,
    HALF,
    OTHER_HALF,
    RECORD,
    RESEARCH,
    VISION,
    device,
)

GRES, CGROUP = "/etc/slurm/gres.conf", "/etc/slurm/cgroup.conf"


def test_slurm_gives_devices_of_its_tenants_by_their_name_and_those_of_nobody() -> None:
    assert resources(RECORD, {0: "0-23"}).lines == (
        "AutoDetect=off",
        "Name=gpu Type=mi300x_research File=/dev/dri/renderD144 Cores=0-23 Flags=amd_gpu_env",
        "Name=gpu Type=mi300x_research_dpx File=/dev/dri/renderD152 Flags=amd_gpu_env",
        "Name=gpu Type=mi300x_dpx File=/dev/dri/renderD153 Flags=amd_gpu_env",
    )


def test_a_device_of_two_tenants_of_slurm_is_listed_once() -> None:
    both = dc.replace(RECORD, tenants=(RESEARCH, dc.replace(VISION, slurm_accounts=("sight",))))
    assert resources(both, {}).counts == {"mi300x_research_dpx": 1, "mi300x_research_vision": 1, "mi300x_vision": 2, "mi300x_dpx": 1}


def test_a_device_that_is_gone_is_not_given() -> None:
    record = dc.replace(RECORD, tenants=(VISION,), pool=(OTHER_HALF, dc.replace(FIRST, render_node=None)))
    assert resources(record, {}).definition == "gpu:mi300x_dpx:1"


@pytest.mark.parametrize(("of", "mode"), [(1, "SPX"), (2, "DPX"), (3, "TPX"), (4, "QPX"), (6, "CPX"), (8, "CPX")])
def test_the_mode_follows_from_the_number_of_parts(of: int, mode: str) -> None:
    assert [one.compute for one in logical([device(0, of=of)])] == [mode]


def test_devices_have_numbers_and_a_product_that_is_unknown_has_a_name() -> None:
    found = logical([FIRST, HALF, OTHER_HALF, dc.replace(FIRST, product=None)], "vision")
    assert [(one.index, one.gpu_index, one.product) for one in found] == [
        (0, 0, "MI300X vision"), (1, 1, "MI300X vision"), (2, 1, "MI300X vision"), (3, 0, "amd vision")]


def test_files_are_written_where_they_are_asked_for() -> None:
    assert files(RECORD, Slurm()) == {}
    found = files(RECORD, Slurm(GRES, CGROUP, {"ConstrainCores": "yes"}))
    assert found[GRES].splitlines()[1] == "AutoDetect=off"
    assert found[CGROUP].splitlines()[1:] == ["ConstrainDevices=yes", "ConstrainCores=yes"]


def test_devices_are_always_constrained() -> None:
    with pytest.raises(FleetError) as caught:
        files(RECORD, Slurm(cgroup=CGROUP, parameters={"constraindevices": "no"}))
    assert caught.value.sentence == "gpu_reservation_slurm_parameters: have ConstrainDevices, which is always yes; remove it"
