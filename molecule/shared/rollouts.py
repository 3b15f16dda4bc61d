# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of upgrade.yml that can be watched by their log, broken into, and killed."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import time
import typing as t
import uuid
from pathlib import Path

PATIENCE = 1800  # seconds for one run, on a machine that has other things to do
MARK = "INSTINCT_TEST_RUN"
Event = t.Mapping[str, t.Any]


class Rollout:
    """One run, in a session of its own."""

    def __init__(self, folder: Path, variables: t.Mapping[str, t.Any], *options: str) -> None:
        folder.mkdir()
        self.folder, self.began, self._mark = folder, time.time(), uuid.uuid4().hex
        files = {"fleet_upgrade_log": str(folder / "log"), "fleet_upgrade_path": str(folder / "report.json")}
        given = {**variables, **files}
        command = ["ansible-playbook", "-i", os.environ["MOLECULE_INVENTORY_FILE"], *options, "-e", json.dumps(given)]
        env = {**os.environ, MARK: self._mark, "ANSIBLE_STDOUT_CALLBACK": "instinct.fleet.fleet"}
        with open(folder / "said", "w", encoding="utf-8") as said:
            self._process = subprocess.Popen([*command, "instinct.fleet.upgrade"], env=env, stdin=subprocess.DEVNULL,
                                             stdout=said, stderr=subprocess.STDOUT, start_new_session=True)

    def events(self) -> list[Event]:
        """What happened so far, but for a line that is being written."""
        try:
            lines = (self.folder / "log").read_text(encoding="utf-8").split("\n")[1:-1]
        except FileNotFoundError:
            return []
        return [json.loads(line) for line in lines]

    def until(self, reached: t.Callable[[list[Event]], bool]) -> bool:
        """Wait until the log is so, or the run has ended; returns whether it is so."""
        while self._process.poll() is None and not reached(self.events()):
            if time.time() > self.began + PATIENCE:
                self.kill()
                raise AssertionError(f"a run did not end in {PATIENCE} s: {self.said()}")
            time.sleep(0.05)
        return reached(self.events())

    def end(self) -> tuple[int, dict[str, t.Any]]:
        """Wait for the end; returns the exit code and the report."""
        self.until(lambda events: False)
        print(f"{self.folder.name}: {time.time() - self.began:.0f} s")
        return self._process.wait(), self.report()

    def report(self) -> dict[str, t.Any]:
        """What the run wrote last: its schedule, and at its end how every node ended."""
        return json.loads((self.folder / "report.json").read_text(encoding="utf-8"))

    def kill(self) -> None:
        """SIGKILL to the process group, and to workers that left it. Connections that are kept for later runs stay."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        while left := list(self._workers()):
            for pid in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        self._process.wait()

    def _workers(self) -> t.Iterator[int]:
        wanted = f"{MARK}={self._mark}".encode()
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if wanted in (folder / "environ").read_bytes() and b"[mux]" not in (folder / "cmdline").read_bytes():
                    yield int(folder.name)

    def said(self) -> str:
        """The end of what people read."""
        return (self.folder / "said").read_text(encoding="utf-8")[-4000:]


def nodes(events: t.Iterable[Event], event: str, *words: str) -> list[str]:
    """Nodes of these events, in their order; with words, only of those."""
    return [one["node"] for one in events if one["event"] == event and (not words or one["word"] in words)]
