# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What reads the texts when it is told to."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act.process import Done
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._reservation import managers

SLICE, TIMER = "/etc/systemd/system/tenant-vision.slice", "/etc/systemd/system/instinct-reservation.timer"
RULES = "/etc/udev/rules.d/72-instinct-reservation.rules"
RELOAD = ("systemctl", "daemon-reload")


class System:
    """What runs, and whether a run was cut off."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.udev, self.unread, self.timer = True, False, False
        monkeypatch.setattr(managers.os.path, "exists", lambda path: {
            "/run/udev/control": self.udev, "/run/instinct-reservation.unread": self.unread}[path])
        monkeypatch.setattr(managers.process, "run", lambda argv, limit: Done(0 if self.timer else 3, "", "", 0))


@pytest.fixture
def system(monkeypatch: pytest.MonkeyPatch) -> System:
    return System(monkeypatch)


UDEV = ("udevadm", "control", "--reload")
TRIGGERS = tuple(("udevadm", "trigger", "--action=change", f"--subsystem-match={name}") for name in ("kfd", "drm"))
RESTART, STOP = (("systemctl", verb, "instinct-reservation.timer") for verb in ("restart", "stop"))


@pytest.mark.parametrize(("changed", "there", "runs", "commands"), [
    ((), (), False, ()),
    (("/etc/instinct/tenants/a.env",), (RULES,), False, ()),
    ((SLICE,), (SLICE,), False, (RELOAD,)),
    ((TIMER,), (TIMER,), True, (RELOAD, RESTART)),
    ((), (TIMER,), True, ()),
    ((), (TIMER,), False, (RESTART,)),
    ((TIMER,), (), True, (RELOAD, STOP)),
    ((TIMER,), (), False, (RELOAD,)),
    ((), (), True, (STOP,)),
    ((RULES,), (RULES,), False, (UDEV,)),
    ((RULES,), (), False, (UDEV, *TRIGGERS)),
])
def test_who_is_told(system: System, changed: tuple, there: tuple, runs: bool, commands: tuple) -> None:
    system.timer = runs
    assert managers.told(changed, there, reload=False) == commands


def test_systemd_reads_its_files_when_it_should_in_any_case(system: System) -> None:
    assert (managers.told((), (), reload=True), managers.runs("a.timer"), managers.unread()) == ((RELOAD,), False, False)
    system.unread = True
    assert managers.told((), (RULES,), reload=False) == (RELOAD, UDEV)
    assert managers.told((), (), reload=False) == (RELOAD, UDEV, *TRIGGERS)


def test_udev_is_told_where_it_runs(system: System) -> None:
    system.udev = False
    assert managers.told([RULES], [RULES], reload=False) == ()


def test_a_run_that_is_cut_off_is_known_to_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(managers, "_UNREAD", str(tmp_path / "unread"))
    with managers.until_told(()):
        assert not managers.unread()
    with pytest.raises(KeyError), managers.until_told([RELOAD]):
        raise KeyError
    assert managers.unread()
    with managers.until_told([RELOAD]):
        assert managers.unread()
    assert not managers.unread()


def test_udev_is_waited_for_where_it_runs(system: System, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple] = []
    monkeypatch.setattr(managers.process, "run", lambda argv, limit: asked.append(argv))
    managers.settle()
    system.udev = False
    managers.settle()
    assert asked == [("udevadm", "settle", "--timeout=20")]


def test_who_cannot_be_told_is_a_refusal() -> None:
    managers.tell([("true",)])
    with pytest.raises(FleetError, match=r"^false: failed: exit code 1; read the journal"):
        managers.tell([("true",), ("false",)])
