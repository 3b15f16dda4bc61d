# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""node_snapshot on real files with a stand-in for apt: whole or not at all, foreseen in check mode, taken once."""

from __future__ import annotations

import gzip
import os
import typing as t
from pathlib import Path
from unittest import mock

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act import (
    apt_lists,
    partial_mirror,
    snapshot_store,
    snapshots,
)
from ansible_collections.instinct.fleet.plugins.module_utils._act.process import Done
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import InstalledKernel, Kernel
from ansible_collections.instinct.fleet.plugins.modules import node_snapshot, node_snapshot_info
from ansible_collections.instinct.fleet.tests.unit.plugins.run_module import run_module
from ansible_collections.instinct.fleet.tests.unit.support.keeping import KERNEL, URI, Node, content, simulated


@pytest.fixture
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Node:
    return simulated(tmp_path, monkeypatch)


def run(check: bool = False, **args: t.Any) -> dict[str, t.Any]:
    return run_module(node_snapshot, args, check)


def info(**args: t.Any) -> dict[str, t.Any]:
    return run_module(node_snapshot_info, args)


def tree(node: Node) -> list[str]:
    root = node.root / "kept"
    return sorted(str(p.relative_to(root)) for p in root.rglob("*") if p.is_file()) if root.exists() else []


def test_it_is_foreseen_taken_and_not_taken_again(node: Node) -> None:
    planned = run(check=True)
    assert (planned["changed"], planned["fetch"], planned["kept"], tree(node)) == (
        True, ["amdgpu-dkms=1:6.14", "rocm-core=7.0.2.70002-56~22.04"], {}, [])
    made = run()
    name = made["id"]
    assert name == "20261130T064502Z-rocm-7.0.2" and made["actions"] == [f"keep what rocm-7.0.2 is on this node as {name}"]
    assert tree(node) == [f"mirror/{name}/{path}" for path in (
        "https_repo_amdgpu_30.10.2/InRelease", "https_repo_amdgpu_30.10.2/Packages", "https_repo_amdgpu_30.10.2/pool/amdgpu-dkms.deb",
        "https_repo_amdgpu_30.10.2/pool/rocm-core.deb", "keys/0-key.gpg")] + [f"snapshots/{name}.json"]
    assert made["kept"]["mirrors"] == {URI: f"copy:///var/lib/instinct/kept/mirror/{name}/https_repo_amdgpu_30.10.2"}
    assert (made["packages"], made["room"], made["kernel"]) == (2, planned["room"], KERNEL)
    for check in (True, False):
        again = run(check=check)
        assert (again["changed"], again["id"], again["room"], again["fetch"]) == (False, name, 0, [])
    modes = {path: (node.root / "kept" / path).stat().st_mode & 0o777 for path in ("", f"mirror/{name}", f"snapshots/{name}.json")}
    assert modes == {"": 0o700, f"mirror/{name}": 0o700, f"snapshots/{name}.json": 0o600}


def test_archives_that_are_there_are_linked_and_take_no_room(node: Node) -> None:
    cached = node.root / "archives/amdgpu-dkms_1%3a6.14_amd64.deb"
    cached.write_bytes(content("amdgpu-dkms"))
    assert run(check=True)["fetch"] == ["rocm-core=7.0.2.70002-56~22.04"]
    made = run()
    assert node.fetched == ["rocm-core"]
    (link,) = (node.root / "kept").rglob("amdgpu-dkms.deb")
    assert link.stat().st_ino == cached.stat().st_ino and made["room"] < sum(f.size for f in snapshot_store.all_of_them()[0].files)
    node.record("rocm-7.0.3")
    assert run()["id"] != made["id"] and node.fetched == ["rocm-core"]


def test_archives_are_read_when_they_are_kept_and_not_before(node: Node) -> None:
    (node.root / "archives/amdgpu-dkms_1%3a6.14_amd64.deb").write_bytes(content("amdgpu-dkmz"))
    with mock.patch.object(snapshot_store, "sha256", wraps=snapshot_store.sha256) as reads:
        assert run(check=True)["fetch"] == ["rocm-core=7.0.2.70002-56~22.04"] and not reads.called
        run()
    assert node.fetched == ["amdgpu-dkms", "rocm-core"] and reads.called


