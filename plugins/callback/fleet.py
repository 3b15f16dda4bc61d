# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Callback fleet: see DOCUMENTATION."""

from __future__ import annotations

DOCUMENTATION = """
name: fleet
type: stdout
short_description: Says what changes on which node, and what goes on
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
description:
  - Shows what people look for when they bring a fleet to a release. What changed, in the words of the module that
    changed it; what failed, as the one sentence that says why; and numbers at the end. What is as wanted is not
    mentioned.
  - On a terminal the steps that go on are shown at the foot with their node, role and time; of a roll-out also how far
    it is. Elsewhere output is plain
    lines without control characters, and a step that takes long is mentioned from time to time.
  - With C(--diff) every change shows its difference. With C(-v) output is that of the callback V(default).
requirements:
  - Set as C(stdout_callback) in the configuration.
extends_documentation_fragment:
  - default_callback
  - result_format_callback
options:
  live:
    description: Whether to show the steps that go on at the foot of a terminal.
    type: bool
    default: true
    env:
      - name: INSTINCT_FLEET_LIVE
    ini:
      - section: callback_fleet
        key: live
  still_after:
    description: Without a terminal, seconds after which a step that goes on is mentioned, again and again.
    type: int
    default: 60
    env:
      - name: INSTINCT_FLEET_STILL_AFTER
    ini:
      - section: callback_fleet
        key: still_after
"""

import atexit
import os
import shutil
import sys
import time
import typing as t

from ansible import constants, context
from ansible.plugins.callback.default import CallbackModule as Default
from ansible.utils.fqcn import add_internal_fqcns

from ansible_collections.instinct.fleet.plugins.module_utils._core.plan import wording
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.grid import plain
from ansible_collections.instinct.fleet.plugins.plugin_utils import endings, progress
from ansible_collections.instinct.fleet.plugins.plugin_utils.live import Foot, Screen, Ticker
from ansible_collections.instinct.fleet.plugins.plugin_utils.rollout_line import Head

_PAUSE = add_internal_fqcns(("pause",))  # it speaks to the terminal itself
_PLAN = "instinct.fleet.fleet_upgrade_plan"
_TURN = "instinct.fleet.fleet_upgrade_turn"
_WIDTH = 160  # where there is no terminal
_HEIGHT = 12
_PERIOD = 0.5


