# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The udev rule, as udev would carry it out."""

from __future__ import annotations

import dataclasses as dc
import re

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import Device, Record
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_access import Access, Node, access
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_now import devices_of
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_udev import PATH, rules
from ansible_collections.instinct.fleet.tests.unit.support.granted import FIRST, HALF, OTHER_HALF, RECORD, SHARED, SPARE

PAIR = re.compile(r'([A-Z]+(?:\{\w+\})?)(==|!=|:=|\+=|-=|=)"([^"]*)"')
CALLED = "/usr/bin/systemctl --no-block start instinct-reservation.service"
DRM = {"SUBSYSTEM": "drm", "ENV{DEVTYPE}": "drm_minor", "DRIVERS": "amdgpu", "ACTION": "add"}


def carried_out(text: str, event: dict[str, str]) -> dict[str, str]:
    """What the rules assign to a device: the first final assignment holds."""
    found: dict[str, str] = {}
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    place = 0
    while place < len(lines):
        pairs = PAIR.findall(lines[place])
        assert ", ".join(f'{key}{sign}"{value}"' for key, sign, value in pairs) == lines[place]
        place += 1
        if all(matches(event, key, sign, value) for key, sign, value in pairs if sign in ("==", "!=")):
            found = {**{key: value for key, sign, value in pairs if sign in (":=", "+=", "-=")}, **found}
            target = next((value for key, sign, value in pairs if key == "GOTO"), None)
            if target:
                place = next(number for number, line in enumerate(lines) if line == f'LABEL="{target}"')
    return found


def matches(event: dict[str, str], key: str, sign: str, value: str) -> bool:
    here = event.get(key, "")
    same = here.startswith(value[:-1]) if value.endswith("*") else here == value
    return same == (sign == "==")


def drm(device: Device, kernel: str = "") -> dict[str, str]:
    name = kernel or str(device.render_node).rpartition("/")[2]
    # Parts of a GPU hang under platform devices.
    return {**DRM, "KERNEL": name, "KERNELS": device.gpu} if device.of == 1 else {
        **DRM, "KERNEL": name, "KERNELS": "amdgpu_xcp_3", "DRIVERS": ""}


CASES = {
    "a GPU of one tenant": (drm(FIRST), "root", "gpu-vision", "0660"),
    "its card": (drm(FIRST, "card0"), "root", "gpu-vision", "0660"),
    "a half": (drm(HALF), "root", "root", "0600"),
    "a half that nobody has": (drm(OTHER_HALF), "root", "root", "0600"),
    "the first part, while its GPU is whole": ({**drm(HALF), "KERNELS": HALF.gpu, "DRIVERS": "amdgpu"}, "root", "root", "0600"),
    "the card of a partition": (drm(HALF, "card9"), "root", "root", "0600"),
    "a spare": (drm(SPARE), "root", "root", "0600"),
    "a GPU that the record does not know": ({**DRM, "KERNEL": "renderD190", "KERNELS": "0000:e5:00.0"}, "root", "root", "0600"),
    "KFD": ({"SUBSYSTEM": "kfd", "KERNEL": "kfd", "ACTION": "add"}, "root", "render", "0660"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_device_gets_its_group(name: str) -> None:
    event, *wanted = CASES[name]
    found = carried_out(rules(RECORD), event)
    assert [found["OWNER"], found["GROUP"], found["MODE"]] == wanted
    assert found["TAG"] == "uaccess"
    called = CALLED if found["MODE"] == "0600" and "spare" not in name else None
    assert found.get("RUN") == called


@pytest.mark.parametrize("device", [FIRST, SHARED, SPARE])
@pytest.mark.parametrize("kernel", ["", "card7"])
@pytest.mark.parametrize("grants", [RECORD.grants, RECORD.grants[:2], ()])
def test_udev_gives_what_the_command_gives(device: Device, kernel: str, grants: tuple) -> None:
    held = {one.id for grant in grants for one in grant.devices} | {SPARE.id}
    record = Record(RECORD.tenants, grants, (SPARE,), tuple(one for one in devices_of(RECORD) if one.id not in held))
    event = drm(device, kernel)
    node = Node(f"/dev/dri/{event['KERNEL']}", "card" if kernel else "render", device.gpu if device.of == 1 else None)
    (wanted,) = access(record, [node]).values()
    found = carried_out(rules(record), event)
    assert (Access(found["GROUP"], int(found["MODE"], 8)), found.get("RUN")) == (
        dc.replace(wanted, groups=()), CALLED if wanted.groups else None)


def test_with_kfd_the_service_comes() -> None:
    event = {"SUBSYSTEM": "kfd", "KERNEL": "kfd"}
    assert carried_out(rules(RECORD), {**event, "ACTION": "add"})["ENV{SYSTEMD_WANTS}"] == "instinct-reservation.service"
    assert "ENV{SYSTEMD_WANTS}" not in carried_out(rules(RECORD), {**event, "ACTION": "change"})


def test_a_shared_device_is_roots_until_the_service_has_set_its_list() -> None:
    found = carried_out(rules(RECORD), drm(SHARED))
    assert (found["GROUP"], found["MODE"]) == ("root", "0660")
    assert found["RUN"] == CALLED


@pytest.mark.parametrize("event", [
    {**DRM, "KERNEL": "renderD128", "ACTION": "remove"},
    {**DRM, "KERNEL": "card0-DP-1", "ENV{DEVTYPE}": "drm_connector"},
    {**DRM, "KERNEL": "card20", "KERNELS": "0000:02:00.0", "DRIVERS": "ast"},
    {"SUBSYSTEM": "block", "KERNEL": "sda"},
])
def test_what_is_no_device_of_ours_is_left(event: dict[str, str]) -> None:
    assert carried_out(rules(RECORD), event) == {}


def test_where_no_gpu_is_divided_nothing_is_called() -> None:
    unknown = {**DRM, "KERNEL": "renderD190", "KERNELS": "0000:e5:00.0"}
    found = carried_out(rules(Record(pool=(FIRST,))), unknown)
    assert (found["MODE"], "RUN" in found) == ("0600", False)


def test_the_number_of_a_render_node_gives_nobody_a_part() -> None:
    assert "renderD" not in rules(RECORD)


def test_it_stands_between_those_that_tag_and_those_that_act_on_tags() -> None:
    assert "70-uaccess.rules" < PATH.rpartition("/")[2] < "73-seat-late.rules"
