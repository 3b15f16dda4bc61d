# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""module_blacklist on files below a folder."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act import lock
from ansible_collections.instinct.fleet.plugins.module_utils._node.machine import Machine
from ansible_collections.instinct.fleet.plugins.modules import module_blacklist
from ansible_collections.instinct.fleet.tests.unit.plugins.run_module import run_module

LINE = "take blacklist amdgpu out of "


@pytest.fixture
def etc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that stands in for /etc/modprobe.d; another one is a package's."""
    (tmp_path / "etc").mkdir()
    (tmp_path / "usr").mkdir()
    real = module_blacklist.blacklists

    def below(machine: Machine, notes: t.Any, name: str) -> t.Iterator[tuple[str, str]]:
        for path, line in real(Machine(str(tmp_path)), notes, name):
            yield str(tmp_path / path.removesuffix("/").replace("/etc/modprobe.d", "etc").replace(
                "/usr/lib/modprobe.d", "usr").lstrip("/")), line

    for name, target in (("etc/modprobe.d", "../etc"), ("usr/lib/modprobe.d", "../../usr")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).symlink_to(target)
    monkeypatch.setattr(module_blacklist, "blacklists", below)
    monkeypatch.setattr(module_blacklist, "ETC", str(tmp_path / "etc"))
    monkeypatch.setattr(lock, "LOCK", str(tmp_path / "lock"))
    return tmp_path / "etc"


def test_lines_go_and_everything_else_stays(etc: Path) -> None:
    file = etc / "gpu.conf"
    file.write_text("# why\nblacklist amdgpu\nblacklist radeon\n")
    assert run_module(module_blacklist, {}, check=True)["actions"] == [f"{LINE}{file}"]
    assert "amdgpu" in file.read_text()
    result = run_module(module_blacklist, {})
    assert (result["failed"], result["actions"]) == (False, [f"{LINE}{file}"])
    assert file.read_text() == "# why\nblacklist radeon\n"
    assert run_module(module_blacklist, {})["changed"] is False


def test_a_file_of_a_package_is_hidden_and_stays_as_it_is(etc: Path) -> None:
    file = etc.parent / "usr/gpu.conf"
    file.write_text("install amdgpu /bin/false\noptions amdgpu noretry=0\n")
    assert run_module(module_blacklist, {})["changed"] is True
    assert (etc / "gpu.conf").read_text() == "options amdgpu noretry=0\n"
    assert "install" in file.read_text()
    assert run_module(module_blacklist, {})["changed"] is False


def test_another_module_is_another_matter(etc: Path) -> None:
    (etc / "gpu.conf").write_text("blacklist radeon\n")
    assert run_module(module_blacklist, {})["changed"] is False
    assert run_module(module_blacklist, {"name": "radeon"})["changed"] is True
