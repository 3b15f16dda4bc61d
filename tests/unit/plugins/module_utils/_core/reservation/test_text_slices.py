# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What systemd is told."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import Record, Tenant
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_slices import (
    Bounds,
    limits,
    slices,
)
from ansible_collections.instinct.fleet.tests.unit.support.granted import FIRST, RECORD, RESEARCH, SECOND, VISION, grant

UNITS = "/etc/systemd/system"
VISION_SLICE, RESEARCH_SLICE = f"{UNITS}/tenant-vision.slice", f"{UNITS}/tenant-research.slice"
DROP_IN = "50-instinct-reservation.conf"


def said(text: str, key: str) -> list[str]:
    """The values of a key."""
    return [line.partition("=")[2] for line in text.splitlines() if line.startswith(f"{key}=")]


def written(record: Record = RECORD, **bounds: object) -> dict[str, str]:
    return slices(record, Bounds(**bounds), {"alice": 1001, "bob": 1002, "carol": 1003})  # type: ignore[arg-type]


def test_each_tenant_has_a_slice_its_units_and_its_users() -> None:
    assert sorted(written()) == [
        RESEARCH_SLICE, VISION_SLICE, *(f"{UNITS}/user-{uid}.slice.d/{DROP_IN}" for uid in (1001, 1002, 1003)),
        f"{UNITS}/vllm.service.d/{DROP_IN}"]


@pytest.mark.parametrize("path", [VISION_SLICE, f"{UNITS}/vllm.service.d/{DROP_IN}"])
def test_a_slice_and_a_service_may_open_the_devices_of_their_tenant_and_no_other(path: str) -> None:
    text = written(besides=("/dev/fuse",))[path]
    assert said(text, "DevicePolicy") == ["closed"]
    assert said(text, "DeviceAllow") == [
        "", "/dev/kfd rw", "/dev/dri/renderD128 rw", "/dev/dri/renderD136 rw", "/dev/dri/renderD144 rw", "/dev/fuse rw"]


def test_a_login_may_open_the_devices_of_all_tenants_of_its_user_and_those_of_nobody() -> None:
    both = dc.replace(RECORD, tenants=(dc.replace(RESEARCH, users=("alice",)), VISION))
    for record, minors in ((RECORD, (128, 136, 144, 153)), (both, (128, 136, 144, 152, 153))):
        text = written(record)[f"{UNITS}/user-1001.slice.d/{DROP_IN}"]
        assert said(text, "DevicePolicy") == ["closed"]
        assert said(text, "DeviceAllow")[2:] == [f"/dev/dri/renderD{minor} rw" for minor in minors]


def test_a_service_is_in_the_slice_with_its_environment_and_may_lock_memory() -> None:
    text = written()[f"{UNITS}/vllm.service.d/{DROP_IN}"]
    assert [said(text, key) for key in ("Slice", "EnvironmentFile", "LimitMEMLOCK", "After")] == [
        ["tenant-vision.slice"], ["-/etc/instinct/tenants/vision.env"], ["infinity"], ["instinct-reservation.service"]]


@pytest.mark.parametrize(("unit", "section"), [("user-1005.slice", "[Slice]"), ("session-3.scope", "[Scope]")])
def test_what_is_no_service_has_policy_and_cpus_but_stays_where_it_is(unit: str, section: str) -> None:
    text = written(dc.replace(RECORD, tenants=(dc.replace(VISION, units=(unit,)),)))[f"{UNITS}/{unit}.d/{DROP_IN}"]
    assert section in text.splitlines() and said(text, "DevicePolicy") == ["closed"]
    assert (said(text, "Slice"), said(text, "SupplementaryGroups"), said(text, "AllowedCPUs")) == ([], [], ["0-47"])


