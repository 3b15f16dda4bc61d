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
from ansible_collections.instinct.fleet.plugins.module_utils._core.act.module_proof import Loaded
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Gpus, Look
from ansible_collections.instinct.fleet.plugins.module_utils._partition import agent, data, units
from ansible_collections.instinct.fleet.plugins.module_utils._partition.agent import main
from ansible_collections.instinct.fleet.plugins.module_utils._partition.request import Known
from ansible_collections.instinct.fleet.tests.unit.plugins.partition_world import KNOWN, A, B, World

Capture = pytest.CaptureFixture[str]
WISHES: dict[str, t.Any] = {"accept": ["documented"], "stop_units": [], "reload_allowed": True, "reservations": [], "timeout": 2,
                            "lock_timeout": 0}


@pytest.fixture(autouse=True)
def files(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> t.Callable[..., None]:
    """The intent CPX/NPS1, and what is known of products. Returns what writes another intent."""
    def write(compute: str = "CPX", memory: str = "NPS1", **more: t.Any) -> None:
        rules = [{"gpus": "all", "compute": compute, "memory": memory}]
        (tmp_path / "intent").write_text(json.dumps(data.plain_intent(None, {**WISHES, "gpus": rules, **more})))

    def known(_path: str) -> Known:
        return KNOWN

    write()
    monkeypatch.setattr(agent, "read_known", known)
    monkeypatch.setattr(agent, "INTENT", str(tmp_path / "intent"))
    for name in ("INVOCATION_ID", "JOURNAL_STREAM"):
        monkeypatch.delenv(name, raising=False)
    return write


def test_applied(world: World, capsys: Capture) -> None:
    assert main(["assert"]) == 1
    assert capsys.readouterr() == ("not as wanted\n", "".join(
        f"instinct-partition: gpu {bdf}: is SPX/NPS1, wanted is CPX/NPS1\n" for bdf in (A, B)))
    assert main(["apply"]) == 0
    assert capsys.readouterr() == ("set compute partition CPX on 2 GPUs (was SPX)\nas wanted\n", "")
    assert (main(["apply"]), main(["assert"])) == (0, 0)
    assert capsys.readouterr() == ("as wanted\nas wanted\n", "")


def test_refused_and_failed_are_loud(world: World, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOURNAL_STREAM", "8:1")
    world.ignored = {B}
    assert main(["apply"]) == 1
    reads = "reads back as SPX/NPS1, although no call failed"
    assert capsys.readouterr().err.splitlines() == [
        f"<3>gpu {B}: is not CPX/NPS1: {reads}; read the kernel log (journalctl -k -g amdgpu)",
        f"<3>gpu {A}: rolled_back: other GPUs failed", f"<3>gpu {B}: rolled_back: {reads}"]


def test_failed_as_json(world: World, capsys: Capture) -> None:
    world.ignored = {B}
    assert main(["--json", "apply"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert (said["exit_code"], said["failure"]["where"], len(said["gpus"])) == (1, f"gpu {B}", 2)


def test_what_waits_for_a_reboot_is_not_as_wanted(files: t.Callable[..., None], capsys: Capture) -> None:
    files("CPX", "NPS4", reload_allowed=False)
    assert main(["apply"]) == 1
    assert "memory partition NPS4 comes with a load of amdgpu" in capsys.readouterr().err


def test_what_waits_for_a_reboot_comes_with_the_unit_of_the_boot(
    world: World, files: t.Callable[..., None], monkeypatch: pytest.MonkeyPatch,
) -> None:
    files("CPX", "NPS4", reload_allowed=False)
    monkeypatch.setenv("INVOCATION_ID", "1")
    assert (main(["apply"]), world.modes[A]) == (0, ["CPX", "NPS4"])


def test_as_json(world: World, capsys: Capture) -> None:
    assert main(["--json", "apply"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["as_wanted"], said["exit_code"], said["actions"]) == (True, 0, ["set compute partition CPX on 2 GPUs (was SPX)"])


def test_it_cannot_tell(world: World, capsys: Capture, tmp_path: Path) -> None:
    world.modes.clear()
    assert main(["assert"]) == 2
    assert capsys.readouterr().err.startswith("instinct-partition: gpus: the node has no GPU;")
    (tmp_path / "intent").write_text("{")
    assert (main(["apply"]), main(["--json", "assert"])) == (2, 2)
    assert json.loads(capsys.readouterr().out)["exit_code"] == 2


def test_a_system_that_fails_is_a_sentence(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    def full(_request: object) -> t.NoReturn:
        raise OSError(28, "No space left on device", "/var/lib/instinct")

    monkeypatch.setattr(agent, "run", full)
    assert main(["apply"]) == 2
    assert capsys.readouterr().err == ("instinct-partition: /var/lib/instinct: No space left on device; make room there, then "
                                       "run again\n")


def test_what_cannot_be_seen_is_not_shown_as_nothing(world: World, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent.eyes, "look", lambda *_asked: Look(gpus=Gpus(unknown={"gpus": "no permission"})))
    assert main(["show"]) == 2
    assert capsys.readouterr().err == "instinct-partition: node: which GPUs it has is unknown: no permission; mend that on the node\n"


def test_show_and_export(world: World, capsys: Capture) -> None:
    assert main(["show"]) == 0
    assert capsys.readouterr().out.splitlines()[0].startswith(f"{A}/0 MI300X SPX/NPS1")
    assert main(["--json", "show"]) == 0
    assert json.loads(capsys.readouterr().out)["gpus"] == {A: "SPX/NPS1", B: "SPX/NPS1"}
    assert main(["show", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["gpus"] == {A: "SPX/NPS1", B: "SPX/NPS1"}
    assert main(["export", "--name", "now"]) == 0
    assert json.loads(capsys.readouterr().out)["name"] == "now"
    world.modes.clear()
    assert (main(["export"]), main(["show"])) == (2, 0)


def test_wrong_use_ends_with_2(capsys: Capture) -> None:
    with pytest.raises(SystemExit) as error:
        main([])
    assert error.value.code == 2
    assert "usage: instinct-partition" in capsys.readouterr().err


def test_waiting_for_the_driver(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    states = iter([None, Loaded("coming", "", ""), Loaded("live", "", ""), Loaded("live", "", "")])
    counts = iter([1, 2])
    pauses: list[float] = []

    def ticks(_timeout: float, pause: float) -> t.Iterator[float]:
        for number in range(9):
            pauses.append(pause)
            yield float(number)

    monkeypatch.setattr(amdgpu, "ticks", ticks)
    monkeypatch.setattr(amdgpu, "loaded", lambda: next(states))
    monkeypatch.setattr(amdgpu, "gpus", lambda: next(counts))
    assert main(["apply", "--wait", "60"]) == 0
    assert len(pauses) == 4


@pytest.mark.parametrize("unit", [True, False])
def test_within_a_unit_it_waits_for_no_unit(
    world: World, monkeypatch: pytest.MonkeyPatch, files: t.Callable[..., None], unit: bool,
) -> None:
    files(stop_units=["a"])
    if unit:
        monkeypatch.setenv("INVOCATION_ID", "1")
    waits: list[bool] = []

    def start(_names: object, _timeout: object, wait: bool) -> dict[str, str]:
        waits.append(wait)
        return {}

    monkeypatch.setattr(units, "start", start)
    assert (main(["apply"]), waits) == (0, [not unit])
