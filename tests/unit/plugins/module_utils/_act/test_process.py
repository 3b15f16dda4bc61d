# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands end in time, with all that they started."""

from __future__ import annotations

import os
import signal
import sys

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act.process import clean_end, run, uninterrupted
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError

# Starts a child that holds the output open for ever, says its pid, and waits for it.
PARENT = "import subprocess, sys; c = subprocess.Popen(['sleep', '1000']); print(c.pid, flush=True); c.wait()"


def test_output_code_and_environment() -> None:
    done = run(["sh", "-c", 'echo "$A $LC_ALL"; echo err >&2; read x; exit 3'], 10, A="b")
    assert (done.code, done.out, done.err, done.timed_out) == (3, "b C\n", "err\n", False)


def test_time_is_up_for_the_command_and_its_children() -> None:
    done = run([sys.executable, "-c", PARENT], 3)  # enough to begin in, on a machine that has other things to do
    assert (done.timed_out, done.code) == (True, -signal.SIGKILL)
    assert int(done.out), "the output was read to its end, so the child does not hold it open any more"


def test_a_missing_command_is_a_sentence() -> None:
    with pytest.raises(FleetError) as error:
        run(["no-such-command"], 1)
    assert error.value.sentence == "no-such-command: is not installed; install it first"


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_a_signal_lets_clean_up_run(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with pytest.raises(SystemExit) as ended, clean_end():
        os.kill(os.getpid(), number)
    assert ended.value.code == 128 + number
    assert signal.getsignal(number) is before


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGINT, signal.SIGTERM])
def test_a_signal_waits_until_what_must_not_stay_half_done_is_done(number: signal.Signals) -> None:
    before, done = signal.getsignal(number), []

    def work() -> None:
        with uninterrupted():
            os.kill(os.getpid(), number)
            done.append(number)

    with pytest.raises(SystemExit) as ended:
        work()
    assert (ended.value.code, done) == (128 + number, [number])
    assert signal.getsignal(number) is before


def test_without_a_signal_nothing_ends() -> None:
    with uninterrupted():
        pass
