# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Opening devices in a child of this process: a real one."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.verdict_proof import Account, Who
from ansible_collections.instinct.fleet.plugins.module_utils._node import opening
from ansible_collections.instinct.fleet.plugins.module_utils._node.apart import UnreadableError
from ansible_collections.instinct.fleet.plugins.module_utils._node.command import Ran
from ansible_collections.instinct.fleet.plugins.module_utils._node.machine import Machine
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree

NOBODY = Account("nobody", 65534, 65534, (65534, 4711))
WHO = Who("user", "user x of y", ("y",), NOBODY)
TAKEN = json.dumps({"uid": 65534, "gid": 65534, "groups": [65534, 4711]})


@pytest.mark.skipif(os.geteuid() != 0, reason="only root takes on the credentials of others")
def test_really() -> None:
    folder = Path("/tmp") / f"opening-{os.getpid()}"  # nobody does not come to tmp_path
    folder.mkdir(mode=0o755)
    try:
        for name, mode, group in (("own", 0o660, 4711), ("other", 0o660, 0), ("everybody", 0o666, 0), ("readable", 0o644, 0)):
            file = folder / name
            file.touch()
            file.chmod(mode)
            os.chown(file, 0, group)
        names = ("own", "other", "everybody", "readable", "none")
        said = opening.attempt(Machine(), WHO, [str(folder / name) for name in names])
        assert [said[str(folder / name)] for name in names] == ["", "EACCES", "", "EACCES", "ENOENT"]
        root = Who("root", "root", account=Account("root", 0, 0, (0,)))
        assert set(opening.attempt(Machine(), root, [str(folder / "other")]).values()) == {""}
    finally:
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()


def test_a_slice_is_joined(tree: Tree) -> None:
    line = f"systemd-run --quiet --pipe --wait --collect --slice=tenant-y.slice {sys.executable} -I -S -c {opening.PROGRAM} {TAKEN} [\"/dev/kfd\"]"
    tree.commands[line] = Ran(0, '{"/dev/kfd": "EPERM"}\n', "")
    who = Who("slice", "a service", ("y",), NOBODY, "tenant-y.slice")
    assert opening.attempt(tree.machine(), who, ["/dev/kfd"]) == {"/dev/kfd": "EPERM"}
    assert len(tree.asked) == 1


def test_a_manager_that_answers_late_is_asked_again(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    late = Ran(1, "", "Failed to query unit state: Connection timed out\n")
    answers = [late, Ran(0, '{"/dev/kfd": "EPERM"}\n', ""), late, late]
    monkeypatch.setattr(Machine, "run", lambda *_words, most: answers.pop(0))
    who = Who("slice", "a service", ("y",), NOBODY, "tenant-y.slice")
    assert opening.attempt(tree.machine(), who, ["/dev/kfd"]) == {"/dev/kfd": "EPERM"}
    with pytest.raises(UnreadableError, match="Connection timed out"):
        opening.attempt(tree.machine(), who, ["/dev/kfd"])
    assert answers == []


@pytest.mark.parametrize(("ran", "why"), [
    (Ran(1, "", "a\nFailed to connect to bus\n"), "it could not be tried: Failed to connect to bus"),
    (Ran(3, "", ""), "it could not be tried: it ends with 3")])
def test_what_cannot_be_tried(tree: Tree, ran: Ran, why: str) -> None:
    tree.commands[f"{sys.executable} -I -S -c {opening.PROGRAM} {TAKEN} []"] = ran
    with pytest.raises(UnreadableError, match=why):
        opening.attempt(tree.machine(), WHO, [])


def test_nobody_to_be(tree: Tree) -> None:
    with pytest.raises(UnreadableError, match="the node has no such user"):
        opening.attempt(tree.machine(), Who("user", "u", problem="the node has no such user"), [])


def test_account() -> None:
    found = opening.account("root")
    assert found is not None and (found.uid, found.gid, found.groups[0]) == (0, 0, 0)
    assert opening.account("no-such-user") is None


def test_cards(tree: Tree) -> None:
    for name in ("card1", "renderD129", "controlD65"):
        tree.folder(f"/sys/class/drm/renderD129/device/drm/{name}")
    assert (opening.cards(tree.machine(), "/dev/dri/renderD129"), opening.cards(tree.machine(), "/dev/dri/renderD130")) == (("/dev/dri/card1",), ())
