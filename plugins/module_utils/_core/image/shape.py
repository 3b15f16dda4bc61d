# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What an image is to be, layer by layer, and what one is, as its tree and its configuration say."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..rdma.shape import UserSpace


@dc.dataclass(frozen=True)
class Package:
    """A package with the one version that is wanted."""

    name: str
    version: str


@dc.dataclass(frozen=True)
class Repository:
    """Where packages of a layer come from, during its build alone.

    Attributes:
        name: of its files.
        text: one deb822 stanza or one repo file, without the key.
        key: armoured public key; empty: it is fetched from ``key_url``.
        fingerprint: that the key must have, whole.
        key_url: where the builder gets the key.
    """

    name: str
    text: str
    key: str
    fingerprint: str
    key_url: str = ""


@dc.dataclass(frozen=True)
class File:
    """A file that is copied into a layer: ``source`` on the builder must have this SHA-256."""

    source: str
    digest: str
    path: str
    mode: str = "0644"


@dc.dataclass(frozen=True)
class Copy:
    """What a layer takes from another image: ``image`` by its digest, ``paths`` as they are there and will be here."""

    image: str
    paths: tuple[str, ...]


@dc.dataclass(frozen=True)
class Wheel:
    """A package of Python with the one version that is wanted. ``hashes``: of files that may bring it; empty: any."""

    name: str
    version: str
    hashes: tuple[str, ...] = ()


@dc.dataclass(frozen=True)
class Python:
    """Packages of Python, and where they go.

    Attributes:
        interpreter: that has them, or that makes ``venv``.
        venv: environment that has them; empty: the interpreter itself.
        index: that serves them.
    """

    packages: tuple[Wheel, ...]
    interpreter: str = "/usr/bin/python3"
    venv: str = ""
    index: str = "https://pypi.org/simple"


@dc.dataclass(frozen=True)
class Distribution:
    """A package of Python as it lies in a folder of a tree."""

    name: str
    version: str
    folder: str


@dc.dataclass(frozen=True)
class Parent:
    """What the lowest layer stands on: an image by digest, or a tree in an archive of the builder by its SHA-256.

    Attributes:
        image: docker.io/library/ubuntu@sha256:...; empty: an archive.
        archive: path of a tar file on the builder; empty: an image.
        digest: sha256:<64 hexadecimal digits>, of whichever it is.
    """

    digest: str
    image: str = ""
    archive: str = ""


@dc.dataclass(frozen=True)
class Layer:
    """One layer, in the order in which they are built.

    Attributes:
        name: base, rocm, rdma, framework, application, or any other.
        packages, repositories, files, copies: in the order in which they were named.
        run: commands of a shell, after packages and files.
        environment: what programs of an image with this layer need.
        budget_bytes: the most that the layer may add; 0: any.
        python: None: it has no packages of Python of its own.
    """

    name: str
    packages: tuple[Package, ...] = ()
    repositories: tuple[Repository, ...] = ()
    files: tuple[File, ...] = ()
    run: tuple[str, ...] = ()
    environment: t.Mapping[str, str] = dc.field(default_factory=dict)
    budget_bytes: int = 0
    copies: tuple[Copy, ...] = ()
    python: Python | None = None


@dc.dataclass(frozen=True)
class Wants:
    """What must be true of an image beyond its packages, wherever it is to run.

    Attributes:
        release: of the nodes; empty: none.
        rocm: version of the user space, 7.0.2; empty: the image has none.
        gfx: instruction sets of the nodes' GPUs: gfx942; empty: not asked.
        render_gid: of the nodes' group render; None: not asked.
        verbs: name of a provider to the ABI of the nodes' kernel driver: {"mlx5": 1}.
        machine: architecture of the nodes: x86_64; empty: not asked.
    """

    release: str = ""
    rocm: str = ""
    gfx: tuple[str, ...] = ()
    render_gid: int | None = None
    verbs: t.Mapping[str, int] = dc.field(default_factory=dict)
    machine: str = ""


@dc.dataclass(frozen=True)
class Image:
    """An image, resolved: nothing of it is open.

    Attributes:
        name: of the repository that its layers are tagged in, without a registry.
        os, os_version: debian, 12; as os-release of the base says.
        source: where the definition is from, for a label.
    """

    name: str
    os: str
    os_version: str
    parent: Parent
    layers: tuple[Layer, ...]
    wants: Wants = Wants()
    source: str = ""


@dc.dataclass(frozen=True)
class Contents:
    """What the tree of an image holds, read without running anything in it.

    Attributes:
        os, os_version: of os-release; None: it has none.
        machine: of its shell, else of its libraries and programs: x86_64; None: unknown.
        packages: name to installed version, of dpkg or rpm.
        python: packages of Python that are of neither.
        rdma: its user space of RDMA.
        missing: path of a library or program to the libraries that it needs and the tree lacks.
        groups: name to gid, of /etc/group.
        rocm: version of the user space; None: there is none, or ``unknown`` says why it is not told.
        gfx: instruction sets that it has code for; empty: it has none, or ``unknown`` says why it is not told.
        caches: left over of package managers, with a leading slash.
        size_bytes: of all files, each link once.
        unknown: what could not be read, to the reason; tells None from absence.
    """

    os: str | None = None
    os_version: str | None = None
    machine: str | None = None
    packages: t.Mapping[str, str] = dc.field(default_factory=dict)
    rdma: UserSpace = dc.field(default_factory=UserSpace)
    missing: t.Mapping[str, tuple[str, ...]] = dc.field(default_factory=dict)
    groups: t.Mapping[str, int] = dc.field(default_factory=dict)
    rocm: str | None = None
    gfx: tuple[str, ...] = ()
    caches: tuple[str, ...] = ()
    size_bytes: int = 0
    python: tuple[Distribution, ...] = ()
    unknown: t.Mapping[str, str] = dc.field(default_factory=dict)
