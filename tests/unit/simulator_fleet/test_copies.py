# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes that begin as another one is, with podman played by a record of what it is told."""

from __future__ import annotations

import fcntl
import json
import subprocess
from pathlib import Path

import pytest
from simhost import nodes, paths
from simhost.errors import SimError
from simhost.fleetfile import Node

MODEL = nodes.Seen(
    Node("uf-a", product="mi210", gpus=1), "localhost/instinct-sim-bookworm:1", True, "10.0.0.2", Path("/repo")
)
COPY = "localhost/instinct-sim-copy:uf-a-7"


@pytest.fixture
def told(monkeypatch, tmp_path) -> list[tuple[str, ...]]:
    """All commands of podman, where there is one node."""
    monkeypatch.setattr(paths, "cache", lambda: tmp_path)
    said: list[tuple[str, ...]] = []

    def run(*arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        said.append(arguments)
        return subprocess.CompletedProcess([], 0, f"{COPY}\n" if arguments[0] == "images" else "", "")

    monkeypatch.setattr(nodes.podman, "run", run)
    monkeypatch.setattr(nodes.time, "time_ns", lambda: 7)
    monkeypatch.setattr(nodes, "every", lambda: {"uf-a": MODEL})
    monkeypatch.setattr(nodes, "_inspected", lambda *names: {"uf-a": MODEL} if names == ("uf-a",) else {})
    monkeypatch.setattr(nodes, "make_room", lambda count, say: said.append(("room", str(count))))
    monkeypatch.setattr(nodes, "start", lambda node, image, repo: said.append(("start", node.name, image, str(repo))))
    monkeypatch.setattr(nodes, "wait", lambda name: said.append(("wait", name)))
    return said


def test_a_copy_is_what_its_model_is_but_for_the_name(told):
    up: list[str] = []
    nodes.copy("uf-a", ["uf-b", "uf-c"], up.append)
    assert told[:2] == [("room", "3"), ("commit", "--quiet", "uf-a", COPY)]
    assert sorted(told[2:]) == [("start", name, COPY, "/repo") for name in ("uf-b", "uf-c")] + [
        ("wait", "uf-b"),
        ("wait", "uf-c"),
    ]
    assert sorted(up) == ["node uf-b: up", "node uf-c: up"]


def test_the_image_stays_while_copies_are_made(told, monkeypatch):
    held: list[bool] = []

    def start(node: Node, image: str, repo: Path) -> None:
        with open(paths.cache() / "copies.lock", "w", encoding="utf-8") as handle, pytest.raises(BlockingIOError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        held.append(True)

    monkeypatch.setattr(nodes, "start", start)
    nodes.copy("uf-a", ["uf-b"], print)
    assert held == [True]


@pytest.mark.parametrize(
    ("model", "name", "words"),
    [
        ("uf-b", "uf-c", "there is no node 'uf-b'; there are uf-a"),
        ("uf-a", "uf-a", "node uf-a exists; remove it first: simfleet rm uf-a"),
        ("uf-a", "Node C", "a node's name must be like mi300x-a, not 'Node C'"),
    ],
    ids=["no such model", "a name that is taken", "no name"],
)
def test_nothing_is_made_where_it_cannot_be(told, model, name, words):
    with pytest.raises(SimError) as caught:
        nodes.copy(model, [name], print)
    assert (str(caught.value), told) == (words, [])


def test_the_image_of_copies_goes_with_the_last_of_them(told, monkeypatch):
    nodes.remove(["uf-b"])
    assert ("rmi", COPY) in told
    told.clear()
    monkeypatch.setattr(nodes, "every", lambda: {"uf-c": nodes.Seen(MODEL.node, COPY, True, "", Path("/repo"))})
    nodes.remove(["uf-b"])
    assert [words[0] for words in told] == ["rm", "images"]


def test_a_node_that_goes_while_all_are_looked_at_is_left_out(monkeypatch):
    label = {"instinct.node": '{"name": "uf-a", "image": "bookworm", "product": "mi210", "gpus": 1, "release": ""}'}
    raw = [{"Config": {"Labels": label}, "NetworkSettings": {"Networks": {"instinct-sim": {"IPAddress": "10.0.0.2"}}},
            "ImageName": MODEL.image, "State": {"Running": True}, "Mounts": [{"Destination": "/srv/repo", "Source": "/repo"}]}]
    said = {"ps": (0, "1 2\n"), "inspect": (125, json.dumps(raw))}

    def run(command: str, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        status, text = said[command]
        if check and status:
            raise SimError("no such object: 2")
        return subprocess.CompletedProcess([], status, text, "")

    monkeypatch.setattr(nodes.podman, "run", run)
    assert nodes.every() == {"uf-a": MODEL}


def test_one_node_is_asked_for_alone(monkeypatch):
    asked: list[tuple[str, ...]] = []

    def run(*words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        asked.append(words)
        return subprocess.CompletedProcess([], 0, "[]" if words[0] == "inspect" else "", "")

    monkeypatch.setattr(nodes.podman, "run", run)
    with pytest.raises(SimError, match="there is no node 'uf-a'; there are none"):
        nodes.one("uf-a")
    assert [words[:2] for words in asked] == [("inspect", "uf-a"), ("ps", "--all")]
