# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The catalogue of this collection, looks to hold against it, and ways to change it."""

from __future__ import annotations

import copy
import functools
import pathlib
from typing import Any

import yaml

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import (
    Gpu,
    Gpus,
    InstalledKernel,
    Kernel,
    Look,
    Os,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.catalogue import Catalogue
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.resolve import Policy, Resolved, resolve

ROOT = pathlib.Path(__file__).resolve().parents[3]
CATALOGUE = ROOT / "roles/gpu_release/files/catalogue"
BOOKWORM = "6.1.0-56-amd64"


@functools.cache
def _documents() -> dict[str, Any]:
    paths = sorted(CATALOGUE.rglob("*.yml"))
    return {str(path.relative_to(CATALOGUE)): yaml.safe_load(path.read_text()) for path in paths}


def document(path: str) -> dict[str, Any]:
    """A copy of one file of the catalogue."""
    return copy.deepcopy(_documents()[path])


def catalogue(*later: dict[str, Any]) -> Catalogue:
    """The catalogue, with the files of a site on top."""
    files = [{"path": path, "data": data} for path, data in _documents().items()]
    return Catalogue.from_dict({"files": [*files, *({"path": "site.yml", "data": data} for data in later)]})


@functools.cache
def own() -> Catalogue:
    """The catalogue as it is."""
    return catalogue()


def look(
    os: str = "debian 12",
    kernel: str | None = BOOKWORM,
    installed: tuple[str, ...] = (BOOKWORM,),
    gpus: tuple[str, ...] = ("74a1",),
    market_name: str | None = None,
) -> Look:
    """A look at a node. ``os`` is id and version; a point release goes with its version."""
    os_id, point = os.split()
    numbers = point.split(".")
    version = ".".join(numbers[: {"debian": 1, "ubuntu": 2}.get(os_id, len(numbers))])
    found = (Gpu(i, f"0000:{i + 5:02x}:00.0", device, market_name=market_name) for i, device in enumerate(gpus))
    return Look(
        os=Os(id=os_id, version_id=version, point_version=point),
        kernel=Kernel(running=kernel, installed=tuple(InstalledKernel(k) for k in installed)),
        gpus=Gpus(tuple(found)),
    )


def resolved(name: str, node: Look | None = None, cat: Catalogue | None = None, **policy: Any) -> Resolved:
    """A release for a node; keywords are the policy."""
    return resolve(cat or own(), name, node or look(), Policy.from_dict(policy))


def refusal(name: str, node: Look | None = None, cat: Catalogue | None = None, **policy: Any) -> FleetError:
    """Why a release is refused.

    Raises:
        AssertionError: it is not.
    """
    try:
        wanted = resolved(name, node, cat, **policy)
    except FleetError as error:
        return error
    raise AssertionError(f"{name} resolved: {wanted}")
