# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command as people and other programs call it, its refusals, and uname."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from instinct_sim import cli, guard
from instinct_sim.errors import SimError

NODE = Path(__file__).resolve().parents[2] / "simulator" / "node"


def call(state: Path, *words: str, name: str = "instinct-sim") -> subprocess.CompletedProcess[str]:
    """Run the command, by one of its names."""
    link = state.parent / name
    if not link.exists():
        link.symlink_to(NODE / "instinct-sim")
    environment = {**os.environ, "INSTINCT_SIM_STATE": str(state)}
    return subprocess.run(
        [sys.executable, str(link), *words], env=environment, capture_output=True, text=True, check=False
    )


def test_node_can_be_made_broken_shown_and_mended(tmp_path: Path) -> None:
    state = tmp_path / "state"
    told = ["create", "--product", "mi300x", "--gpus", "2", "--loaded", "6.14.14", "--sysfs", str(tmp_path / "sys")]
    assert call(state, *told).returncode == 0
    assert (tmp_path / "sys/module/amdgpu/version").read_text(encoding="utf-8") == "6.14.14\n"
    assert call(state, "fault", "pcie_degraded", "gpu=1", "width=4").returncode == 0
    assert (tmp_path / "sys/bus/pci/devices/0000:26:00.0/current_link_width").read_text(encoding="utf-8") == "4\n"
    shown = json.loads(call(state, "show", "--json").stdout)
    assert (shown["product"], len(shown["gpus"]), shown["faults"]) == ("MI300X", 2, {"pcie_degraded.gpus": "1"})
    assert "fault pcie_degraded on GPU 1" in call(state, "show").stdout
    assert call(state, "heal").returncode == 0
    assert (tmp_path / "sys/bus/pci/devices/0000:26:00.0/current_link_width").read_text(encoding="utf-8") == "16\n"


def test_process_that_ends_is_no_longer_in_the_list_of_kfd(tmp_path: Path) -> None:
    state, listed = tmp_path / "state", tmp_path / "sys/class/kfd/kfd/proc"
    call(state, "create", "--product", "mi210", "--gpus", "1", "--loaded", "6.14.14", "--sysfs", str(tmp_path / "sys"))
    call(state, "fault", "busy")
    call(state, "fault", "client")
    pid = json.loads(call(state, "show", "--json").stdout)["processes"][0]["pid"]
    assert os.listdir(listed) == [str(pid)]
    assert (tmp_path / "sys/module/amdgpu/refcnt").read_text(encoding="utf-8") == "2\n"
    os.kill(pid, signal.SIGKILL)
    deadline = time.monotonic() + 20
    while os.listdir(listed) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert os.listdir(listed) == []
    call(state, "heal")
    assert (tmp_path / "sys/module/amdgpu/refcnt").read_text(encoding="utf-8") == "0\n"


REFUSALS: list[tuple[list[str], str]] = [
    (["show"], "instinct-sim: there is no simulated node at "),
    (["create", "--product", "mi999"], "instinct-sim: there is no product 'mi999'"),
    (["boot"], "instinct-sim: this machine is not a simulated one"),
]


@pytest.mark.parametrize(("words", "message"), REFUSALS, ids=[" ".join(words) for words, _ in REFUSALS])
def test_command_refuses(words: list[str], message: str, tmp_path: Path) -> None:
    done = call(tmp_path / "state", *words)
    assert (done.returncode, done.stderr.startswith(message)) == (1, True), done.stderr
    assert not (tmp_path / "state").exists()


def test_this_machine_is_not_simulated() -> None:
    assert not guard.marked()


@pytest.mark.parametrize(("key", "folder"), [("node.sysfs", "/sys"), ("node.dev", "/dev")])
def test_real_folders_are_refused(key: str, folder: str) -> None:
    with pytest.raises(SimError, match=f"^{folder}: this machine is not a simulated one"):
        guard.check({key: folder})


def test_state_that_was_carried_here_touches_nothing(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("node.gpus=0\nnode.sysfs=/sys\n", encoding="utf-8")
    done = call(tmp_path / "state", "sysfs")
    assert (done.returncode, "/sys: this machine is not a simulated one" in done.stderr) == (1, True)


SPLITS: list[tuple[list[str], tuple[set[str], list[str]]]] = [
    (["-r", "amdgpu"], ({"-r"}, ["amdgpu"])),
    (["-bq", "amdgpu", "noretry=1"], ({"-b", "-q"}, ["amdgpu", "noretry=1"])),
    (["--remove", "--set-version", "6.1", "amdgpu"], ({"--remove", "--set-version"}, ["amdgpu"])),
    (["-S", "6.1", "-C", "x", "amdgpu"], (set(), ["amdgpu"])),
]


@pytest.mark.parametrize(("words", "parts"), SPLITS, ids=[" ".join(words) for words, _ in SPLITS])
def test_modprobe_options(words: list[str], parts: tuple[set[str], list[str]]) -> None:
    flags, names = cli.split(words)
    assert (flags - {"--set-version"}, names) == (parts[0] - {"--set-version"}, parts[1])


def test_rmmod_of_what_is_not_loaded(tmp_path: Path) -> None:
    state = tmp_path / "state"
    call(state, "create", "--product", "mi210")
    done = call(state, "amdgpu", name="rmmod")
    assert (done.returncode, "Module amdgpu is not currently loaded" in done.stderr) == (1, True)


def test_modprobe_unloads(tmp_path: Path) -> None:
    state = tmp_path / "state"
    call(state, "create", "--product", "mi210", "--loaded", "6.14.14")
    call(state, "fault", "busy", "pid=4194999")
    busy = call(state, "-r", "amdgpu", name="modprobe")
    assert (busy.returncode, busy.stderr) == (1, "modprobe: FATAL: Module amdgpu is in use.\n")
    call(state, "heal", "busy")
    assert call(state, "-r", "amdgpu", name="modprobe").returncode == 0
    assert json.loads(call(state, "show", "--json").stdout)["driver"]["loaded"] is False


@pytest.fixture(scope="session")
def preload(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The preloaded library, and the file that it reads."""
    folder = tmp_path_factory.mktemp("uname")
    told = folder / "osrelease"
    subprocess.run(["cc", "-Wall", "-Werror", "-shared", "-fPIC", f'-DRELEASE="{told}"', "-o", str(folder / "libuname.so"), str(NODE / "uname.c")],
                   check=True)  # fmt: skip
    return folder / "libuname.so", told


@pytest.mark.parametrize(
    ("text", "release"),
    [("6.12.117+deb12-amd64\n", "6.12.117+deb12-amd64"), ("6.1.0", "6.1.0"), (None, os.uname().release)],
)
def test_uname_tells_the_kernel_of_the_node(text: str | None, release: str, preload: tuple[Path, Path]) -> None:
    library, told = preload
    told.unlink(missing_ok=True)
    if text is not None:
        told.write_text(text, encoding="utf-8")
    done = subprocess.run(
        ["uname", "-r"], env={**os.environ, "LD_PRELOAD": str(library)}, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == release