def test_the_newest_two_stay_and_the_last_one_is_what_the_node_is(node: Node) -> None:
    names = []
    for release in ("a", "b", "c"):
        node.record(release)
        names.append(run()["id"])
    (node.root / "kept/mirror/.new-left").mkdir()
    node.record("b")
    again = run()
    assert again["actions"] == [f"make {names[1]} the newest snapshot"] and run()["changed"] is False
    assert [s["release"] for s in info()["snapshots"]] == ["b", "c"]
    node.record("d")
    assert [s["release"] for s in run()["snapshots"]] == ["d", "b"]
    assert sorted(os.listdir(node.root / "kept/mirror")) == sorted(s.id for s in snapshot_store.all_of_them())


def test_the_last_one_is_the_newest_though_the_clock_was_set_back(node: Node) -> None:
    for release, clock in (("a", 40), ("b", 50), ("c", 0), ("b", 10), ("d", 50)):
        node.now = clock
        node.record(release)
        name = run()["id"]
        assert name == info()["id"] and info()["release"] == release
    assert [s["release"] for s in info()["snapshots"]] == ["d", "b"]


@pytest.mark.parametrize("cut", ["write", "link"])
def test_what_was_cut_off_is_no_snapshot(node: Node, monkeypatch: pytest.MonkeyPatch, cut: str) -> None:
    def off(*_args: t.Any, **_options: t.Any) -> t.NoReturn:
        raise FleetError("power", "is gone")

    with monkeypatch.context() as patch:
        patch.setattr(*((snapshot_store, "write", off) if cut == "write" else (partial_mirror, "_archive", off)))
        assert run()["failed"] is True
    assert not (node.root / "kept/snapshots").exists() and info()["failed"] is True
    name = run()["id"]
    assert os.listdir(node.root / "kept/mirror") == [name]


def test_a_snapshot_that_is_damaged_is_refused_and_taken_anew(node: Node) -> None:
    name = run()["id"]
    (path,) = (node.root / "kept").rglob("rocm-core.deb")
    path.write_bytes(content("rocm-cora"))
    assert info(id=name)["failed"] is False
    refused = info(id=name, verify=True)
    assert refused["msg"].startswith(f"snapshot {name}: is damaged: https_repo_amdgpu_30.10.2/pool/rocm-core.deb is not what was kept")
    assert run()["id"] != name and info(verify=True)["failed"] is False


def test_without_apt_the_record_is_kept_and_packages_are_not(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "APT", f"{node.root}/none")
    assert run(check=True)["notes"] == [snapshots.NOT_KEPT] and tree(node) == []
    made = run()
    assert (made["packages"], made["kept"]["mirrors"], tree(node)) == (0, {}, [f"snapshots/{made['id']}.json"])


def _no_record(node: Node) -> None:
    (node.root / "release.json").unlink()


def _moved(node: Node) -> None:
    node.installed["amdgpu-dkms"] = "1:6.16"


def _broken(node: Node) -> None:
    node.state = "half-configured"


def _not_offered(node: Node) -> None:
    del node.offered["rocm-core"]
    node.index()


def _no_lists(node: Node) -> None:
    (node.lists / "x_Packages").unlink()


def _other_list(node: Node) -> None:
    (node.lists / "x_InRelease").write_text("SHA256:\n " + "0" * 64 + " 1 Packages\n")


def _huge(node: Node) -> None:
    node.index(Size=str(1 << 60))


REFUSED = [
    (_no_record, "release.json: is not there, so what this node is cannot be kept"),
    (_moved, "amdgpu-dkms: is 1:6.16, and the node recorded 1:6.14 with rocm-7.0.2"),
    (_broken, "amdgpu-dkms, bash, rocm-core: are half installed"),
    (_not_offered, "rocm-core 7.0.2.70002-56~22.04: is installed and on offer in no source of the release"),
    (_no_lists, "is in none of apt's lists, so what is installed from it cannot be kept: Could not connect; let the node see"),
    (_other_list, "is not the list that its Release file tells of"),
    (_huge, "MiB left, and to keep what is installed takes"),
]


