# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Images for tests: a definition with everything in it, what it becomes, and a key for its repository."""

from __future__ import annotations

import copy
import dataclasses as dc
import typing as t

from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.pgp import armour
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.definition import Definition
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.release_packages import Released
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.resolve import Site, resolve
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.shape import Image, Parent, Repository, Wants
from ansible_collections.instinct.fleet.plugins.module_utils._core.strict import Reader
from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT

DATA = ROOT / "roles/rocm_image/files/images"
FILES = sorted(path.name for path in DATA.glob("*.yml"))
A, B = "sha256:" + "a" * 64, "sha256:" + "b" * 64
BASE = f"docker.io/library/debian@{A}"
# A version 4 key packet with made-up material, and its fingerprint by sha1sum over 0x99, length and body.
KEY = armour(b"\xc6\x0a\x04\x5e\x0b\xe1\x00\x16ours").decode()
FINGERPRINT = "1E160F69F8540A3F4470B2ACA745ED0C61A9C550"
RECORD: dict[str, t.Any] = {
    "version": "v1", "kind": "image", "name": "site", "os": {"id": "debian", "version": "12"}, "parent": {"image": BASE},
    "source": "https://git.example.org/images",
    "layers": [
        {"name": "application", "parent": "rocm", "run": ["echo done > /srv/done"], "environment": {"PAGER": 'a "b" $c \\'},
         "files": [{"source": "/srv/model.bin", "digest": B, "path": "/opt/model.bin", "mode": "0755"}]},
        {"name": "base", "packages": ["libibverbs1=44.0-2", "ibverbs-providers=44.0-2"], "budget_mib": 64,
         "repositories": [{"name": "site", "uri": "http://repo.example.org/apt", "suite": "./", "key": "site.asc",
                           "fingerprint": FINGERPRINT.lower()}]},
        {"name": "rocm", "parent": "base", "from": "release.rocm", "packages": ["rocminfo=1.0.0.70002-56~22.04"]},
    ],
}
# A layer of all that is no package of the system.
FRAMEWORK: dict[str, t.Any] = {
    "name": "framework", "copy": [{"image": f"quay.io/site/rdma@{B}", "paths": ["/usr/lib/libx.so.1", "/opt/rdma"]}],
    "python": {"packages": [{"name": "Tiny.Grad", "version": "0.12.0", "hashes": [A, B]}, {"name": "numpy", "version": "2.1.0", "hashes": [A]}],
               "venv": "/opt/venv", "interpreter": "/usr/bin/python3.12", "index": "https://mirror.example.org/simple"},
}
RELEASED = Released("rocm-7.0.2", "7.0.2", "*.70002-*", Repository(
    "rocm", "Types: deb\nURIs: https://repo.radeon.com/rocm/apt/7.0.2\nSuites: jammy\nComponents: main\n", "", "C" * 40,
    "https://repo.radeon.com/rocm/rocm.gpg.key"))
WANTS = Wants("rocm-7.0.2", "", ("gfx942", "gfx90a"), 1200, {"mlx5": 1, "bnxt_re": 1}, "x86_64")
SITE = Site(None, {"site.asc": KEY}, RELEASED, WANTS)


def record(**changes: t.Any) -> dict[str, t.Any]:
    """The definition with other values."""
    return {**copy.deepcopy(RECORD), **changes}


def definition(**changes: t.Any) -> Definition:
    """The same, read."""
    reader = Reader(record(**changes), "site.yml:")
    reader.choice("version", ("v1",))
    reader.choice("kind", ("image",))
    return Definition.read(reader)


def image(site: Site = SITE, **changes: t.Any) -> Image:
    """The same, resolved."""
    return resolve(definition(**changes), site)


IMAGE = image()
UNPACKED = dc.replace(IMAGE, parent=Parent(A, archive="/srv/base.tar"))
