# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""From a definition and the choices of a site to an image of which nothing is open."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..errors import FleetError
from ..strict import Contradiction
from . import pins, release_packages, stack_packages
from .containerfile import is_apt
from .definition import RELEASE, STACK, Definition, Draft, Origin
from .order import ordered
from .release_packages import Released
from .repository import stanza
from .shape import Image, Layer, Parent, Repository, Wants
from .stack_packages import Stacked


@dc.dataclass(frozen=True)
class Site:
    """What a site says of an image.

    Attributes:
        parent: base in place of the definition's; None: that.
        keys: path of a key, as the definition names it -> its armoured text.
        released: ROCm of the nodes' release; None: no release is named, or no layer asks for it.
        wants: what nodes need; its ROCm is filled in.
        stacked: RDMA of the nodes, for layers that hold to it.
    """

    parent: Parent | None
    keys: t.Mapping[str, str]
    released: Released | None
    wants: Wants
    stacked: Stacked = dc.field(default_factory=Stacked)


def resolve(definition: Definition, site: Site) -> Image:
    """The image.

    Raises:
        FleetError: something is not pinned, or the parts do not fit each other.
    """
    drafts = ordered(definition.layers, f"{definition.where}: layers")
    parent = site.parent or definition.parent
    if parent is None:
        raise FleetError(f"image {definition.name}", "has no base",
                         "give rocm_image_parent: an image by its digest, or an archive on the builder with its digest")
    layers = tuple(_layer(draft, definition, site) for draft in drafts)
    rocm = definition.rocm
    if site.released and asks(definition):
        if rocm not in ("", site.released.rocm):
            raise Contradiction(f"{definition.where}: rocm", f"is {rocm}, and {site.released.release} has "
                                f"{site.released.rocm}", "remove it")
        rocm = site.released.rocm
    return Image(definition.name, definition.os, definition.os_version, parent, layers,
                 dc.replace(site.wants, rocm=rocm), definition.source)


def asks(definition: Definition) -> bool:
    """Whether a layer has packages of the nodes' release."""
    return any(draft.origin == RELEASE for draft in definition.layers)


def _layer(draft: Draft, definition: Definition, site: Site) -> Layer:
    where = f"{definition.where}: layer {draft.name}"
    found = [_repository(where, origin, definition, site) for origin in draft.repositories]
    packages = draft.packages
    if draft.origin == STACK:
        packages = stack_packages.held(where, packages, site.stacked)
    if draft.origin == RELEASE:
        if site.released is None:
            raise FleetError(where, f"is from {RELEASE}, and no release is named", "name it in rocm_image_release")
        release_packages.check(where, draft.packages, site.released)
        found.append(site.released.repository)
    names = [repository.name for repository in found]
    for name in names:
        if names.count(name) > 1:
            raise FleetError(where, f"two repositories are named {name}", "rename one")
    return Layer(draft.name, packages, tuple(found), draft.files, draft.run, draft.environment, draft.budget_bytes,
                 draft.copies, draft.python)


def _repository(where: str, origin: Origin, definition: Definition, site: Site) -> Repository:
    where = f"{where}: repository {origin.name}"
    apt = is_apt(definition.os)
    flat = not apt or origin.suite.endswith("/")
    if bool(origin.suite) != apt or bool(origin.components) == flat:
        raise FleetError(where, "does not say where its packages are",
                         "apt needs suite and components, or a suite that ends in / alone; rpm neither")
    key = site.keys[origin.key]
    fingerprint = pins.check_key(where, key, origin.fingerprint)
    text = stanza(definition.os, origin.name, origin.uri, origin.suite, origin.components)
    return Repository(origin.name, text, key, fingerprint)