@pytest.mark.parametrize(("harm", "said"), REFUSED, ids=[row[0].__name__ for row in REFUSED])
def test_what_cannot_be_kept_is_refused_in_check_mode_too(node: Node, harm: t.Callable[[Node], None], said: str) -> None:
    harm(node)
    assert [said in run(check=check)["msg"] for check in (True, False)] == [True, True] and tree(node) == []


def test_an_archive_that_is_another_one_is_not_kept(node: Node) -> None:
    node.offered["rocm-core"] = b"another\n"
    assert run()["msg"] == ("rocm-core=7.0.2.70002-56~22.04: cannot be fetched as the list of packages tells of it: it is gone; "
                            "check the mirror; nothing was changed")
    assert tree(node) == [] and os.listdir(node.root / "kept/mirror") == []


@pytest.mark.parametrize(("installed", "said"), [
    ((), "image and headers are not installed"), ((InstalledKernel(KERNEL, "/boot/x", "y", False, True),), "headers are not installed"),
])
def test_the_kernel_to_go_back_to_must_be_there(node: Node, monkeypatch: pytest.MonkeyPatch, installed: tuple, said: str) -> None:
    monkeypatch.setattr(snapshots.kernel, "read", lambda machine: Kernel(running=KERNEL, installed=installed))
    assert said in run()["msg"]
    monkeypatch.setattr(snapshots.kernel, "read", lambda machine: Kernel())
    assert run()["failure"]["where"] == "kernel"


def test_lists_that_apt_keeps_compressed_are_kept_as_they_are_signed(node: Node) -> None:
    path = node.lists / "x_Packages"
    plain = path.read_bytes()
    (node.lists / "x_Packages.gz").write_bytes(gzip.compress(plain))
    path.unlink()
    run()
    (found,) = (node.root / "kept").rglob("Packages")
    assert found.read_bytes() == plain


@pytest.mark.parametrize("torn", [False, True], ids=["never had", "not whole"])
def test_lists_that_apt_has_not_are_fetched_for_this_alone(node: Node, torn: bool) -> None:
    (node.lists / "x_Packages").unlink()
    if torn:
        (node.lists / "x_Packages").touch()
    (node.root / "etc/sources.list.d").mkdir()
    (node.root / "etc/sources.list.d/other.list").touch()
    node.reachable = True
    assert run(check=True)["failed"] is False and len(node.asked) == 2
    assert (run()["packages"], node.asked) == (2, [f"{node.root}/etc/sources.list", f"{node.root}/etc/sources.list.d/other.list"])


def test_another_file_system_costs_room(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    def across(source: str, path: str) -> t.NoReturn:
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr(os, "link", across)
    assert run()["packages"] == 2 and info(verify=True)["failed"] is False


ENDS = [
    ("apt-get", Done(100, "", "E: The list of sources could not be read.", 0), "apt-get indextargets: The list of sources could not be read"),
    ("dpkg-query", Done(2, "", "broken", 0), "dpkg-query: ended with 2: broken; repair dpkg first"),
    (apt_lists.HELPER, Done(1, "", "E: no such file", 0), "x_Packages.gz: cannot be read: no such file; refresh the lists of apt"),
]


@pytest.mark.parametrize(("program", "end", "said"), ENDS, ids=["apt", "dpkg", "apt-helper"])
def test_programs_that_fail_are_told_of(node: Node, program: str, end: Done, said: str) -> None:
    (node.lists / "x_Packages").rename(node.lists / "x_Packages.gz")
    node.ends[program] = end
    assert said in run()["msg"] and tree(node) == []


def test_apt_may_not_take_for_ever(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = node.run
    monkeypatch.setattr(partial_mirror, "run", lambda argv, *args, **more: Done(-9, "", "", 9, True) if "download" in argv else ran(argv, *args, **more))
    assert run(timeout=9)["msg"].startswith("apt-get download: did not end within 9 s") and tree(node) == []
