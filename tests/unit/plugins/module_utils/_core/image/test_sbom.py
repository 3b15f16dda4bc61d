# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The bill of materials; tests/unit/catalogue/test_image_sbom.py holds it to the schema of CycloneDX."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ansible_collections.instinct.fleet.plugins.module_utils._core.image import sbom
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.shape import Contents, Copy, Distribution
from ansible_collections.instinct.fleet.tests.unit.support.images import IMAGE, A, B

ID = "sha256:" + "e" * 64
CONTENTS = Contents("debian", "12", packages={"rocminfo": "1.0.0.70002-56~22.04", "libstdc++6": "1:12.2+b1"})


def bill(os: str = "debian", contents: Contents = CONTENTS, ident: str = ID) -> dict[str, t.Any]:
    return sbom.document(dc.replace(IMAGE, os=os), 1, "k", ident, contents, "2026-01-02T03:04:05Z", "0.1.0")


def test_the_bill_names_every_package_with_where_it_is_from() -> None:
    system, *packages = bill()["components"]
    assert (system["type"], system["name"], system["version"]) == ("operating-system", "debian", "12")
    assert [(one["name"], one["version"], one["purl"]) for one in packages] == [
        ("libstdc++6", "1:12.2+b1", "pkg:deb/debian/libstdc%2B%2B6@1%3A12.2%2Bb1?distro=debian-12"),
        ("rocminfo", "1.0.0.70002-56~22.04", "pkg:deb/debian/rocminfo@1.0.0.70002-56~22.04?distro=debian-12")]


def test_the_epoch_of_an_rpm_stands_apart() -> None:
    found = bill("rhel", Contents(None, None, packages={"a": "1:2-3.el9", "b": "4-5.el9"}))["components"]
    assert [one.get("purl", one["name"]) for one in found] == [
        "rhel", "pkg:rpm/rhel/a@2-3.el9?distro=rhel-12&epoch=1", "pkg:rpm/rhel/b@4-5.el9?distro=rhel-12"]


def test_packages_of_python_are_named_once() -> None:
    there = (Distribution("Tiny_Grad", "0.12.0+a", "/a"), Distribution("tiny-grad", "0.12.0+a", "/b"), Distribution("numpy", "2.1.0", "/a"))
    found = bill(contents=dc.replace(CONTENTS, python=there))["components"][3:]
    assert [(one["type"], one["version"], one["purl"]) for one in found] == [
        ("library", "2.1.0", "pkg:pypi/numpy@2.1.0"), ("library", "0.12.0+a", "pkg:pypi/tiny-grad@0.12.0%2Ba")]


def test_images_that_layers_took_from_are_named() -> None:
    taken = dc.replace(IMAGE.layers[1], copies=(Copy(f"quay.io:5000/site/rdma@{B}", ("/opt",)),))
    image = dc.replace(IMAGE, layers=(IMAGE.layers[0], taken, IMAGE.layers[2]))
    names = [[one["name"] for one in sbom.document(image, index, "k", ID, Contents(), "", "")["components"][1:]] for index in range(3)]
    assert names == [[], ["quay.io:5000/site/rdma"], ["quay.io:5000/site/rdma"]]
    found = sbom.document(image, 1, "k", ID, Contents(), "", "")["components"][1]
    assert (found["type"], found["version"]) == ("container", B)
    assert found["purl"] == f"pkg:oci/rdma@sha256%3A{'b' * 64}?repository_url=quay.io%3A5000%2Fsite%2Frdma"


def test_the_bill_is_of_one_image() -> None:
    found = bill()
    about = found["metadata"]["component"]
    assert (about["name"], about["bom-ref"], found["metadata"]["timestamp"]) == ("site/rocm", ID, "2026-01-02T03:04:05Z")
    assert about["properties"] == [{"name": "io.github.instinct-fleet.layer.key", "value": "k"},
                                   {"name": "io.github.instinct-fleet.base.digest", "value": A}]
    assert found == bill(ident="e" * 64)
    assert found["serialNumber"] != bill(ident="f" * 64)["serialNumber"]
