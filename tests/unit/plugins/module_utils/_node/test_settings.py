# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings in the files of a node: which files are searched, and what is said of those that are not."""

from __future__ import annotations

import os

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Setting, Settings
from ansible_collections.instinct.fleet.plugins.module_utils._node import settings
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree

VARIABLE = {"name": "HSA_ENABLE_SDMA", "kind": "environment"}
FILE = {"name": "/etc/rocprofiler/device_filter.conf", "kind": "file"}
ATTRIBUTE = {"name": "/sys/module/amdgpu/parameters/noretry", "kind": "sysfs"}
IOMMU = {"name": "iommu", "kind": "kernel_parameter"}
LINE = "HSA_ENABLE_SDMA=0\n"


def read(tree: Tree, *names: dict[str, str], **options: float) -> Settings:
    """The section."""
    return settings.read(tree.machine(**options), names or (VARIABLE,))


SEARCHED = [
    "/etc/environment", "/etc/environment.d/10-rocm.conf", "/etc/profile.d/rocm.sh", "/etc/profile.d/rocm.csh", "/etc/default/myapp",
    "/etc/sysconfig/slurmd", "/etc/docker/daemon.json", "/etc/slurm/prolog.sh", "/etc/slurm/prolog.d/10-gpu", "/etc/cron.d/gpu",
    "/etc/udev/rules.d/70-gpu.rules", "/etc/kubernetes/manifests/a.yaml", "/opt/app/docker-compose.yml", "/srv/app/compose.yaml",
]


@pytest.mark.parametrize("path", SEARCHED)
def test_a_file_that_is_searched(tree: Tree, path: str) -> None:
    tree.write(path, LINE)
    assert read(tree) == Settings((Setting("HSA_ENABLE_SDMA", "0", "environment", path, 1),), 1)


@pytest.mark.parametrize("path", ["/etc/profile.d/readme", "/etc/passwd", "/opt/app/data.yml", "/home/a/compose.yml", "/etc/systemd/system/readme"])
def test_a_file_that_is_not_searched(tree: Tree, path: str) -> None:
    tree.write(path, LINE)
    assert read(tree) == Settings()


@pytest.mark.parametrize(("path", "holder"), [
    ("/etc/systemd/system/train.service", "train.service"), ("/etc/systemd/system/slurmd.service.d/10-env.conf", "slurmd.service"),
    ("/etc/containers/systemd/serve.container", "serve.container"), ("/etc/containers/systemd/app/web.container", "web.container")])
def test_units_hold_their_settings(tree: Tree, path: str, holder: str) -> None:
    tree.write(path, f"[Service]\nEnvironment={LINE}")
    assert [(s.file, s.line, s.holder) for s in read(tree).settings] == [(path, 2, holder)]


def test_what_a_unit_and_a_scheduler_lead_to(tree: Tree) -> None:
    tree.fill({"/etc/systemd/system/a.service": "EnvironmentFile=-/opt/a/env\n", "/opt/a/env": LINE,
               "/etc/slurm/slurm.conf": "Prolog=/opt/slurm/prolog\n", "/opt/slurm/prolog": f"export {LINE}"})
    assert sorted((s.file, s.holder) for s in read(tree).settings) == [("/opt/a/env", "a.service"), ("/opt/slurm/prolog", None)]


def test_units_of_packages_are_not_the_operators(tree: Tree) -> None:
    tree.write("/usr/lib/systemd/system/b.service", f"Environment={LINE}")
    tree.write("/srv/units/mine.service", f"Environment={LINE}")
    tree.link("/etc/systemd/system/b.service", "/usr/lib/systemd/system/b.service")
    tree.link("/etc/systemd/system/gone.service", "/dev/null")
    tree.link("/etc/systemd/system/multi-user.target.wants/mine.service", "/srv/units/mine.service")
    tree.link("/etc/systemd/system/mine.service", "/srv/units/mine.service")
    assert [s.file for s in read(tree).settings] == ["/etc/systemd/system/mine.service"]


def test_arguments_of_this_boot_and_of_the_next(tree: Tree) -> None:
    tree.fill({"/proc/cmdline": "ro iommu=pt\n", "/etc/default/grub": "# iommu=off\nGRUB_CMDLINE_LINUX=\"quiet iommu=on\"\niommu=off\n",
               "/etc/default/grub.d/50.cfg": 'GRUB_CMDLINE_LINUX_DEFAULT="$GRUB_CMDLINE_LINUX_DEFAULT iommu"\n'})
    assert [(s.file, s.line, s.value) for s in read(tree, IOMMU).settings] == [
        ("/proc/cmdline", None, "pt"), ("/etc/default/grub", 2, "on"), ("/etc/default/grub.d/50.cfg", 1, None)]


def test_files_that_are_there(tree: Tree) -> None:
    tree.fill({FILE["name"]: "x", ATTRIBUTE["name"]: "1\n", "/etc/default/x": LINE})
    seen = read(tree, FILE, ATTRIBUTE, {"name": "/etc/none", "kind": "file"})
    assert seen.settings == (Setting(FILE["name"], None, "file", FILE["name"]), Setting(ATTRIBUTE["name"], None, "sysfs", ATTRIBUTE["name"]))


def test_nothing_is_asked_for(tree: Tree) -> None:
    tree.write("/etc/environment", LINE)
    assert settings.read(tree.machine(), ()) == Settings()


def test_no_other_value_leaves_the_node(tree: Tree) -> None:
    tree.write("/etc/default/app", f"PASSWORD=geheim\n{LINE}TOKEN=geheim\n")
    assert "geheim" not in repr(read(tree))


def test_what_is_too_much(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "_MOST_FILES", 2)
    monkeypatch.setattr(settings, "_MOST_FOUND", 1)
    tree.write("/etc/default/a", LINE * 2)
    tree.write("/etc/default/b", LINE + "x" * (300 << 10))
    tree.write("/etc/default/c", LINE)
    seen = read(tree)
    assert (len(seen.settings), seen.files) == (1, 2)
    assert seen.unknown == {"/etc/default/b": "it was searched for its first 256 KiB", "files": "2 were searched: there are more",
                            "settings": "there are 3; the first 1 are told"}


def test_what_is_no_text(tree: Tree) -> None:
    tree.write("/etc/default/binary", b"\0\1HSA_ENABLE_SDMA=0\n")
    os.mkfifo(tree.write("/etc/default/pipe").with_name("fifo"))
    tree.write("/etc/default/folder/x", LINE)
    assert read(tree) == Settings((), 2)


def test_no_time_is_left(tree: Tree) -> None:
    tree.write("/etc/environment", LINE)
    assert read(tree, timeout=0) == Settings((), 0, {"files": "0 were searched: the time of 0 s is used up"})