def test_a_service_may_open_the_devices_though_its_user_is_of_no_tenant() -> None:
    record = dc.replace(RECORD, tenants=(Tenant("vision", units=("vllm.service",)),))
    assert said(written(record)[f"{UNITS}/vllm.service.d/{DROP_IN}"], "SupplementaryGroups") == ["gpu-vision render"]


def test_a_login_is_near_the_devices_of_its_tenants() -> None:
    found = [written()[f"{UNITS}/user-{uid}.slice.d/{DROP_IN}"] for uid in (1001, 1002)]
    assert [said(text, "AllowedCPUs") for text in found] == [["0-47"], ["0-47 48-95"]]
    assert said(written(bind=False)[f"{UNITS}/user-1001.slice.d/{DROP_IN}"], "AllowedCPUs") == []


def test_a_login_as_unit_of_another_tenant_is_refused() -> None:
    mine, other = (dc.replace(VISION, units=("user-1001.slice",)), dc.replace(RESEARCH, units=("user-1001.slice",)))
    written(dc.replace(RECORD, tenants=(RESEARCH, mine)))
    with pytest.raises(FleetError) as caught:
        written(dc.replace(RECORD, tenants=(other, VISION)))
    assert caught.value.sentence == ("unit user-1001.slice of tenant research: is the login of alice, who is of another; "
                                     "name the user in that tenant as well, or leave out the unit")


def test_a_slice_is_near_its_devices() -> None:
    assert [said(written()[VISION_SLICE], key) for key in ("AllowedCPUs", "AllowedMemoryNodes")] == [["0-47"], ["0"]]
    assert [said(written()[RESEARCH_SLICE], key) for key in ("AllowedCPUs", "AllowedMemoryNodes")] == [["0-47 48-95"], ["0 1"]]


@pytest.mark.parametrize(("changes", "bounds", "found"), [
    ({"near_cpus": None}, {}, ([], ["0"])), ({"numa_node": None}, {}, (["0-47"], [])), ({}, {"bind": False}, ([], [])),
])
def test_what_is_unknown_or_not_asked_for_binds_nothing(changes: dict, bounds: dict, found: tuple) -> None:
    record = Record((VISION,), (grant("serve", "vision", FIRST, dc.replace(SECOND, **changes)),))
    text = written(record, **bounds)[VISION_SLICE]
    assert (said(text, "AllowedCPUs"), said(text, "AllowedMemoryNodes")) == found


def test_a_tenant_without_devices_opens_none() -> None:
    text = written(Record((VISION,)))[VISION_SLICE]
    assert (said(text, "DevicePolicy"), said(text, "DeviceAllow"), said(text, "AllowedCPUs")) == (["closed"], [""], [])


def test_a_device_that_is_gone_and_a_user_that_is_none_are_left_out() -> None:
    record = Record((VISION,), (grant("serve", "vision", FIRST, dc.replace(SECOND, render_node=None)),))
    files = slices(record, Bounds(), {})
    assert said(files[VISION_SLICE], "DeviceAllow") == ["", "/dev/kfd rw", "/dev/dri/renderD128 rw"]
    assert not any("user-" in path for path in files)


def test_a_login_with_a_group_of_a_tenant_that_it_has_left_may_open_what_nobody_holds() -> None:
    files = slices(dc.replace(RECORD, tenants=(VISION,), pool=(SECOND,)), Bounds(), {"alice": 1001}, (1001, 1002))
    assert said(files["/etc/systemd/system/user-1002.slice.d/50-instinct-reservation.conf"], "DeviceAllow") == [
        "", "/dev/kfd rw", f"{SECOND.render_node} rw"]
    assert f"{FIRST.render_node} rw" in said(files["/etc/systemd/system/user-1001.slice.d/50-instinct-reservation.conf"], "DeviceAllow")


def test_members_of_each_group_may_lock_memory() -> None:
    (text,) = limits(RECORD).values()
    assert text.splitlines()[1:] == ["@gpu-research - memlock unlimited", "@gpu-vision - memlock unlimited"]
    assert limits(Record()) == {}
