# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command on a node: 0, 1, 2, one sentence for everything that is wrong, and no traceback."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._gate import agent
from ansible_collections.instinct.fleet.plugins.module_utils._gate.state import State
from ansible_collections.instinct.fleet.plugins.plugin_utils import gate_data
from ansible_collections.instinct.fleet.tests.unit.support.gates import lost, show
from ansible_collections.instinct.fleet.tests.unit.support.healthy import A, B, gpu, health, look

BAD = look(healths=(health(A, blocks={"umc": lk.BlockErrors(0, 1, 0)}, power_cap_w=700), health(B)))
DARK = look(smi=lk.Smi(error="no library"))


class Node:
    """Where the command finds its data and state."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.data, self.folder, self._capsys = folder / "data.json", folder / "state", capsys
        self.write(gate_data.agent((), "running", {"gpus": 2}, None))

    def write(self, data: object) -> None:
        self.data.write_text(json.dumps(data), encoding="utf-8")

    def run(self, *words: str) -> tuple[int, str]:
        code = agent.main(["--data", str(self.data), "--state", str(self.folder), *words])
        return code, self._capsys.readouterr().out.rstrip("\n")


@pytest.fixture
def node(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Node:
    show(monkeypatch, look())
    monkeypatch.delenv("SUDO_USER", raising=False)
    monkeypatch.setattr(agent.os, "geteuid", lambda: 0)
    return Node(tmp_path, capsys)


@pytest.mark.parametrize(("seen", "code", "first"), [
    (look(), 0, "pass: profile admission"),
    (BAD, 1, f"fail: ecc-uncorrectable of {A}: umc: 1 errors"),
    (DARK, 2, "unknown: library of node: no library"),
])
def test_the_code_is_the_verdict(node: Node, monkeypatch: pytest.MonkeyPatch, seen: lk.Look, code: int, first: str) -> None:
    show(monkeypatch, seen)
    ended, out = node.run("--profile", "admission")
    assert (ended, out.splitlines()[0]) == (code, first)
    ended, out = node.run("--profile", "admission", "--json")
    assert (ended, json.loads(out)["exit_code"], json.loads(out)["recorded"]) == (code, code, True)


@pytest.mark.parametrize(("bdf", "code"), [(A, 1), (B, 0)])
def test_a_display_card_keeps_no_node_from_work(node: Node, monkeypatch: pytest.MonkeyPatch, bdf: str, code: int) -> None:
    display = gpu(B, 1, device_id="73a3", product=None, market_name="AMD Radeon PRO W6800")
    show(monkeypatch, look((gpu(), display), log=lost(bdf)))
    assert node.run()[0] == code


def test_every_check_is_shown(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    show(monkeypatch, BAD)
    assert node.run("--profile", "admission")[1].splitlines()[1] == f"  power-cap of {A}: 700 W, by default 750 W"


def test_the_profile_of_the_role_counts(node: Node) -> None:
    assert node.run()[1] == "pass: profile running"
    assert json.loads(node.run("--json", "--wait")[1])["profile"] == "running"


def test_others_than_root_remember_nothing(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent.os, "geteuid", lambda: 1000)
    assert node.run()[0] == 0 and not node.folder.exists()
    assert json.loads(node.run("--json")[1])["recorded"] is False


WRONG = {
    "no data": (None, "cannot be read: No such file or directory; let the role gpu_health write it anew"),
    "torn data": ("{", "is not JSON; let the role gpu_health write it anew"),
    "other data": ("[]", "is a list, not a mapping; write it as a mapping"),
    "more data": ('{"version": "v1", "kind": "gate"}', "kind: is 'gate'; choose one of gate_data"),
}


@pytest.mark.parametrize(("text", "sentence"), WRONG.values(), ids=WRONG)
def test_data_that_is_not_right_is_unknown(node: Node, text: str | None, sentence: str) -> None:
    node.data.unlink() if text is None else node.data.write_text(text, encoding="utf-8")
    code, out = node.run()
    assert (code, out.startswith(f"unknown: {node.data}"), out.endswith(sentence)) == (2, True, True)
    code, out = node.run("--json")
    assert (code, json.loads(out)["verdict"], set(json.loads(out)["failure"])) == (2, "unknown", {"where", "what", "hint", "source"})


def test_a_profile_that_is_not_there(node: Node) -> None:
    assert node.run("--profile", "x") == (2, "unknown: --profile: there is no profile 'x'; choose one of admission, burn_in, running")


def test_what_the_system_refuses_is_one_sentence(node: Node) -> None:
    node.folder.write_text("a file where a folder should be", encoding="utf-8")
    code, out = node.run("quarantine", "set", "--reason", "x")
    assert code == 2 and out.startswith("unknown: ") and "\n" not in out


@pytest.mark.parametrize("words", [["--wait", "soon"], ["--profile"], ["quarantine"], ["quarantine", "set"], ["nonsense"]])
def test_wrong_use_is_2(node: Node, words: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        node.run(*words)
    assert ended.value.code == 2


def test_quarantine_of_a_person(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUDO_USER", "alice")
    assert node.run("quarantine", "show") == (0, "none")
    code, out = node.run("quarantine", "set", "--reason", "case 4711")
    assert code == 0 and out.startswith("set by alice at ") and out.endswith(": case 4711")
    assert node.run("quarantine", "show") == (1, out)
    assert node.run("--profile", "admission")[0] == 1
    assert node.run("status")[0] == 1
    assert json.loads(node.run("--json", "quarantine", "show")[1])["quarantine"]["reason"] == "case 4711"
    assert node.run("quarantine", "lift") == (0, "lifted")
    assert State(str(node.folder)).read_quarantine() is None


def test_status_is_the_last_gate(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    assert node.run("status") == (2, "no gate has run yet")
    node.run()
    code, out = node.run("status")
    assert (code, out.startswith("running: pass since ")) == (0, True)
    show(monkeypatch, BAD)
    monkeypatch.setattr(agent.gate, "now", lambda: "2999-01-01T00:00:00+00:00")
    node.run("--profile", "admission")
    code, out = node.run("status")
    assert code == 1 and f"  ecc-uncorrectable of {A}: umc: 1 errors" in out.splitlines()
    assert json.loads(node.run("--json", "status")[1])["exit_code"] == 1


def test_an_account_without_a_name(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent.pwd, "getpwuid", lambda number: {}[number])
    assert str(os.getuid()) in node.run("quarantine", "set", "--reason", "x")[1]
