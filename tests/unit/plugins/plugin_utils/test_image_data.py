# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Definitions are read, and resolved with what the site says."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.shape import Image, Package, Parent, Wants
from ansible_collections.instinct.fleet.plugins.plugin_utils import image_data
from ansible_collections.instinct.fleet.tests.unit.support.images import BASE, FILES, FINGERPRINT, KEY, A, B, record

ARCHIVE = {"archive": "/srv/base.tar", "digest": B}


def image(name: str = "ubuntu-2404-rocm-702", **changes: t.Any) -> Image:
    args: dict[str, t.Any] = {
        "definition": name, "catalogue_dirs": [], "release": "rocm-7.0.2", "release_catalogue_dirs": [], "release_accept": [],
        "release_mirrors": {}, "release_keys": {}, "parent": ARCHIVE, "render_gid": -1, "gfx": [], "verbs": {},
        "rdma_versions": {}, "rdma_catalogue_dirs": []}
    return image_data.image({**args, **changes})


@pytest.fixture
def site(tmp_path: Path) -> t.Callable[..., str]:
    """Write a definition of a site; its directory."""
    def write(key: bytes | None = KEY.encode(), **changes: t.Any) -> str:
        (tmp_path / "site.yml").write_text(yaml.safe_dump(record(**changes)))
        if key is not None:
            (tmp_path / "site.asc").write_bytes(key)
        return str(tmp_path)
    yield write
    image_data.definitions.cache_clear()


@pytest.mark.parametrize("name", [name.removesuffix(".yml") for name in FILES])
def test_ours_are_resolved_on_a_base_of_the_site(name: str) -> None:
    found = image(name, rdma_versions={"rdma-core": "50.0-2ubuntu0.2", "perftest": "24.01.0+0.38-1build2"})
    assert (found.name, found.parent) == (name, Parent(B, archive="/srv/base.tar"))
    assert found.source == "https://github.com/instinct-fleet/instinct.fleet"


def test_one_of_ours_has_all_layers_that_an_image_may_have() -> None:
    found = image("ubuntu-2404-rocm-702-tinygrad", rdma_versions={"rdma-core": "50.0-2ubuntu0.2", "perftest": "24.01.0+0.38-1build2"})
    assert [layer.name for layer in found.layers] == ["base", "rocm", "rdma", "framework", "application"]
    assert Package("librdmacm1t64", "50.0-2ubuntu0.2") in found.layers[2].packages and found.layers[3].python


def test_rocm_comes_from_the_release_and_through_its_mirror() -> None:
    found = image(release_mirrors={"https://repo.radeon.com": "http://mirror.example.org/radeon"},
                  release_keys={"radeon": {"fingerprint": "D" * 40}})
    (repository,) = found.layers[1].repositories
    assert found.wants.rocm == "7.0.2"
    assert "URIs: http://mirror.example.org/radeon/rocm/apt/7.0.2\n" in repository.text
    assert (repository.fingerprint, repository.key_url) == ("D" * 40, "http://mirror.example.org/radeon/rocm/rocm.gpg.key")


def test_what_nodes_need_is_said_by_the_site() -> None:
    assert image(gfx=["gfx942"], render_gid=1200, verbs={"mlx5": 1}).wants == Wants("rocm-7.0.2", "7.0.2", ("gfx942",), 1200, {"mlx5": 1})
    assert image("debian-12-rocm", release="").wants == Wants(rocm="5.2.3")


def test_rdma_of_a_layer_is_the_nodes(site: t.Callable[..., str]) -> None:
    there = site(layers=[{"name": "rdma", "from": "stack.rdma", "packages": ["libibverbs1", "librdmacm1=44.0-2"]}])
    found = image("site", catalogue_dirs=[there], rdma_versions={"rdma-core": "44.0-2"})
    assert found.layers[0].packages == (Package("libibverbs1", "44.0-2"), Package("librdmacm1", "44.0-2"))
    with pytest.raises(FleetError, match=r"/site\.yml: layer rdma: librdmacm1 44\.0-2 is not the 50\.0-1 that the nodes have by rocm_image_rdma_versions; "):
        image("site", catalogue_dirs=[there], rdma_versions={"rdma-core": "50.0-1"})


def test_a_family_of_a_site_has_a_provider_too(tmp_path: Path) -> None:
    family = {"version": "v1", "kind": "rdma_family", "name": "own", "title": "Own", "provider": "own", "drivers": ["own"], "modules": ["own"],
              "sources": ["https://example.org/"]}
    (tmp_path / "own.yml").write_text(yaml.safe_dump(family))
    assert image(verbs={"own": 3}, rdma_catalogue_dirs=[str(tmp_path)]).wants.verbs == {"own": 3}


