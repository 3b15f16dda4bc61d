# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Podman and Docker of a fabricated node, and what they read."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.runtime import DOCKER, PODMAN
from ansible_collections.instinct.fleet.plugins.module_utils._image import runtime
from ansible_collections.instinct.fleet.plugins.module_utils._node.command import Ran
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree

FOLDER = "/etc/containers/containers.conf.d"


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tree:
    found = Tree(tmp_path)
    monkeypatch.setattr(runtime, "Machine", lambda _root: found.machine())
    return found


def test_files_come_in_the_order_in_which_podman_reads_them(tree: Tree) -> None:
    tree.fill({"/usr/bin/podman": "", PODMAN: "ours", f"{FOLDER}/20-b.conf": "b", f"{FOLDER}/10-a.conf": "a", f"{FOLDER}/note": "",
               "/etc/containers/containers.conf": "site", "/usr/share/containers/containers.conf": "vendor", DOCKER: "{}"})
    found = runtime.seen()
    assert (found.podman, found.docker, [text for _path, text in found.others]) == (True, None, ["vendor", "site", "a", "b"])
    assert {path: seen.content for path, seen in found.files.items() if seen.kind == "file"} == {PODMAN: b"ours", DOCKER: b"{}"}


def test_docker_says_its_version(tree: Tree) -> None:
    tree.write("/usr/sbin/dockerd")
    tree.commands["dockerd --version"] = Ran(0, "Docker version 28.3.1, build 5beb93d\n", "")
    assert (runtime.seen().podman, runtime.seen().docker) == (False, 28)
    tree.commands["dockerd --version"] = None
    with pytest.raises(FleetError, match="this node: "):
        runtime.seen()
