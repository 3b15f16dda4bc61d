# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reboots with GRUB's own tools, in the order in which an operator would meet them: a kernel that panics, the same one
mended, one that hangs, and a disk that GRUB cannot write to.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from partitioned import reboot
from playbook import refusals, results, run

ROOT = Path(os.environ["MOLECULE_PROJECT_DIRECTORY"])
SIMFLEET = str(ROOT / "tests/simulator/fleet/simfleet")
STORY = str(ROOT / "molecule/reboot/story.yml")
NODE = "boot-bookworm"
OLD, NEW = "6.1.0-56-amd64", "6.1.0-57-amd64"
PROBE = "/usr/sbin/grub-probe"
REQUIRED = {"node_maintenance_fallback": "require"}


def move(kernel: str, *options: str, **variables) -> subprocess.CompletedProcess:
    """Ask for a kernel, and reboot into it."""
    return run(STORY, NODE, {"gpu_release_kernel": kernel, **variables}, *options)


def sim(*words: str) -> None:
    """What happens to the machine."""
    subprocess.run([SIMFLEET, words[0], NODE, *words[1:]], check=True, capture_output=True)


def boots(host) -> tuple[str, str, str]:
    """The kernel that runs, the one that boots by default, and the one that is chosen for once."""
    said = dict(line.split("=", 1) for line in host.check_output("grub-editenv list").splitlines())
    kernels = (said.get(name, "").rpartition("with Linux ")[2] for name in ("saved_entry", "next_entry"))
    return (host.check_output("uname -r"), *kernels)


def told(done: subprocess.CompletedProcess) -> str:
    """What a run said of what comes back."""
    told_by = [line for line in results(done) if line["task"].endswith("Say that nothing comes back by itself")]
    return next((line["result"]["msg"] for line in told_by if line["status"] == "ok"), "")


def test_check_mode_tells_and_changes_nothing(host):
    before = boots(host)
    done = move(NEW, "--check", **REQUIRED)
    assert (done.returncode, boots(host)) == (0, before), done.stdout


def test_a_kernel_that_panics_gives_way_to_the_one_that_ran(host):
    sim("fault", "kernel_panics", f"kernel={NEW}")
    done = move(NEW, **REQUIRED)
    (said,) = refusals(done)
    assert said.startswith(f"kernel {NEW}: did not come up: the node came back by itself with {OLD}; read how ")
    assert boots(host) == (OLD, OLD, "")
    assert "panic=" not in host.check_output("cat /proc/cmdline")


def test_the_same_kernel_mended_boots_once_and_is_the_default_then(host):
    sim("heal", "kernel_panics")
    written = host.file("/boot/grub/grub.cfg").mtime
    done = move(NEW, **REQUIRED)
    assert (done.returncode, refusals(done), boots(host)) == (0, [], (NEW, NEW, ""))
    assert host.file("/boot/grub/grub.cfg").mtime == written
    assert "panic=30" in host.check_output("cat /proc/cmdline")
    again = move(NEW, **REQUIRED)
    assert [line["task"] for line in results(again) if line["result"].get("changed")] == []


def test_a_node_that_does_not_come_back_is_said_to_and_a_power_cycle_brings_the_kernel_that_ran(host):
    sim("fault", "boot_hangs", f"kernel={OLD}")
    done = move(OLD, node_maintenance_reboot_timeout=8)
    (said,) = refusals(done)
    assert said == (f"the node did not come back within 8 s after it was told to boot kernel {OLD}; kernel {NEW} boots "
                    "by default, so a power cycle brings that back; look at its console")
    reboot(NODE)
    assert boots(host) == (NEW, NEW, "")
    sim("heal", "boot_hangs")


def test_where_grub_cannot_write_there_is_no_trial_and_it_is_said_or_refused(host):
    host.check_output(f"rm {PROBE}; printf '#!/bin/sh\\ncase $1 in *abstraction) echo lvm ;; "
                      f"*) exec /usr/share/instinct-sim/grub-probe \"$@\" ;; esac\\n' > {PROBE}; chmod 755 {PROBE}")
    why = "GRUB cannot write to /boot/grub, which is on a logical volume"
    (said,) = refusals(move(OLD, **REQUIRED))
    assert said.startswith(f"kernel {OLD}: cannot be booted on trial with {NEW} as what comes back: {why}; ")
    assert boots(host) == (NEW, NEW, "")
    done = move(OLD)
    assert (done.returncode, boots(host)) == (0, (OLD, OLD, ""))
    assert told(done) == f"kernel {OLD} is the default at once: {why}; {NEW} does not come back by itself"


def test_a_node_that_does_not_answer_is_no_success(host):
    done = run(STORY, NODE, {"ansible_port": 9, "ansible_ssh_timeout": 3, "story_ignores": True})
    assert done.returncode == 2
    assert refusals(done) == ["the node did not answer when it was looked at, and was not rebooted"]
