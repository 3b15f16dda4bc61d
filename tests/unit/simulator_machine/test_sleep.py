# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A machine that is made from one that sleeps begins awake, once; and what QEMU answers."""

from __future__ import annotations

import dataclasses as dc
import json
import socket
import threading

import pytest
from simhost.errors import SimError
from simmachine import machines, monitor

MACHINE = machines.Machine("a", "mi300x", 2, 1536, 2222, "/base", "/repo", "/kernels")


@pytest.mark.parametrize(("asleep", "starts"), [("", [False, False]), ("/other/memory", [True, False])])
def test_only_its_first_start_wakes_it(monkeypatch, tmp_path, asleep, starts):
    commands, asked = [], []
    monkeypatch.setattr(machines, "home", lambda: tmp_path)
    monkeypatch.setattr(machines, "arguments", lambda machine, way: ["qemu"])
    monkeypatch.setattr(machines.accel, "chosen", lambda: "tcg")
    monkeypatch.setattr(machines.disk, "run", lambda *words: commands.append(words))
    monkeypatch.setattr(machines.monitor, "moved", lambda path: asked.append("moved"))
    monkeypatch.setattr(machines.monitor, "ask", lambda path, *words: asked.extend(words))
    machine = dc.replace(MACHINE, asleep=asleep)
    machine.folder.mkdir()
    machines.start(machine)
    machines.start(machine)
    assert [words == ("qemu", "-incoming", "exec:cat /other/memory") for words in commands] == starts
    assert asked == (["moved", "cont"] if asleep else [])


@pytest.fixture
def qemu(tmp_path):
    """A QEMU that answers with these lines, and what it was asked."""
    heard = []

    def make(*lines):
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(str(tmp_path / "qmp"))
        listening.listen(1)

        def serve():
            connection, _peer = listening.accept()
            with listening, connection, connection.makefile("rw", encoding="utf-8") as stream:
                stream.write('{"QMP": {}}\n')
                stream.flush()
                for answers in (['{"return": {}}'], *lines):
                    heard.append(json.loads(stream.readline()))
                    stream.write("\n".join(answers) + "\n")
                    stream.flush()

        threading.Thread(target=serve, daemon=True).start()
        return tmp_path / "qmp", heard

    return make


def test_the_last_command_has_the_arguments_and_events_are_no_answers(qemu):
    path, heard = qemu(['{"event": "STOP"}', '{"return": {}}'], ['{"return": {"status": "active"}}'])
    assert monitor.ask(path, "stop", "migrate", uri="exec:x") == {"status": "active"}
    assert heard == [{"execute": "qmp_capabilities"}, {"execute": "stop"}, {"execute": "migrate", "arguments": {"uri": "exec:x"}}]


def test_what_it_refuses_is_said(qemu):
    path, _heard = qemu(['{"error": {"class": "GenericError", "desc": "no such disk"}}'])
    with pytest.raises(SimError, match="QEMU refuses cont: no such disk"):
        monitor.ask(path, "cont")


def test_memory_that_did_not_arrive_is_an_error(qemu):
    path, _heard = qemu(['{"return": {"status": "failed"}}'])
    with pytest.raises(SimError, match="cannot be kept or taken: failed"):
        monitor.moved(path)


def test_there_may_be_no_qemu(tmp_path):
    with pytest.raises(SimError, match="QEMU does not answer at"):
        monitor.ask(tmp_path / "none", "cont")
