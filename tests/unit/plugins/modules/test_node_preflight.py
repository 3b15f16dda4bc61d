# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""node_preflight on a node of a temporary folder, with a stand-in for apt: a refusal is an answer, and nothing changes."""

from __future__ import annotations

import os
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act import dpkg_lock, offers
from ansible_collections.instinct.fleet.plugins.module_utils._act import preflight as act
from ansible_collections.instinct.fleet.plugins.module_utils._act.outcome import Outcome
from ansible_collections.instinct.fleet.plugins.module_utils._act.process import Done
from ansible_collections.instinct.fleet.plugins.module_utils._core.act.check import Check
from ansible_collections.instinct.fleet.plugins.module_utils._core.act.one_boot import Fallback
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.modules import node_preflight
from ansible_collections.instinct.fleet.tests.unit.plugins.run_module import run_module

MIB = 1024 * 1024
MADISON = "dkms | 3.0.10-8 | x bookworm/main amd64 Packages\n"
SHOWN = "Package: dkms\nVersion: 3.0.10-8\nInstalled-Size: 204800\nSize: 1048576\n"


class Node:
    """A root directory, what apt answers, and how much room each directory below it has."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.log: list[list[str]] = []
        self.free: dict[str, int] = {}
        self.ends = {"apt-cache madison": Done(0, MADISON, "", 0), "apt-cache show": Done(0, SHOWN, "", 0),
                     "apt-get install": Done(0, "Inst dkms (3.0.10-8 x [all])\n", "", 0),
                     "dpkg-query --show": Done(0, "dkms 1024\n", "", 0)}

    def run(self, argv: t.Sequence[str], timeout: float, cwd: str = "/", **environment: str) -> Done:
        self.log.append(list(argv))
        return self.ends.get(" ".join(argv[:2]), Done(0, "", "", 0))

    def room(self, path: str) -> os.statvfs_result:
        """That of the nearest directory that is told of; else plenty."""
        name = next((name for name in sorted(self.free, reverse=True) if path.startswith(f"{self.root}/{name}")), "")
        free = self.free.get(name, 10**6)
        return os.statvfs_result((4096, MIB, free + 7, free + 7, free, 0, 0, 0, os.ST_RDONLY if free == 0 else 0, 255))


@pytest.fixture
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Node:
    for folder in ("apt/apt.conf.d", "lists", "work", "root/boot", "root/run", "root/usr"):
        (tmp_path / folder).mkdir(parents=True)
    made = Node(tmp_path / "root")
    monkeypatch.setattr(act, "ROOT", str(made.root))
    monkeypatch.setattr(act.os, "statvfs", made.room)
    for module in (act, offers):
        monkeypatch.setattr(module, "run", made.run)
    for name, folder in (("ETC", "apt"), ("LISTS", "lists"), ("WORK", "work")):
        monkeypatch.setattr(offers, name, str(tmp_path / folder))
    monkeypatch.setattr(dpkg_lock, "LOCK", str(tmp_path / "lock-frontend"))
    return made


def ask(**options: t.Any) -> tuple[list[tuple[str, str]], dict[str, t.Any]]:
    """Names and verdicts of all checks, and the result."""
    result = run_module(node_preflight, options, check=True)
    return [(one["name"], one["verdict"]) for one in result.get("checks", [])], result


def test_a_node_that_has_all_of_it(node: Node) -> None:
    before = sorted(node.root.rglob("*"))
    checks, result = ask(packages=["dkms"])
    assert checks == [("package manager", "ok"), ("packages", "ok"), ("room", "ok")]
    assert (result["failed"], result["changed"], result["refusal"], len(result["rooms"])) == (False, False, "", 1)
    assert result["checks"][1]["words"] == "1 on offer"
    assert ["apt-cache", "show", "dkms=3.0.10-8"] in node.log
    assert sorted(node.root.rglob("*")) == before


def test_nothing_to_ask(node: Node) -> None:
    assert ask()[0] == [("package manager", "ok")]
    assert node.log == []


def test_what_is_not_on_offer_and_what_does_not_fit_are_both_said(node: Node) -> None:
    node.free["usr"] = 100
    (node.root / "boot/initrd.img-6.1.0-56-amd64").write_bytes(b"x" * 3 * MIB)
    (node.root / "boot/initrd.img-old").symlink_to("nowhere")
    checks, result = ask(packages=["dkms=9"], images=2, spare_mib=10**6)
    assert checks == [("package manager", "ok"), ("packages", "refused"), ("room", "refused")]
    assert "dkms 9 (there is 3.0.10-8): no repository of this node has it" in result["refusal"]
    assert "needs 1000006 MiB (6 MiB for 2 initramfs images, 1000000 MiB to stay free)" in result["refusal"]


def test_sizes_are_those_that_apt_tells_where_its_packages_lie(node: Node) -> None:
    node.free["usr"] = 199
    # 200 MiB of files of which 1 is there already, which stays while the package is replaced, and 1 of its archive.
    _checks, result = ask(packages=["dkms"], spare_mib=1)
    assert "has 199 MiB free and needs 202 MiB (200 MiB for packages, 1 MiB for their archives, 1 MiB to stay free)" in result["refusal"]
    node.free["opt"] = 10**6
    (node.root / "opt").mkdir()
    assert ask(packages=["dkms"], places=[{"pattern": "dk", "directory": "/opt"}])[1]["refusal"] == ""


def test_where_the_manager_is_half_done_the_packages_are_asked_one_by_one(node: Node) -> None:
    _checks, result = ask(packages=["dkms"], together=False)
    assert result["checks"][1]["words"] == "1 on offer"
    assert not any(argv[:2] == ["apt-get", "install"] for argv in node.log)


def test_a_package_without_a_size_is_said(node: Node) -> None:
    node.ends["apt-cache show"] = Done(0, "", "", 0)
    assert ask(packages=["dkms"])[1]["checks"][1]["words"] == "1 on offer, 1 of which do not tell how large they are"


def test_removals_alone_need_no_room(node: Node) -> None:
    checks, _result = ask(removals=["dkms"])
    assert checks == [("package manager", "ok"), ("packages", "ok")]
    assert not any(argv[:2] == ["apt-cache", "show"] for argv in node.log)


def test_what_is_assumed_does_not_refuse(node: Node) -> None:
    node.free["var"] = 100
    (node.root / "var").mkdir()
    need = {"directory": "/var/lib/dkms", "mib": 1024, "what": "the build of the driver", "assumed": True}
    checks, result = ask(needs=[need], images=1, image_mib=5)
    assert (checks[1], result["refusal"]) == (("room", "unknown"), "")
    assert "1024 MiB for the build of the driver (assumed)" in result["checks"][1]["words"]
    node.free["boot"] = 3
    checks, result = ask(images=1, image_mib=5)
    assert (checks[1], result["refusal"]) == (("room", "unknown"), "")
    assert "5 MiB for 1 initramfs image (assumed)" in result["checks"][1]["words"]


def test_another_process_that_works_on_packages_is_named(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(timeout: float) -> None:
        raise FleetError("/lock", f"process 7 (apt) works on packages (waited {timeout:.0f} s)")

    monkeypatch.setattr(act, "await_packages", busy)
    _checks, result = ask(lock_timeout=3)
    assert result["refusal"] == "/lock: process 7 (apt) works on packages (waited 3 s)"


@pytest.mark.parametrize(("content", "verdict"), [
    ("{pid}", "refused"), ("4194305", "ok"), ("", "ok"), ("x", "ok")])
def test_zypper_that_is_at_work_is_named_and_cannot_be_asked(node: Node, content: str, verdict: str) -> None:
    (node.root / "run/zypp.pid").write_text(content.format(pid=os.getpid()))
    checks, result = ask(manager="zypper", packages=["kernel-default"])
    assert checks == [("package manager", verdict), ("packages", "unknown")]
    assert result["checks"][1]["words"] == "zypper cannot be asked before its repositories are written"
    if verdict == "refused":
        assert f"zypp.pid: process {os.getpid()} (" in result["refusal"]


class Keeping:
    """A snapshot in check mode, and how it was asked for."""

    def __init__(self, ending: Outcome | Exception) -> None:
        self.ending, self.asked = ending, (False, 0.0, 0.0)

    def take(self, check: bool, timeout: float, lock_timeout: float) -> Outcome:
        self.asked = (check, timeout, lock_timeout)
        if isinstance(self.ending, Exception):
            raise self.ending
        return self.ending


def test_what_a_snapshot_takes_must_fit_besides(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    found = Keeping(Outcome(("keep",), values={"id": "x", "room": MIB + 1, "fetch": [], "notes": [], "kept": {}, "packages": 9}))
    monkeypatch.setattr(act, "snapshots", found)
    checks, result = ask(snapshot=True, timeout=8, lock_timeout=9, spare_mib=10**6)
    assert (found.asked, checks, result["changed"]) == ((True, 8, 9), [("package manager", "ok"), ("room", "refused")], False)
    assert result["snapshot"] == {"id": "x", "room": MIB + 1, "fetch": [], "notes": []}
    assert "(2 MiB for the snapshot, 1000000 MiB to stay free)" in result["refusal"]
    assert "snapshot" not in ask()[1]


@pytest.mark.parametrize(("error", "words"), [
    (FleetError("record", "is not there"), "record: is not there"),
    (OSError(28, "No space left on device", "/x"), "/x: No space left on device; make room there, then run again")])
def test_why_nothing_can_be_kept_is_told_and_all_else_is_asked(
    node: Node, monkeypatch: pytest.MonkeyPatch, error: Exception, words: str,
) -> None:
    monkeypatch.setattr(act, "snapshots", Keeping(error))
    checks, result = ask(snapshot=True, packages=["dkms"])
    assert result["snapshot"] == {"failed": True, "msg": words}
    assert checks == [("package manager", "ok"), ("packages", "ok"), ("room", "ok")]


def test_a_lock_that_was_waited_for_in_vain_is_not_waited_for_again(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(timeout: float) -> None:
        raise FleetError("/lock", "process 7 (apt) works on packages")

    found = Keeping(Outcome())
    monkeypatch.setattr(act, "snapshots", found)
    monkeypatch.setattr(act, "await_packages", busy)
    assert (ask(snapshot=True, lock_timeout=9)[0], found.asked[2]) == ([("package manager", "refused")], 0)


def test_a_boot_that_nothing_follows_is_told(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[t.Any, ...]] = []
    monkeypatch.setattr(act.choice, "asked", lambda *given: asked.append(given) or Fallback(False, "RAID", "", "it stays"))
    result = ask(boot={"next": "6.1.0-57", "default": "6.1.0-56", "fallback": "require"}, timeout=8)[1]
    assert asked == [("6.1.0-57", "6.1.0-56", "require", 8)]
    assert result["boot"] == {"fallback": {"once": False, "why": "RAID", "panic": "", "words": "it stays"}}
    monkeypatch.setattr(act.choice, "asked", lambda *given: None)
    assert ask(boot={"next": "a", "default": "b"})[1]["boot"] == {"fallback": None}
    assert "../x" in ask(boot={"next": "../x", "default": "b"})[1]["msg"]


def test_what_is_no_package_is_one_sentence(node: Node) -> None:
    assert ask(packages=["a b"])[1]["msg"] == "packages: 'a b' is not a package name or name=version"


def test_verdicts_are_words_of_the_core() -> None:
    assert Check("a", "ok", "b").to_dict() == {"name": "a", "verdict": "ok", "words": "b"}