def test_a_definition_of_a_site_with_its_key_beside_it(site: t.Callable[..., str]) -> None:
    found = image("site", catalogue_dirs=[site()], parent={})
    assert (found.parent, found.layers[0].repositories[0].key) == (Parent(A, image=BASE), KEY)


@pytest.mark.parametrize(("changes", "sentence"), [
    ({"name": "debian-12-rcom"}, "rocm_image_definition: there is no image 'debian-12-rcom'; did you mean debian-12-rocm?"),
    ({"name": "zzz"}, "rocm_image_definition: there is no image 'zzz'; choose one of debian-12-rocm, ubuntu-2404-rocm-702, "),
    ({"parent": {}}, "image ubuntu-2404-rocm-702: has no base; give rocm_image_parent"),
    ({"parent": {"image": "docker.io/library/ubuntu:24.04"}}, "rocm_image_parent.image: 'docker.io/library/ubuntu:24.04' has no digest"),
    ({"parent": {"archive": "/srv/base.tar"}}, "rocm_image_parent.digest: is missing"),
    ({"parent": {**ARCHIVE, "tag": "1"}}, "rocm_image_parent.tag: is not a known key"),
    ({"release": ""}, "/roles/rocm_image/files/images/ubuntu-2404-rocm-702.yml: layer rocm: is from release.rocm, and no release is named; "),
    ({"release": "rocm-9.9.9"}, "rocm_image_release: the catalogue has no release 'rocm-9.9.9'; choose one of "),
    ({"release_catalogue_dirs": ["/nowhere"]}, "rocm_image_release_catalogue_dirs: /nowhere is not a directory"),
    ({"release_accept": ["perhaps"]}, "rocm_image_release_accept[0]: is 'perhaps'"),
    ({"name": "debian-12-rocm", "release": "rocm-9.9.9"}, "rocm_image_release: the catalogue has no release 'rocm-9.9.9'; choose one of "),
    ({"gfx": ["mi300x"]}, "rocm_image_gfx[0]: 'mi300x' is no instruction set"),
    ({"verbs": {"mlx": 1}}, "rocm_image_verbs.mlx: is no provider of RDMA; did you mean mlx5?"),
    ({"verbs": {"mlx5": "one"}}, "rocm_image_verbs.mlx5: is text, not a number"),
    ({"verbs": {"mlx5": -1}}, "rocm_image_verbs.mlx5: is -1, and cannot be less than 0"),
    ({"rdma_versions": {"rdma-core": "latest"}}, "rocm_image_rdma_versions.rdma-core: is not pinned by 'latest', which is no exact version; "),
    ({"rdma_versions": {"rdma-core": 44}}, "rocm_image_rdma_versions.rdma-core: is a number, not text; "),
    ({"rdma_catalogue_dirs": ["/nowhere"]}, "rdma_stack_catalogue_dirs: /nowhere is not a directory"),
    ({"catalogue_dirs": ["/nowhere"]}, "rocm_image_catalogue_dirs: /nowhere is not a directory"),
])
def test_what_is_wrong_is_one_sentence(changes: dict[str, t.Any], sentence: str) -> None:
    with pytest.raises(FleetError) as refusal:
        image(**changes)
    assert sentence in refusal.value.sentence


@pytest.mark.parametrize(("key", "sentence"), [
    (None, "/site.asc: cannot be read: No such file or directory; put the armoured key of the repository there"),
    ("ü".encode(), "/site.asc: cannot be read: it is not ASCII; "),
    (KEY.replace("BLOCK", "BLOK").encode(), "layer base: repository site: "),
])
def test_a_key_that_is_none(site: t.Callable[..., str], key: bytes | None, sentence: str) -> None:
    with pytest.raises(FleetError) as refusal:
        image("site", catalogue_dirs=[site(key)])
    assert sentence in refusal.value.sentence


def test_a_foreign_key_is_refused(site: t.Callable[..., str]) -> None:
    layers = record()["layers"]
    layers[1]["repositories"][0]["fingerprint"] = "D" * 40
    with pytest.raises(FleetError, match=f"repository site: its key is {FINGERPRINT}, not just the pinned {'D' * 40}; "):
        image("site", catalogue_dirs=[site(layers=layers)])
