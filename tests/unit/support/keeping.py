# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node with apt, its lists and its cache, and a repository to fetch from, for tests of what a node keeps."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import typing as t
from pathlib import Path
from unittest import mock

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act import (
    apt_lists,
    offers,
    partial_mirror,
    progress,
    snapshot_store,
    snapshots,
)
from ansible_collections.instinct.fleet.plugins.module_utils._act.process import Done
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import InstalledKernel, Kernel
from ansible_collections.instinct.fleet.tests.unit.plugins.owners import Owners

URI, KERNEL = "https://repo/amdgpu/30.10.2", "6.1.0-56-amd64"
INSTALLED = {"amdgpu-dkms": "1:6.14", "rocm-core": "7.0.2.70002-56~22.04", "bash": "5.2"}


def content(name: str) -> bytes:
    return f"archive of {name}\n".encode()


class Node:
    """A node with apt, its lists and its cache, and a repository to fetch from."""

    def __init__(self, root: Path) -> None:
        self.root, self.lists = root, root / "lists"
        self.installed, self.state = dict(INSTALLED), "installed"
        self.offered: dict[str, bytes] = {name: content(name) for name in ("amdgpu-dkms", "rocm-core", "newer")}
        self.fetched: list[str] = []
        self.now, self.ends, self.reachable, self.asked = 0, dict[str, Done](), False, list[str]()
        self.record("rocm-7.0.2")
        for folder in ("lists", "archives", "etc"):
            (root / folder).mkdir()
        (root / "etc/sources").write_text(f"URIs: {URI}\nSigned-By: {root}/etc/key.gpg\n")
        (root / "etc/key.gpg").write_bytes(b"key")
        self.index()

    @contextlib.contextmanager
    def view(self, files: t.Any, keys: t.Any) -> t.Iterator[t.Any]:
        """A private copy of apt's settings and lists, in which the repository is asked if it can be."""
        self.asked = [file["path"] for file in files]
        if self.reachable:
            self.index()
        yield mock.Mock(refresh=lambda timeout: "" if self.reachable else "Could not connect", for_all=contextlib.nullcontext)
        (self.lists / "x_Packages").unlink(missing_ok=True)

    def record(self, release: str, **driver: str) -> None:
        """The node records a release."""
        packages = driver or {"amdgpu-dkms": "1:6.14"}
        data = {"version": "v2", "release": release, "kernel": None, "rocm": "7.0.2", "held": [], "variables": {},
                "driver": {"source": "dkms", "release": "30.10.2", "packages": packages}}
        (self.root / "release.json").write_text(json.dumps(data))

    def index(self, **change: str) -> None:
        """The lists that apt has of the repository."""
        stanzas = [{"Package": name, "Version": INSTALLED.get(name, "9"), "Architecture": "amd64", "Filename": f"pool/{name}.deb",
                    "Size": str(len(data)), "SHA256": hashlib.sha256(data).hexdigest(), **change} for name, data in self.offered.items()]
        text = "\n".join("".join(f"{key}: {value}\n" for key, value in stanza.items()) for stanza in stanzas)
        (self.lists / "x_Packages").write_text(text)
        digest = hashlib.sha256(text.encode()).hexdigest()
        (self.lists / "x_InRelease").write_text(f"SHA256:\n {digest} {len(text)} Packages\n")

    def run(self, argv: t.Sequence[str], timeout: float, cwd: str = "/", **environment: str) -> Done:
        """As apt and dpkg answer."""
        if argv[0] in self.ends:
            return self.ends[argv[0]]
        if argv[0] == apt_lists.HELPER:
            return Done(0, gzip.decompress(Path(argv[2]).read_bytes()).decode(), "", 0)
        if argv[0] == "dpkg-query":
            return Done(0, "".join(f"Package: {n}\nStatus: install ok {self.state}\nArchitecture: amd64\nVersion: {v}\n\n"
                                   for n, v in self.installed.items()), "", 0)
        if argv[1] == "indextargets":
            return Done(0, f"{self.root}/etc/sources:1\t{URI}/\t./\tPackages\t{self.lists}/x_Packages\n", "", 0)
        assert argv[:5] == ["apt-get", "-q", "-o", "APT::Sandbox::User=root", "download"]
        for asked in argv[5:]:
            name = asked.partition("=")[0]
            self.fetched.append(name)
            if name in self.offered:
                (Path(cwd) / name).write_bytes(self.offered[name])
        return Done(0, "", "E: it is gone. Sorry", 0)

    def clock(self) -> str:
        self.now += 1
        return f"2026-11-30T06:45:{self.now:02d}+00:00"


def simulated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Node:
    """A node for modules to work on, instead of this machine."""
    Owners(monkeypatch)
    made = Node(tmp_path)
    here = Kernel(running=KERNEL, installed=(InstalledKernel(KERNEL, "/boot/x", "y", True, True),))
    for where, name, value in (
        (apt_lists, "run", made.run), (apt_lists, "view", made.view), (apt_lists, "ETC", f"{tmp_path}/etc"),
        (offers, "LISTS", f"{tmp_path}/lists"),
        (snapshots, "run", made.run), (partial_mirror, "run", made.run), (partial_mirror, "ARCHIVES", f"{tmp_path}/archives"),
        (snapshot_store, "PLACE", f"{tmp_path}/kept"), (snapshots, "RECORD", f"{tmp_path}/release.json"), (snapshots, "APT", __file__),
        (snapshots.managed, "AMDGPU_SOURCES", f"{tmp_path}/etc/sources"), (snapshots.managed, "ROCM_SOURCES", f"{tmp_path}/etc/none"),
        (snapshots.kernel, "read", lambda machine: here), (snapshots, "await_packages", lambda timeout: None), (progress, "now", made.clock),
    ):
        monkeypatch.setattr(where, name, value)
    return made
