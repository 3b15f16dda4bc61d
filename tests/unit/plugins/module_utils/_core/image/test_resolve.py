# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From a definition to an image of which nothing is open."""

from __future__ import annotations

import dataclasses as dc
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.resolve import asks, resolve
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.shape import Package, Parent
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.stack_packages import Stacked
from ansible_collections.instinct.fleet.tests.unit.support.images import (
    FINGERPRINT,
    IMAGE,
    KEY,
    RELEASED,
    SITE,
    WANTS,
    A,
    B,
    definition,
    image,
    record,
)

LAYERS = record()["layers"]
BASE = {"name": "base", "packages": ["libibverbs1=44.0-2"]}


def based(**changes: t.Any) -> list[dict[str, t.Any]]:
    """The layer base alone, with another repository."""
    return [{**BASE, "repositories": [{**LAYERS[1]["repositories"][0], **changes}]}]


def test_an_image_is_resolved() -> None:
    assert [layer.name for layer in IMAGE.layers] == ["base", "rocm", "application"]
    assert (IMAGE.name, IMAGE.os, IMAGE.os_version, IMAGE.parent.digest) == ("site", "debian", "12", A)
    assert IMAGE.wants == dc.replace(WANTS, rocm="7.0.2")
    base, rocm, application = IMAGE.layers
    assert (base.repositories[0].fingerprint, base.repositories[0].key, base.budget_bytes) == (FINGERPRINT, KEY, 67108864)
    assert rocm.repositories == (RELEASED.repository,)
    assert application.files[0].path == "/opt/model.bin"


def test_the_site_has_the_last_word_on_the_base() -> None:
    own = Parent(B, archive="/srv/base.tar")
    assert image(dc.replace(SITE, parent=own)).parent == own


def test_rocm_of_the_distribution_is_of_no_release() -> None:
    found = image(dc.replace(SITE, released=RELEASED), layers=[BASE], rocm="5.2.3")
    assert (found.wants.rocm, found.wants.release, found.layers[0].repositories) == ("5.2.3", "rocm-7.0.2", ())
    assert image(layers=[BASE]).wants.rocm == ""
    assert (asks(definition()), asks(definition(layers=[BASE]))) == (True, False)


def test_a_layer_has_the_versions_of_the_nodes_stack() -> None:
    layer = {"name": "rdma", "from": "stack.rdma", "packages": ["libibverbs1"]}
    found = image(dc.replace(SITE, stacked=Stacked({"rdma-core": "44.0-2"}, {"libibverbs1": "rdma-core"})), layers=[layer])
    assert found.layers[0].packages == (Package("libibverbs1", "44.0-2"),)
    with pytest.raises(FleetError, match=r"^site\.yml: layer rdma: is from stack\.rdma, and no version of the nodes' RDMA is named; "):
        image(layers=[layer])


def test_components_and_suite_of_apt() -> None:
    found = image(layers=based(suite="bookworm", components=["main"]))
    assert "Suites: bookworm\nComponents: main\n" in found.layers[0].repositories[0].text


@pytest.mark.parametrize(("changes", "site", "sentence"), [
    ({}, {"released": None}, "site.yml: layer rocm: is from release.rocm, and no release is named; name it in rocm_image_release"),
    ({"rocm": "7.1.0"}, {}, "site.yml: rocm: is 7.1.0, and rocm-7.0.2 has 7.0.2; remove it"),
    ({"layers": [LAYERS[1], {**LAYERS[2], "packages": ["rocminfo=1.0.0.70100-20~22.04"]}]}, {},
     "site.yml: layer rocm: rocminfo 1.0.0.70100-20~22.04 is not of rocm-7.0.2, whose versions match *.70002-*; "),
    ({"layers": LAYERS[:2]}, {}, "site.yml: layers: layer application stands on 'rocm', which is no layer; "),
    ({"layers": based(fingerprint="CA8BB4727A47B4D09B4EE8969386B48A1A693C5C")}, {},
     f"site.yml: layer base: repository site: its key is {FINGERPRINT}, not just the pinned CA8BB4727A47B4D09B4EE8969386B48A1A693C5C; "),
    ({"layers": based(suite="")}, {}, "site.yml: layer base: repository site: does not say where its packages are; "),
    ({"layers": based(suite="bookworm")}, {}, "site.yml: layer base: repository site: does not say where its packages are; "),
    ({"layers": based(components=["main"])}, {}, "site.yml: layer base: repository site: does not say where its packages are; "),
    ({"layers": based(), "os": {"id": "rhel", "version": "9"}}, {},
     "site.yml: layer base: repository site: does not say where its packages are; apt needs suite and components, or a suite"),
    ({"layers": [{**BASE, "repositories": LAYERS[1]["repositories"] * 2}]}, {}, "site.yml: layer base: two repositories are named site; "),
])
def test_what_does_not_fit_is_one_sentence(changes: dict[str, t.Any], site: dict[str, t.Any], sentence: str) -> None:
    with pytest.raises(FleetError) as refusal:
        image(dc.replace(SITE, **site), **changes)
    assert refusal.value.sentence.startswith(sentence)


def test_without_a_base_there_is_no_image() -> None:
    with pytest.raises(FleetError) as refusal:
        resolve(dc.replace(definition(), parent=None), SITE)
    assert refusal.value.sentence == ("image site: has no base; give rocm_image_parent: an image by its digest, or an archive on "
                                      "the builder with its digest")


def test_a_source_of_rpm() -> None:
    raw = based()
    del raw[0]["repositories"][0]["suite"]
    found = image(layers=raw, os={"id": "rhel", "version": "9"})
    assert found.layers[0].repositories[0].text.startswith("[site]\n")
