# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The stand-in for amd-ctk: what it writes, and that it says invalid without failing, as the real one does."""

from __future__ import annotations

import json
import os
import typing as t
from pathlib import Path

import pytest
from instinct_sim import ctk
from instinct_sim.errors import SimError
from instinct_sim.sync import sync

if t.TYPE_CHECKING:
    from instinct_sim.state import Store

    NewNode = t.Callable[..., Store]


@pytest.fixture
def node(new_node: NewNode, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A node of two GPUs, the first in CPX, whose /dev holds files."""
    store = new_node(gpus=2, gpu0__compute="CPX", node__sysfs=str(tmp_path / "sys"))
    sync(store)
    (tmp_path / "dev" / "dri").mkdir(parents=True)
    for name in ("kfd", *(f"dri/card{n}" for n in range(16)), *(f"dri/renderD{128 + n}" for n in range(16))):
        (tmp_path / "dev" / name).touch()
        (tmp_path / "dev" / name).chmod(0o660)
    with store.change() as state:
        state["node.dev"] = str(tmp_path / "dev")
    monkeypatch.setenv("INSTINCT_SIM_STATE", str(store.path))
    return store


def paths(node: dict[str, t.Any]) -> list[str]:
    """Paths of the nodes of a device."""
    return [one["path"] for one in node["containerEdits"]["deviceNodes"]]


def test_specification_has_a_device_for_each_partition_that_kfd_knows(node: Store, tmp_path: Path) -> None:
    assert ctk.main(["cdi", "generate", "--output", str(tmp_path / "cdi" / "amd.json")]) == 0
    told = json.loads((tmp_path / "cdi" / "amd.json").read_text(encoding="utf-8"))
    named = {device["name"]: paths(device) for device in told["devices"]}
    assert (told["cdiVersion"], told["kind"], list(named)) == (
        "0.6.0", "amd.com/gpu", [*map(str, range(9)), "all"])  # fmt: skip
    assert named["7"] == ["/dev/dri/card7", "/dev/dri/renderD135", "/dev/kfd"]
    assert named["8"] == ["/dev/dri/card8", "/dev/dri/renderD136", "/dev/kfd"]
    assert (len(named["all"]), named["all"][-1]) == (19, "/dev/kfd")
    assert told["devices"][0]["containerEdits"]["deviceNodes"][0] == {
        "path": "/dev/dri/card0", "type": "c", "fileMode": 432, "permissions": "rwm", "uid": 0, "gid": os.getgid()}  # fmt: skip


def test_specification_of_before_is_invalid_and_no_error(
    node: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "amd.json")
    ctk.main(["cdi", "generate", f"--output={path}"])
    assert ctk.main(["cdi", "validate", "--path", path]) == 0
    assert capsys.readouterr().out.endswith("CDI spec is valid\n")
    with node.change() as state:
        state["gpu0.compute"] = "SPX"
    sync_sys_alone(node)
    assert ctk.main(["cdi", "validate", "--path", path]) == 0
    assert capsys.readouterr().out.endswith("CDI spec is invalid\nPlease regenerate CDI spec\n")


@pytest.mark.parametrize("text", [None, "{"], ids=["missing", "no JSON"])
def test_file_that_cannot_be_read_is_an_error(
    text: str | None, node: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if text is not None:
        (tmp_path / "amd.json").write_text(text, encoding="utf-8")
    assert ctk.main(["cdi", "validate", "--path", str(tmp_path / "amd.json")]) == 1
    assert "Failed to " in capsys.readouterr().out


def test_nothing_is_generated_without_a_driver(node: Store, tmp_path: Path) -> None:
    with node.change() as state:
        state.update({"driver.state": "unloaded", "gpu0.bound": "0", "gpu1.bound": "0"})
    sync_sys_alone(node)
    assert ctk.main(["cdi", "generate", "--output", str(tmp_path / "amd.json")]) == 1
    assert not (tmp_path / "amd.json").exists()


def sync_sys_alone(store: Store) -> None:
    """Bring /sys in step; what plays /dev here are files."""
    with store.change() as state:
        dev = state.pop("node.dev")
    sync(store)
    with store.change() as state:
        state["node.dev"] = dev


def test_devices_are_listed(node: Store, capsys: pytest.CaptureFixture[str]) -> None:
    assert ctk.main(["cdi", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:4] == ["Found 9 AMD GPU devices", "amd.com/gpu=all", "amd.com/gpu=0", "  /dev/dri/renderD128"]
    assert lines[-2:] == ["amd.com/gpu=8", "  /dev/dri/renderD136"]


def test_it_says_that_it_is_simulated(node: Store, capsys: pytest.CaptureFixture[str]) -> None:
    assert ctk.main(["version"]) == 0
    assert capsys.readouterr().out.startswith("Version: 1.2.0-simulated\n")


def test_it_is_not_installed_on_a_real_machine() -> None:
    with pytest.raises(SimError, match="this machine is not a simulated one"):
        ctk.install("/usr/sbin/instinct-sim")
