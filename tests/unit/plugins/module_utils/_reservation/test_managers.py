# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What reads the texts when it is told to."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act.process import Done
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._reservation import managers

SLICE, TIMER = "/etc/systemd/system/tenant-vision.slice", "/etc/systemd/system/instinct-reservation.timer"
RULES = "/etc/udev/rules.d/72-instinct-reservation.rules"
RELOAD = ("systemctl", "daemon-reload")


@pytest.fixture
def udev(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    runs = [True]
    monkeypatch.setattr(managers.os.path, "exists", lambda path: path == "/run/udev/control" and runs[0])
    return runs


@pytest.mark.parametrize(("changed", "stale", "there", "commands"), [
    ((), False, (), ()),
    (("/etc/instinct/tenants/a.env",), False, (), ()),
    ((SLICE,), False, (SLICE,), (RELOAD,)),
    ((), True, (), (RELOAD,)),
    ((TIMER,), False, (TIMER,), (RELOAD, ("systemctl", "restart", "instinct-reservation.timer"))),
    ((TIMER,), False, (), (RELOAD, ("systemctl", "stop", "instinct-reservation.timer"))),
    ((RULES,), False, (RULES,), (("udevadm", "control", "--reload"),)),
    ((RULES,), False, (), (("udevadm", "control", "--reload"), ("udevadm", "trigger", "--action=change", "--subsystem-match=kfd"),
                           ("udevadm", "trigger", "--action=change", "--subsystem-match=drm"))),
])
@pytest.mark.usefixtures("udev")
def test_who_is_told(changed: tuple, stale: bool, there: tuple, commands: tuple) -> None:
    assert managers.told(changed, stale, there) == commands


def test_udev_is_told_where_it_runs(udev: list[bool]) -> None:
    udev[0] = False
    assert managers.told([RULES], False, [RULES]) == ()


@pytest.mark.parametrize(("units", "said", "stale"), [((), "yes\n", False), (("a.slice", "b.service"), "no\n\nyes\n", True), (("a.slice",), "no\n", False)])
def test_a_unit_that_systemd_knows_otherwise_is_stale(monkeypatch: pytest.MonkeyPatch, units: tuple, said: str, stale: bool) -> None:
    asked: list[tuple] = []
    monkeypatch.setattr(managers.process, "run", lambda argv, limit: (asked.append(argv), Done(0, said, "", 0))[1])
    assert managers.stale(units) is stale
    assert all(argv[-len(units):] == units for argv in asked)


def test_who_cannot_be_told_is_a_refusal() -> None:
    managers.tell([("true",)])
    with pytest.raises(FleetError, match=r"^false: failed: exit code 1; read the journal"):
        managers.tell([("true",), ("false",)])
