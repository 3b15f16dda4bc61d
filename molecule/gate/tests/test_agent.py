# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command and the timer need no Ansible: exit codes, transitions, quarantine, files that are torn, removal."""

from __future__ import annotations

import json
import os
import re

import playbook
from healing import heal

testinfra_hosts = ["ansible://gate-agent"]
GATE, STATE = "/usr/local/bin/instinct-gate", "/var/lib/instinct"
CONVERGE = f"{os.environ['MOLECULE_SCENARIO_DIRECTORY']}/converge.yml"
BROKEN, FAULT = "0000:65:00.0", "instinct-sim fault ecc_uncorrectable gpu=3"


def said(host, arguments: str, code: int) -> str:
    """The first line that the command prints; it ends with that code, without a traceback.

    The unit does not see the boot id of a simulated node, so the baseline may begin anew, as further lines say.
    """
    ran = host.run(f"{GATE} {arguments}")
    assert ran.rc == code, ran.stdout + ran.stderr
    assert "Traceback" not in ran.stderr
    return (ran.stdout.splitlines() or [""])[0]


def the_timer_runs_it(host) -> None:
    """As a unit that may do nothing else, and sees what root sees."""
    timer = host.service("instinct-gate.timer")
    assert timer.is_running and timer.is_enabled
    exposure = host.check_output("systemd-analyze security --no-pager instinct-gate.service | tail -n 1")
    assert float(re.search(r": ([0-9.]+) OK", exposure).group(1)) < 2.0
    host.check_output("systemctl start instinct-gate.service")
    assert said(host, "status", 0).startswith("running: pass since")


def codes(host) -> None:
    """0, 1, 2."""
    assert said(host, "", 0) == "pass: profile running"
    host.check_output(FAULT)
    assert said(host, "--profile admission", 1) == f"fail: ecc-uncorrectable of {BROKEN}: umc: 1 errors"
    host.check_output("systemctl start instinct-gate.service")  # a verdict is no failure of the unit
    assert json.loads(said(host, "--json --no-record", 1))["gpus"][BROKEN] == "fail"
    assert said(host, "--profile nightly", 2) == (
        "unknown: --profile: there is no profile 'nightly'; choose one of admission, burn_in, running")
    assert said(host, "--wait soon", 2) == ""  # wrong use is told on standard error
    heal(host)
    assert said(host, "--wait 5", 0) == "pass: profile running"


def transitions(host) -> None:
    """One line for each change, whoever ran the gate."""
    lines = [json.loads(line) for line in host.file(f"{STATE}/health.jsonl").content_string.splitlines()]
    of_node = [line for line in lines if (line["subject"], line["profile"]) == ("node", "running")]
    assert [(line["from"], line["to"]) for line in of_node] == [(None, "pass"), ("pass", "fail"), ("fail", "pass")]
    assert "ecc-uncorrectable" in of_node[1]["checks"]


def quarantine(host, name: str) -> None:
    """A person's is lifted by a person, a gate's by a gate that passes admission."""
    said(host, "quarantine set --reason 'case 4711'", 0)
    assert said(host, "--profile admission", 1).endswith(": case 4711")
    playbook.run("gate", name, {"gpu_health_quarantine": True})
    assert said(host, "quarantine show", 1).endswith(": case 4711")
    assert said(host, "quarantine lift", 0) == "lifted"
    host.check_output(FAULT)
    playbook.run("gate", name, {"gpu_health_quarantine": True})
    held = json.loads(host.file(f"{STATE}/quarantine.json").content_string)
    assert held["by"] == "gate" and "ecc-uncorrectable" in held["checks"]
    heal(host)
    assert said(host, "--profile running", 1).startswith("fail: quarantine of node: set by ")
    assert said(host, "--profile admission", 0) == "pass: profile admission"
    assert said(host, "quarantine show", 0) == "none"


def torn_files(host) -> None:
    """No verdict, no quarantine and no baseline is made of half a file."""
    for file in ("health", "baseline", "quarantine"):
        path = f"{STATE}/{file}.json"
        host.check_output(f"echo '{{\"version\": \"v1\", ' > {path}")
        assert said(host, "", 2).startswith(f"unknown: {path}: is not JSON: it was torn or written by another hand; ")
        host.check_output(f"rm {path}")
    assert said(host, "", 0) == "pass: profile running"


def removal(host, name: str) -> None:
    """What was installed goes; what was remembered stays; again there is nothing to do."""
    for changed in (True, False):
        ran = playbook.run(CONVERGE, name, {"gpu_health_state": "absent"})
        assert ran.returncode == 0 and any(line["result"].get("changed") for line in playbook.results(ran)) is changed
    assert not host.file(GATE).exists and not host.file("/etc/systemd/system/instinct-gate.timer").exists
    assert host.run("systemctl is-active instinct-gate.timer").stdout.strip() == "inactive"
    assert host.file(f"{STATE}/health.jsonl").exists


# One test, for two would run side by side on the one node.
def test_the_gate_needs_no_ansible(host) -> None:
    name = host.backend.get_hostname()
    the_timer_runs_it(host)
    codes(host)
    transitions(host)
    quarantine(host, name)
    torn_files(host)
    removal(host, name)