class CallbackModule(Default):
    """What Ansible tells, in fewer words. Each method that is not here, and all with -v, are those of ``default``."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "instinct.fleet.fleet"

    def __init__(self) -> None:
        super().__init__()
        self._board = progress.Board()
        self._names: dict[str, str] = {}
        self._diffs: dict[tuple[str, str], str] = {}
        self._failures: dict[str, str] = {}
        self._started = time.monotonic()
        self._rollout: Head | None = None
        self._screen: Screen | None = None
        self._ticker: Ticker | None = None

    # What goes on

    def v2_playbook_on_start(self, playbook: t.Any) -> None:
        """Begin to show what goes on."""
        super().v2_playbook_on_start(playbook)
        endings.begin(shutil.get_terminal_size((_WIDTH, 24)).columns)
        if self._verbose:
            return
        terminal = sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        if terminal and self.get_option("live"):
            self._screen = Screen(self._display, Foot(self._write), self._lines)
            self._screen.open()
        self._ticker = Ticker(_PERIOD, self._tick)
        self._ticker.start()
        atexit.register(self._end)

    def _end(self) -> None:
        if self._ticker:
            self._ticker.stop()
        if self._screen:
            self._screen.close()
            self._screen = None

    def _tick(self) -> None:
        if self._screen:
            self._screen.redraw()
            return
        for line in self._board.overdue(time.monotonic(), self.get_option("still_after")):
            self._display.display(line)

    @staticmethod
    def _write(text: str) -> None:
        # Not through the buffer of sys.stdout: a worker that is forked meanwhile would inherit its lock.
        os.write(sys.stdout.fileno(), text.encode())

    def _lines(self) -> list[str]:
        size, now = shutil.get_terminal_size(), time.monotonic()
        line, steps = self._rollout.now() if self._rollout else ("", {})
        head = [progress.headline(line, now - self._started, size.columns)] if line else []
        return head + self._board.lines(now, size.columns, min(_HEIGHT, size.lines // 2), steps)

    @property
    def _verbose(self) -> bool:
        return bool(self._display.verbosity)

    # Beginnings

    def v2_playbook_on_play_start(self, play: t.Any) -> None:
        """Name the play."""
        if self._verbose:
            super().v2_playbook_on_play_start(play)
            return
        self._play = play
        checking = " (check mode: nothing is changed)" if play.check_mode else ""
        self._display.display(f"\n{plain(play.get_name())}{checking}")

    def v2_playbook_on_task_start(self, task: t.Any, is_conditional: bool) -> None:
        """Remember how the task is called."""
        self._name(task)
        if self._verbose:
            super().v2_playbook_on_task_start(task, is_conditional)

    def v2_playbook_on_handler_task_start(self, task: t.Any) -> None:
        """Remember how the handler is called."""
        self._name(task)
        if self._verbose:
            super().v2_playbook_on_handler_task_start(task)

    def _name(self, task: t.Any) -> str:
        role = task._role.get_name(include_role_fqcn=False) if task._role else ""
        self._names[task._uuid] = ": ".join(filter(None, (plain(role), plain(task.name or task.action))))
        return self._names[task._uuid]

    def v2_runner_on_start(self, host: t.Any, task: t.Any) -> None:
        """A step goes on."""
        if self._verbose:
            super().v2_runner_on_start(host, task)
        elif task.action not in _PAUSE and (task.action != _TURN or task.args.get("event")):  # who waits does nothing
            self._board.start(host.get_name(), self._step(task), time.monotonic())

    def _step(self, task: t.Any) -> str:
        return self._names.get(task._uuid) or self._name(task)

    def v2_playbook_on_include(self, included_file: t.Any) -> None:
        """Of no interest, but with -v."""
        if self._verbose:
            super().v2_playbook_on_include(included_file)

    # Endings

    def v2_runner_on_ok(self, result: t.Any) -> None:
        """Say what changed, and in which words of the module."""
        done = self._done(result)
        if self._verbose:
            super().v2_runner_on_ok(result)
            return
        self._handle_warnings(done.result)
        if done.task.action == _PLAN and done.result.get("log"):
            self._rollout = Head(done.result["log"])
        if done.task.action == _TURN and done.task.args.get("event") == "end":
            self._told_end(done)
        elif done.result.get("changed") and done.task.check_mode and not self._play.check_mode:
            self._diffs.pop((done.host, done.task._uuid), "")  # a question of a run that acts: nothing is to be told
        elif done.result.get("changed"):
            self._say(done, "would change" if done.task.check_mode else "changed", constants.COLOR_CHANGED)
            for line in progress.words(done.result):
                self._display.display(f"    {line}", color=constants.COLOR_CHANGED)
            diff = self._diffs.pop((done.host, done.task._uuid), "")
            if diff:
                self._display.display(diff.rstrip("\n"))
        elif done.result.get("_ansible_verbose_always"):  # debug: it is there to be read
            self._clean_results(done.result, done.task.action)
            message = done.result.get("msg")
            text = plain(message) if isinstance(message, str) else self._dump_results(done.result)
            self._display.display(f"{done.label}  {text}")

    def v2_runner_on_failed(self, result: t.Any, ignore_errors: bool = False) -> None:
        """Say why, in one sentence."""
        done = self._done(result)
        if not ignore_errors:
            self._tell(done, "failed")
        if self._verbose:
            super().v2_runner_on_failed(result, ignore_errors)
            return
        self._handle_warnings(done.result)
        self._say(
            done,
            "failed, ignored" if ignore_errors else "FAILED",
            constants.COLOR_SKIP if ignore_errors else constants.COLOR_ERROR,
        )
        if not (done.task.loop and "results" in done.result):  # the items said why
            self._because(done)

    def v2_runner_on_unreachable(self, result: t.Any) -> None:
        """Say why, in one sentence."""
        done = self._done(result)
        if not done.task.ignore_unreachable:
            self._tell(done, "unreachable")
        if self._verbose:
            super().v2_runner_on_unreachable(result)
            return
        self._say(done, "UNREACHABLE", constants.COLOR_UNREACHABLE)
        self._because(done)

    def v2_runner_on_skipped(self, result: t.Any) -> None:
        """Of no interest, but with -v."""
        self._done(result)
        if self._verbose:
            super().v2_runner_on_skipped(result)

    def v2_runner_item_on_ok(self, result: t.Any) -> None:
        """Told when all items are done."""
        if self._verbose:
            super().v2_runner_item_on_ok(result)

    def v2_runner_item_on_skipped(self, result: t.Any) -> None:
        """Of no interest, but with -v."""
        if self._verbose:
            super().v2_runner_item_on_skipped(result)

    def v2_runner_item_on_failed(self, result: t.Any) -> None:
        """Say why, in one sentence."""
        if self._verbose:
            super().v2_runner_item_on_failed(result)
            return
        done = progress.Done.of(result, self.host_label(result))
        self._handle_warnings(done.result)
        self._failures[done.host] = progress.sentence(done.result)
        self._say(done, f"failed for {plain(self._get_item_label(done.result))}", constants.COLOR_ERROR)
        self._because(done)

    def v2_runner_retry(self, result: t.Any) -> None:
        """The step goes on, for another attempt."""
        if self._verbose:
            super().v2_runner_retry(result)
            return
        done = progress.Done.of(result, "")
        self._board.note(done.host, progress.going_on(self._step(done.task), done.result))

    def v2_on_file_diff(self, result: t.Any) -> None:
        """Keep the difference until the change is told."""
        if self._verbose:
            super().v2_on_file_diff(result)
            return
        done = progress.Done.of(result, "")
        if done.result.get("changed") and done.result.get("diff"):  # of a loop: one item after the other
            key = (done.host, done.task._uuid)
            self._diffs[key] = self._diffs.get(key, "") + (self._get_diff(done.result["diff"]) or "")

    def _done(self, result: t.Any) -> progress.Done:
        done = progress.Done.of(result, self.host_label(result))
        return done.after(self._board.end(done.host, time.monotonic()))

    def _say(self, done: progress.Done, what: str, color: str) -> None:
        time_taken = f" ({wording.duration(done.seconds)})" if done.seconds >= 1 else ""
        self._display.display(f"{done.label}  {what}  {self._step(done.task)}{time_taken}", color=color)

    def _told_end(self, done: progress.Done) -> None:
        """How a node of a roll-out ended, and how far the roll-out is."""
        ended, well = done.result, done.result["word"] == "done"
        took = wording.duration(ended["seconds"])
        text = f"{done.label}  {plain(ended['word'])} after {took}; {plain(ended['line'])}"
        self._display.display(text, color=constants.COLOR_OK if well else constants.COLOR_ERROR)

    def _because(self, done: progress.Done) -> None:
        self._display.display(f"    {progress.sentence(done.result)}", color=constants.COLOR_ERROR)

    def _tell(self, done: progress.Done, how: str) -> None:
        """Keep the reason for the end of the run, and for fleet_report."""
        looped = done.task.loop and "results" in done.result
        why = self._failures.get(done.host, "") if looped else progress.sentence(done.result)
        self._failures[done.host] = why or progress.sentence(done.result)
        endings.tell(done.host, how, self._failures[done.host])

    def v2_playbook_on_no_hosts_remaining(self) -> None:
        """Say that the rest is not run."""
        if self._verbose:
            super().v2_playbook_on_no_hosts_remaining()
        else:
            self._display.display("no node is left; the rest of the play is not run", color=constants.COLOR_ERROR)

    def v2_playbook_on_stats(self, stats: t.Any) -> None:
        """Numbers, and once more why nodes failed."""
        self._board.clear()
        self._end()
        if self._verbose:
            super().v2_playbook_on_stats(stats)
            return
        numbers = {host: stats.summarize(host) for host in sorted(stats.processed)}
        took = wording.duration(time.monotonic() - self._started)
        self._display.display(f"\n{progress.recap(numbers, bool(context.CLIARGS.get('check')))} in {took}")
        for host, number in numbers.items():
            if number["failures"] or number["unreachable"]:
                reason = self._failures.get(host, "run again with -v")
                self._display.display(f"    {host}: {reason}", color=constants.COLOR_ERROR)
