# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command: what it prints, where, and how it ends."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act import amdgpu
from ansible_collections.instinct.fleet.plugins.module_utils._qos import agent, data
from ansible_collections.instinct.fleet.plugins.module_utils._qos.agent import main
from ansible_collections.instinct.fleet.tests.unit.plugins.qos_world import WATT, A, B, World
from ansible_collections.instinct.fleet.tests.unit.support.qos_data import document, profile

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def files(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> t.Callable[..., None]:
    """A profile for 276 W, and what is known of products. Returns what writes another intent."""
    def write(**settings: t.Any) -> None:
        documents = [{"path": "p", "data": profile(**settings), "layer": 0}]
        options = {"profile": "mine", "schedule": [], "gpus": [], "unsupported": "say", "timeout": 9, "lock_timeout": 0}
        (tmp_path / "intent").write_text(json.dumps(data.plain_intent(documents, options)))

    write(power_cap="92%")
    known = data.plain_known({"documents": [{"path": "p", "data": document("products.yml"), "layer": 0}], "products": []})
    (tmp_path / "data").write_text(json.dumps(known))
    monkeypatch.setattr(agent, "DATA", str(tmp_path / "data"))
    monkeypatch.setattr(agent, "INTENT", str(tmp_path / "intent"))
    monkeypatch.delenv("JOURNAL_STREAM", raising=False)
    return write


def test_applied_and_restored(world: World, capsys: Capture) -> None:
    assert main(["assert"]) == 1
    assert capsys.readouterr() == ("profile mine: not as wanted\n", "".join(
        f"instinct-qos: {bdf}: power cap is 300 W, wanted is 276 W\n" for bdf in (A, B)))
    assert main(["apply"]) == 0
    assert capsys.readouterr() == (
        f"set power cap of {A} to 276 W (was 300 W)\nset power cap of {B} to 276 W (was 300 W)\nremember what was before mine\n"
        "profile mine: as wanted\n", "")
    assert (main(["apply"]), main(["assert"])) == (0, 0)
    assert capsys.readouterr().out == "profile mine: as wanted\n" * 2
    assert main(["restore"]) == 0
    assert capsys.readouterr().out.endswith("forget what was before profiles\nprofile none: as wanted\n")
    assert world.values[A]["power_cap"] == 300 * WATT


def test_as_json(capsys: Capture) -> None:
    assert main(["--json", "apply"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["exit_code"], said["as_wanted"], len(said["settings"]), len(said["actions"])) == (0, True, 2, 3)


def test_failed_is_loud(world: World, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOURNAL_STREAM", "8:1")
    world.ignored = {"power_cap"}
    assert main(["apply"]) == 1
    assert capsys.readouterr().err.splitlines() == [
        f"<3>gpu {A}: power cap is 300 W and not 276 W: no call failed; read the kernel log (journalctl -k -g amdgpu)",
        *(f"<3>{bdf}: power cap: rolled_back: no call failed" for bdf in (A, B))]


def test_refused_it_cannot_be_told(files: t.Callable[..., None], tmp_path: Path, capsys: Capture) -> None:
    files(power_cap="400 W")
    assert main(["--json", "apply"]) == 2
    assert json.loads(capsys.readouterr().out)["failure"]["where"] == f"gpu {A}"
    (tmp_path / "intent").unlink()
    assert main(["apply"]) == 2
    assert "cannot be read: No such file or directory; let the role gpu_qos write it anew" in capsys.readouterr().err


def test_what_is_left_out_is_loud(files: t.Callable[..., None], capsys: Capture) -> None:
    files(soc_pstate="1")
    assert main(["apply"]) == 0
    assert capsys.readouterr().err.splitlines() == [f"instinct-qos: {bdf}: has no soc pstate 1: it has no such setting" for bdf in (A, B)]


def test_a_system_that_fails_is_a_sentence(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    def full(_request: object) -> t.NoReturn:
        raise OSError(28, "No space left on device", "/var/lib/instinct")

    monkeypatch.setattr(agent, "run", full)
    assert main(["apply"]) == 2
    assert capsys.readouterr().err.startswith("instinct-qos: /var/lib/instinct: No space left on device; ")


def test_the_driver_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr(amdgpu, "wait", waits.append)
    assert (main(["apply", "--wait", "60"]), main(["restore"])) == (0, 0)
    assert waits == [60]
