# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The control machine dies at each step of a run; the next run carries on where the node is."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

from recovery import ends_right, site

testinfra_hosts = ["ansible://robust-killed"]

PLUGINS = Path(os.environ["MOLECULE_PROJECT_DIRECTORY"]) / "tests/tools/callback_plugins"
INTO = 0.3  # seconds into the step that follows


def killed(name: str, seen: set[str]) -> bool:
    """Run until a task has changed something that no earlier run got to, then kill all of it in its next step.

    Returns False if the run ended by itself.
    """
    env = os.environ | {"ANSIBLE_STDOUT_CALLBACK": "results", "ANSIBLE_CALLBACK_PLUGINS": str(PLUGINS)}
    command = site(name, {})
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True, start_new_session=True) as run:
        assert run.stdout
        for line in run.stdout:
            said = json.loads(line) if line.startswith("{") else {}
            if said.get("result", {}).get("changed") and said["task"] not in seen:
                seen.add(said["task"])
                time.sleep(INTO)
                os.killpg(run.pid, signal.SIGKILL)
                return True
        assert run.wait() == 0, seen
    return False


def test_it_may_die_at_each_step(host) -> None:
    name = host.backend.get_hostname()
    seen: set[str] = set()
    while killed(name, seen):
        assert len(seen) < 40
    print("killed after: " + ", ".join(sorted(seen)))
    assert len(seen) >= 8
    ends_right(host, name)
