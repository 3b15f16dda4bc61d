# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The service that runs at boot, and the timer of windows."""

from __future__ import annotations

import configparser

from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import Record
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_service import Boot, service, timer
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.shape import Window
from ansible_collections.instinct.fleet.tests.unit.support.granted import FIRST, RECORD, grant

UNITS = "/etc/systemd/system"
DROP_IN = "50-instinct-reservation.conf"


def parsed(text: str) -> configparser.RawConfigParser:
    """A unit as systemd reads it."""
    found = configparser.RawConfigParser(strict=True, delimiters="=")
    found.optionxform = str  # type: ignore[assignment,method-assign]
    found.read_string(text)
    return found


def test_the_service_runs_when_gpus_are_divided_and_before_schedulers() -> None:
    files = service(Boot(("slurmd.service", "kubelet.service"), 60))
    found = parsed(files[f"{UNITS}/instinct-reservation.service"])
    assert "instinct-partition.service" in found["Unit"]["After"].split()
    assert found["Unit"]["Before"] == "slurmd.service kubelet.service"
    assert found["Service"]["ExecStart"] == "/usr/local/bin/instinct-reservation apply --wait 60"
    # A timer starts it again, which it could not if it stayed.
    assert (found["Service"]["Type"], "RemainAfterExit" in found["Service"], found["Service"]["TimeoutStartSec"]) == ("oneshot", False, "360")
    assert parsed(files[f"{UNITS}/multi-user.target.d/{DROP_IN}"])["Unit"]["Wants"] == "instinct-reservation.service"


def test_the_service_may_do_what_it_does() -> None:
    found = parsed(service(Boot())[f"{UNITS}/instinct-reservation.service"])["Service"]
    assert {"CAP_CHOWN", "CAP_FOWNER", "CAP_DAC_OVERRIDE", "CAP_SYS_ADMIN"} <= set(found["CapabilityBoundingSet"].split())
    assert not {"PrivateDevices", "DevicePolicy", "DeviceAllow", "MemoryDenyWriteExecute"} & set(found)
    assert found["ReadWritePaths"] == "/etc"
    text = service(Boot(), ("/etc/site", "/usr/local/etc/slurm"))[f"{UNITS}/instinct-reservation.service"]
    assert parsed(text)["Service"]["ReadWritePaths"] == "/etc -/etc/site -/usr/local/etc/slurm"


def test_the_service_waits_for_users_of_a_server_and_may_ask_it() -> None:
    found = parsed(service(Boot())[f"{UNITS}/instinct-reservation.service"])
    assert "nss-user-lookup.target" in found["Unit"]["After"].split()
    assert {"AF_INET", "AF_INET6"} <= set(found["Service"]["RestrictAddressFamilies"].split())
    assert "IPAddressDeny" not in found["Service"]


def test_a_run_that_cannot_tell_is_repeated_and_one_that_misses_something_is_not() -> None:
    found = parsed(service(Boot())[f"{UNITS}/instinct-reservation.service"])
    said = [found["Service"][key] for key in ("Restart", "RestartSec", "RestartPreventExitStatus")]
    assert (said, found["Unit"]["StartLimitIntervalSec"]) == (["on-failure", "30", "1"], "0")


def test_windows_have_a_timer_that_starts_at_boot() -> None:
    files = timer(Record((), (grant("night", "vision", FIRST, windows=(Window((0,), 0, 60),)),)))
    lines = files[f"{UNITS}/instinct-reservation.timer"].splitlines()
    assert lines[-4:] == ["AccuracySec=1s", "OnCalendar=hourly", "OnCalendar=Mon *-*-* 00:00:00", "OnCalendar=Mon *-*-* 01:00:00"]
    assert parsed(files[f"{UNITS}/timers.target.d/{DROP_IN}"])["Unit"]["Wants"] == "instinct-reservation.timer"
    assert timer(RECORD) == {}
