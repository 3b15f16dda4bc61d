# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What people see of a run, from real runs."""

from __future__ import annotations

import re
import typing as t
from pathlib import Path

from ansible_collections.instinct.fleet.tests.unit.plugins.run_playbook import HERE, NOWHERE, run_playbook

WRITE = {"name": "Write", "speak": {"actions": ["write /etc/x", "hold y"], "before": "old\n", "after": "new\n"}}
QUIET = {"name": "Write", "speak": {"actions": []}}


def timeless(output: str) -> str:
    """The output with the times that it names taken out, and the hosts of each task in order."""
    return re.sub(r" \(\d+ s\)| in \d+ s$", "", output, flags=re.MULTILINE)


def test_changes_are_told_in_the_words_of_the_module_and_nothing_else_is(tmp_path: Path) -> None:
    tasks = [
        {"name": "Ask", "ansible.builtin.set_fact": {"x": 1}},
        WRITE,
        {"name": "Hide", "speak": {"actions": ["set the secret"]}, "no_log": True},
        {**WRITE, "when": False},
        QUIET,
    ]
    assert (
        timeless(run_playbook(tmp_path, {"a": HERE}, tasks))
        == """
Bring nodes to their release
a  changed  Write
    write /etc/x
    hold y
a  changed  Hide

1 host: 1 changed, 0 failed
"""
    )


def test_check_and_diff(tmp_path: Path) -> None:
    item = {"actions": ["write {{ item }}"], "before": "", "after": "{{ item }}\n"}
    tasks = [WRITE, QUIET, {"name": "Loop", "speak": item, "loop": ["i", "j"]}]
    assert (
        timeless(run_playbook(tmp_path, {"a": HERE}, tasks, "--check", "--diff"))
        == """
Bring nodes to their release (check mode: nothing is changed)
a  would change  Write
    write /etc/x
    hold y
--- before
+++ after
@@ -1 +1 @@
-old
+new
a  would change  Loop
    write i
    write j
--- before
+++ after
@@ -0,0 +1 @@
+i

--- before
+++ after
@@ -0,0 +1 @@
+j

1 host: 1 would change, 0 failed
"""
    )


def test_what_is_only_asked_in_a_run_that_acts_is_not_told(tmp_path: Path) -> None:
    asked = {**WRITE, "name": "Ask", "check_mode": True}
    said = timeless(run_playbook(tmp_path, {"a": HERE}, [asked, WRITE], "--diff"))
    assert "Ask" not in said and said.count("a  changed  Write") == 1 and said.count("+new") == 1


def only(host: str) -> str:
    return f"inventory_hostname == '{host}'"


REFUSAL = "x: path is not absolute and plain; name the file from / on, without . and .."
FAIL = "ansible.builtin.fail"
ASSERT = {"that": ["item == 'x'"], "fail_msg": "{{ item }} is no x"}
FAILURES: list[dict[str, t.Any]] = [
    {"name": "Reach", "ansible.builtin.ping": {}},
    {"name": "Ignore", FAIL: {"msg": "of no weight"}, "ignore_errors": True, "when": only("b")},
    {"name": "Loop", "ansible.builtin.assert": ASSERT, "loop": ["x", "y"], "when": only("c")},
    {
        "block": [{"name": "Try", FAIL: {"msg": "rescued"}, "when": only("b")}],
        "rescue": [{"name": "Rescue", "ansible.builtin.debug": {"msg": "all\x1b[31m is\nwell"}}],
    },
    {"name": "Refuse", "speak": {"refuse": REFUSAL}, "when": only("b")},
    {"name": "Report", "instinct.fleet.fleet_report": {}, "run_once": True},
]
UNREACHABLE = "Failed to connect to the host via ssh: ssh: connect to host 127.0.0.1 port 1: Connection refused"


def test_failures_say_why_in_one_sentence_and_again_at_the_end(tmp_path: Path) -> None:
    hosts = {"a": HERE, "b": HERE, "c": HERE, "d": NOWHERE}
    output = timeless(run_playbook(tmp_path, hosts, FAILURES, COLUMNS="100"))
    assert (
        output
        == f"""
Bring nodes to their release
d  UNREACHABLE  Reach
    {UNREACHABLE}
b  failed, ignored  Ignore
    of no weight
c  failed for y  Loop
    y is no x
c  FAILED  Loop
b  FAILED  Try
    rescued
b  all [31m is well
b  FAILED  Refuse
    x: path is not absolute and plain; name the file from / on, without . and ..

node  GPUs  release wanted  release found  changed  verdict
----  ----  --------------  -------------  -------  ------------------------------------------------
a     -     -               -              nothing  no report
b     -     -               -              nothing  failed: x: path is not absolute and plain; name
                                                    the file from / on, without . and ..
c     -     -               -              nothing  failed: y is no x
d     -     -               -              nothing  unreachable: Failed to connect to the host via
                                                    ssh: ssh: connect to host 127.0.0.1 port 1:
                                                    Connection refused

4 nodes: 1 no report, 2 failed, 1 unreachable

4 hosts: 0 changed, 1 unchanged, 2 failed, 1 unreachable
    b: x: path is not absolute and plain; name the file from / on, without . and ..
    c: y is no x
    d: {UNREACHABLE}
"""
    )


def test_a_long_step_is_mentioned_while_it_goes_on(tmp_path: Path) -> None:
    wait = {"name": "Wait", "ansible.builtin.command": {"argv": ["sleep", "2.5"]}, "changed_when": False}
    output = run_playbook(tmp_path, {"a": HERE}, [wait], INSTINCT_FLEET_STILL_AFTER="1")
    assert re.findall(r"^a  still in  Wait \((\d) s\)$", output, re.MULTILINE)[:1] == ["1"]


def test_verbose_output_is_that_of_the_default_callback(tmp_path: Path) -> None:
    output = run_playbook(tmp_path, {"a": HERE}, [WRITE], "-v")
    assert re.search(r"^TASK \[Write\] \*+$", output, re.MULTILINE)
    assert re.search(r'^changed: \[a\] => \{"actions": \["write /etc/x"', output, re.MULTILINE)
    assert re.search(r"^a +: ok=1 +changed=1 ", output, re.MULTILINE)


def test_on_a_terminal_steps_are_drawn_and_leave_nothing_behind(tmp_path: Path) -> None:
    wait = {"name": "Wait", "ansible.builtin.command": {"argv": ["sleep", "1.8"]}, "changed_when": False}
    raw = run_playbook(tmp_path, {"a": HERE}, [wait, WRITE], terminal=True, TERM="xterm")
    # Drawn every half second: once at least in the second second, however late the step began.
    assert re.search(r"a  Wait +1 s\r\n", raw), "the step that goes on, with its time"
    assert (
        timeless(screen(raw))
        == """
Bring nodes to their release
a  changed  Write
    write /etc/x
    hold y

1 host: 1 changed, 0 failed
"""
    )


def screen(raw: str) -> str:
    """What a terminal shows after this output: line ends, cursor up, erase to the end; colours left out."""
    lines = [""]
    for up, text in re.findall(r"\x1b\[(\d+)F\x1b\[J|([^\x1b]+|\x1b\[[\d;]*m)", raw):
        if up:
            lines = [*lines[: len(lines) - 1 - int(up)], ""]
        elif not text.startswith("\x1b"):
            first, *rest = text.replace("\r", "").split("\n")
            lines = [*lines[:-1], lines[-1] + first, *rest]
    return "\n".join(lines)
