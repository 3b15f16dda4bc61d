# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node with engines for containers that do what they are told: a store, containers that build, and a registry."""

from __future__ import annotations

import dataclasses as dc
import hashlib
import io
import json
import os
import re
import tarfile
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act.process import Done
from ansible_collections.instinct.fleet.plugins.module_utils._core.image import labels
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.checks import Checks
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.shape import (
    Contents,
    Image,
    Layer,
    Package,
    Parent,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.shape import Provider, UserSpace
from ansible_collections.instinct.fleet.plugins.module_utils._image import build, tools
from ansible_collections.instinct.fleet.plugins.module_utils._image.build import Builder
from ansible_collections.instinct.fleet.plugins.plugin_utils import container_check_data

MLX5 = "/usr/lib/libibverbs/libmlx5-rdmav34.so"
GOOD = Contents("debian", "12", os.uname().machine, {"libibverbs1": "44.0-2"}, UserSpace("/lib/libibverbs.so.1", None, 34, (Provider("mlx5", MLX5, 1, 1, 34),)),
                size_bytes=1000)
LDD = "/lib/libibverbs.so.1:\n\tlibc.so.6 => /lib/libc.so.6 (0x1)\n" + MLX5 + ":\n\tlibc.so.6 => /lib/libc.so.6 (0x1)\n"


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def image(archive: Path, application: str = "one", **changes: t.Any) -> Image:
    """An image of two layers on a tree that is here."""
    layers = (Layer("base", (Package("libibverbs1", "44.0-2"),)), Layer("application", run=(f"echo {application}",)))
    digest = hashlib.sha256(archive.read_bytes()).hexdigest() if archive.exists() else "0" * 64
    return Image(**{"name": "duo", "os": "debian", "os_version": "12", "parent": Parent(f"sha256:{digest}", archive=str(archive)),
                    "layers": layers, **changes})


@dc.dataclass
class World:
    """Everything that the engines of the node know.

    Attributes:
        store: id -> names and labels.
        working: id -> name of containers that build, and of what they are made of.
        containers: ids of images that containers are made of.
        registry: reference -> text of the manifest.
        fails: beginning of a command -> what it prints when it fails.
        told: every command.
        meanwhile: what others do while a layer is built.
    """

    folder: Path
    store: dict[str, tuple[list[str], dict[str, str]]] = dc.field(default_factory=dict)
    working: dict[str, tuple[str, str]] = dc.field(default_factory=dict)
    containers: list[str] = dc.field(default_factory=list)
    registry: dict[str, str] = dc.field(default_factory=dict)
    fails: dict[str, str] = dc.field(default_factory=dict)
    told: list[str] = dc.field(default_factory=list)
    seen: Contents = GOOD
    ldd: str = LDD
    environment: dict[str, str] = dc.field(default_factory=dict)
    meanwhile: t.Callable[[], object] = lambda: None

    def live(self, monkeypatch: pytest.MonkeyPatch) -> World:
        """Stand in for the programs."""
        (self.folder / "base.tar").write_bytes(b"a tree")
        (self.folder / "root").mkdir()
        monkeypatch.setattr(tools, "run", self.run)
        monkeypatch.setattr(build, "contents", lambda _root, _seconds: self.seen)
        return self

    def builder(self) -> Builder:
        return Builder(tools.Tools(10), str(self.folder / "images"), Checks.from_documents(container_check_data.documents()))

    def names(self) -> list[str]:
        return sorted(name for names, _labels in self.store.values() for name in names)

    def run(self, argv: t.Sequence[str], _timeout: float, **environment: str) -> Done:
        """Do what a program would do."""
        command = " ".join(argv)
        self.told.append(command)
        self.environment = environment
        for beginning, said in self.fails.items():
            if command.startswith(beginning):
                if "--iidfile" in argv:
                    self._half(list(argv))
                return Done(125, "", said, 0, said == "slow")
        return getattr(self, f"_{argv[0]}_{argv[1]}")(list(argv[2:]))

    def _half(self, args: list[str]) -> None:
        """A build that ends where it should not leaves the container that it works in."""
        base = Path(args[args.index("--file") + 1]).read_text(encoding="utf-8").split()[1]
        self.working["half"] = (f"{base.partition(':')[0].rpartition('/')[2]}-working-container", base)

    def _buildah_build(self, args: list[str]) -> Done:
        text = Path(args[args.index("--file") + 1]).read_text(encoding="utf-8")
        base = text.split()[1]
        assert base == "scratch" or base in self.names()
        ident = sha256(text)
        self.store.setdefault(ident, ([], dict(re.findall(r'^LABEL (\S+)="(.*)"$', text, re.MULTILINE))))
        if "--iidfile" in args:
            Path(args[args.index("--iidfile") + 1]).write_text(f"sha256:{ident}", encoding="utf-8")
            self.meanwhile()
        return self._buildah_tag([ident, args[args.index("--tag") + 1]])

    def _buildah_from(self, args: list[str]) -> Done:
        self.working[f"of {args[-1]}"] = (args[args.index("--name") + 1], args[-1])
        return Done(0, "", "", 0)

    def _buildah_mount(self, _args: list[str]) -> Done:
        return Done(0, f"{self.folder}/root\n", "", 0)

    def _buildah_rm(self, args: list[str]) -> Done:
        self.working = {key: one for key, one in self.working.items() if args[0] not in (key, one[0])}
        return Done(0, "", "", 0)

    def _buildah_run(self, args: list[str]) -> Done:
        """The loader answers in a file; of what is printed the end may be lost."""
        if self.ldd.startswith("/"):
            (self.folder / f"root{args[args.index('sh') + 1]}").write_text(self.ldd, encoding="utf-8")
            return Done(1, self.ldd[:30], "", 0)
        return Done(1, "", self.ldd, 0)

    def _buildah_tag(self, args: list[str]) -> Done:
        ident = next(one for one, (names, _labels) in self.store.items() if args[0] in (one, *names))
        for names, _labels in self.store.values():
            names[:] = [name for name in names if name != args[1]]
        self.store[ident][0].append(args[1])
        return Done(0, "", "", 0)

    def _podman_untag(self, args: list[str]) -> Done:
        for names, _labels in self.store.values():
            names[:] = [name for name in names if name != args[1]]
        return Done(0, "", "", 0)

    _podman_tag = _buildah_tag

    def _buildah_containers(self, _args: list[str]) -> Done:
        working = [{"id": one, "imageid": "", "imagename": base, "containername": name} for one, (name, base) in self.working.items()]
        return Done(0, json.dumps(working or None), "", 0)

    def _podman_images(self, _args: list[str]) -> Done:
        said = [{"Id": one, "RepoTags": None, "Names": names or None, "Labels": of, "Size": 1000, "Created": 1796084738}
                for one, (names, of) in self.store.items()]
        return Done(0, json.dumps(said), "", 0)

    def _podman_ps(self, _args: list[str]) -> Done:
        return Done(0, json.dumps([{"ImageID": one} for one in self.containers]), "", 0)

    def _podman_rmi(self, args: list[str]) -> Done:
        for ident, (names, _labels) in list(self.store.items()):
            meant = bool({ident, *names} & set(args))
            names[:] = [name for name in names if name not in args and not (ident in args and len(names) == 1)]
            if meant and not names:
                del self.store[ident]
        return Done(0, "", "", 0)

    def _podman_pull(self, args: list[str]) -> Done:
        ident = json.loads(self.registry[args[-1]])["config"]["digest"].rpartition(":")[2]
        self.store.setdefault(ident, ([], {}))
        self._buildah_tag([ident, args[-1]])
        return Done(0, f"{ident}\n", "", 0)

    def _podman_save(self, args: list[str]) -> Done:
        ident = next(one for one, (names, _labels) in self.store.items() if args[-1] in names)
        pack(Path(args[args.index("--output") + 1]), ident, name=args[-1])
        return Done(0, "", "", 0)

    def _podman_load(self, args: list[str]) -> Done:
        with tarfile.open(args[-1]) as tar:
            found = [name for name in tar.getnames() if name.startswith("config-")]
            told = json.load(t.cast("t.IO[bytes]", tar.extractfile("index.json")))["manifests"][0].get("annotations", {})
        self.store.setdefault(found[0][7:], ([], {}))
        for name in told.values():
            self._buildah_tag([found[0][7:], name])
        return Done(0, f"Loaded image: sha256:{found[0][7:]}\n", "", 0)

    def _podman_image(self, args: list[str]) -> Done:
        if args[0] == "mount":
            return Done(0, f"{self.folder}/root\n", "", 0)
        found = [one for one, (names, _labels) in self.store.items() if args[-1] in names]
        return Done(0, "\n".join(found), "", 0) if found else Done(125, "", "Error: no such image", 0)

    def _skopeo_inspect(self, args: list[str]) -> Done:
        text = self.registry.get(args[-1].removeprefix("docker://"))
        return Done(0, text, "", 0) if text else Done(1, "", 'level=fatal msg="reading manifest 1 in reg: manifest unknown"', 0)

    def _skopeo_copy(self, args: list[str]) -> Done:
        with tarfile.open(args[-2].removeprefix("oci-archive:")) as tar:
            stream = tar.extractfile("blobs/sha256/" + json.load(t.cast("t.IO[bytes]", tar.extractfile("index.json")))["manifests"][0]["digest"][7:])
            text = t.cast("t.IO[bytes]", stream).read().decode()
        name = args[-1].removeprefix("docker://")
        self.registry |= {name: text, f"{name.rpartition(':')[0]}@sha256:{sha256(text)}": text}
        return Done(0, "", "", 0)


def pack(path: Path, ident: str, name: str = "", **instead: str) -> str:
    """Write an OCI archive of an image; the digest of its manifest."""
    called = {"annotations": {"org.opencontainers.image.ref.name": name}} if name else {}
    manifest = json.dumps({"schemaVersion": 2, "config": {"digest": f"sha256:{ident}"}})
    digest = sha256(manifest)
    files = {"index.json": json.dumps({"manifests": [{"digest": f"sha256:{digest}", **called}]}), f"blobs/sha256/{digest}": manifest, f"config-{ident}": "",
             **{name.replace("index", "index.json").replace("blob", f"blobs/sha256/{digest}"): text for name, text in instead.items()}}
    with tarfile.open(path, "w") as tar:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            tar.addfile(info, io.BytesIO(text.encode()))
    return f"sha256:{digest}"


def of_ours(key: str, *below: str, name: str = "duo") -> dict[str, str]:
    """Labels of an image of ours."""
    return {
        labels.KEY: key,
        labels.PREFIX + "layers.below": " ".join(below),
        labels.PREFIX + "image": name,
        labels.PREFIX + "layer": "base",
        "org.opencontainers.image.version": "1",
    }
