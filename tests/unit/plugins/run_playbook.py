# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a playbook with this checkout as the collection, in a process and a home of its own."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios
import typing as t
from pathlib import Path

from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT

HERE = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}
NOWHERE = {"ansible_connection": "ssh", "ansible_host": "127.0.0.1", "ansible_port": 1}

# A module that says what it is told to say.
SPEAK = """
from ansible.module_utils.basic import AnsibleModule
text = {"type": "str"}
spec = {"actions": {"type": "list", "elements": "str"}, "before": text, "after": text, "refuse": text}
module = AnsibleModule(spec, supports_check_mode=True)
params = module.params
if params["refuse"]:
    module.fail_json(msg=params["refuse"])
diff = {key: params[key] or "" for key in ("before", "after")}
module.exit_json(changed=bool(params["actions"]), actions=params["actions"] or [], diff=diff)
"""


def run_playbook(
    home: Path,
    hosts: dict[str, dict[str, t.Any]],
    tasks: list[dict[str, t.Any]],
    *options: str,
    terminal: bool = False,
    **environment: str,
) -> str:
    """Return what the playbook printed. Hosts are HERE or NOWHERE; options are those of ansible-playbook."""
    command, settings = _prepared(home, hosts, tasks, options)
    environment = {**os.environ, **settings, **environment}
    if terminal:
        return _on_terminal(command, environment)
    done = _run(command, environment)
    assert done.stderr == "", "warnings and errors of Ansible itself"
    return done.stdout


def end_of_playbook(
    home: Path, hosts: dict[str, dict[str, t.Any]], tasks: list[dict[str, t.Any]], *options: str,
) -> subprocess.CompletedProcess[str]:
    """The same for a playbook whose exit code is of interest, and whatever it says to standard error."""
    command, settings = _prepared(home, hosts, tasks, options)
    return _run(command, {**os.environ, **settings})


def _prepared(
    home: Path, hosts: dict[str, dict[str, t.Any]], tasks: list[dict[str, t.Any]], options: tuple[str, ...],
) -> tuple[list[str], dict[str, str]]:
    """Command and environment of a run whose files are all in ``home``."""
    tree = home / "collections" / "ansible_collections" / "instinct"
    tree.mkdir(parents=True, exist_ok=True)
    if not (tree / "fleet").exists():
        (tree / "fleet").symlink_to(ROOT)
    (home / "ansible.cfg").write_text("[defaults]\nstdout_callback = instinct.fleet.fleet\n")
    (home / "library").mkdir(exist_ok=True)
    (home / "library" / "speak.py").write_text(SPEAK)
    (home / "hosts.json").write_text(json.dumps({"all": {"hosts": hosts}}))
    play = {"name": "Bring nodes to their release", "hosts": "all", "gather_facts": False, "tasks": tasks}
    (home / "play.json").write_text(json.dumps([play]))
    settings = {
        "ANSIBLE_HOME": str(home), "ANSIBLE_CONFIG": str(home / "ansible.cfg"),
        "ANSIBLE_COLLECTIONS_PATH": str(home / "collections"), "ANSIBLE_PIPELINING": "1",
        "ANSIBLE_LIBRARY": str(home / "library"),
    }  # fmt: skip
    command = [sys.executable, "-m", "ansible.cli.playbook", "-i", str(home / "hosts.json")]
    command += [*options, str(home / "play.json")]
    return command, settings


def _run(command: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def _on_terminal(command: list[str], environment: dict[str, str]) -> str:
    """What the command writes to a terminal of 100 columns."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("4H", 24, 100, 0, 0))
    process = subprocess.Popen(command, env=environment, stdin=its, stdout=its, stderr=its, start_new_session=True)
    os.close(its)
    raw = b""
    with contextlib.suppress(OSError):  # the other end is closed
        while part := os.read(ours, 65536):
            raw += part
    os.close(ours)
    process.wait()
    return raw.decode()
