# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Firmware that is not validated: said, refused before any change, flashed by the tasks of a site. In this order."""

from __future__ import annotations

import json
import os
from pathlib import Path

from playbook import plans, refusals, run_site

FLASH = Path(os.environ["MOLECULE_PROJECT_DIRECTORY"]) / "molecule/gpu_firmware/flash"
GPU, NIC = "0000:46:00.0", "0000:c2:00.0"
# What a run would change: packages, holds, files of ours.
STATE = (
    "{ dpkg -l; apt-mark showhold; find /etc /var/lib/instinct -xdev -type f -not -name '*lock*' "
    "-exec sha256sum {} + ; } | sha256sum"
)
CYCLE = "take the node off its power supply and back (AC cycle)"


def site(host, *options, **variables):
    """Run site.yml on the node."""
    return run_site(host.backend.get_hostname(), {f"gpu_firmware_{name}": v for name, v in variables.items()}, *options)


def test_required_firmware_is_refused_before_any_change(host):
    before = host.check_output(STATE)
    run = site(host, policy="require")
    assert run.returncode == 2, run.stdout + run.stderr
    (message,) = refusals(run)
    assert message.startswith("gpu_firmware_policy: requires validated firmware; "
                              f"firmware of MI300X {GPU}: pldm 01.25.02.04")
    assert NIC in message and message.endswith("(source: tests/simulator of this collection)")
    assert host.check_output(STATE) == before


def test_check_mode_says_what_would_be_flashed_and_flashes_nothing(host):
    run = site(host, "--check", "--tags", "gpu_firmware", flash_tasks=str(FLASH / "later.yml"))
    assert run.returncode == 0, run.stdout + run.stderr
    (plan,) = plans(run)
    assert plan["actions"] == [
        f"flash pldm of MI300X {GPU}, nic of mlx5 MT_0000000838 {NIC} by {FLASH / 'later.yml'}; then {CYCLE}",
        "write /var/lib/instinct/firmware.json"]
    assert not host.file("/root/flashed").exists


def test_the_tasks_of_the_site_flash_once_and_what_is_needed_then_is_said(host):
    for _run in range(2):
        run = site(host, "--tags", "gpu_firmware", flash_tasks=str(FLASH / "later.yml"))
        assert run.returncode == 0, run.stdout + run.stderr
        assert plans(run)[-1]["report"]["verdict"] == (
            f"problem: firmware was flashed since the node booted and is not active yet: {CYCLE}")
    assert host.file("/root/flashed").content_string.splitlines() == [
        f"{GPU} pldm 01.25.02.04 01.25.03.02", f"{NIC} nic 28.43.1014 28.46.1006 or later"]
    journal = [json.loads(line) for line in host.file("/var/lib/instinct/journal.jsonl").content_string.splitlines()]
    assert [(entry["what"], entry["result"]) for entry in journal] == [("gpu_firmware", "flashed")]


def test_after_a_boot_it_is_looked_at_afresh_and_firmware_that_is_active_at_once_is_proved(host):
    record = json.loads(host.file("/var/lib/instinct/firmware.json").content_string)
    assert record["boot_id"] == host.file("/proc/sys/kernel/random/boot_id").content_string.strip()
    host.check_output("sed -i 's/\"boot_id\": \".*\"/\"boot_id\": \"another boot\"/' /var/lib/instinct/firmware.json")
    run = site(host, "--tags", "gpu_firmware", policy="require", flash_tasks=str(FLASH / "at_once.yml"),
               activation="now")
    assert run.returncode == 0, run.stdout + run.stderr
    last = plans(run)[-1]
    assert (last["plans"]["gpu_firmware"]["notes"], last["report"]["verdict"]) == ([], "as wanted (gpu_firmware only)")
    assert site(host, "--check", "--tags", "gpu_firmware", policy="require", require_known=True).returncode == 0


def test_tasks_that_do_not_flash_are_no_success(host):
    host.check_output("instinct-sim fault firmware_mixed gpu=1")
    run = site(host, "--tags", "gpu_firmware", flash_tasks=str(FLASH / "later.yml"), activation="now")
    assert run.returncode == 2
    (message,) = refusals(run)
    assert message.startswith("the firmware is not as the release site-firmware wants it after the tasks of the site:")
    assert "0000:26:00.0" in message
