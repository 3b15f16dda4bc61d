# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A bill of materials is right by the schema of CycloneDX, and its names of packages by the parser of others."""

from __future__ import annotations

import dataclasses as dc
import json
import typing as t

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL

from ansible_collections.instinct.fleet.plugins.module_utils._core.image import sbom
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.shape import Contents, Distribution
from ansible_collections.instinct.fleet.tests.unit.support.images import FRAMEWORK, IMAGE, B, image

VALIDATOR = JsonStrictValidator(SchemaVersion.V1_6)
PYTHON = (Distribution("Tiny.Grad_x", "0.12.0+a", "/a"), Distribution("tiny.grad-x", "0.12.0+a", "/b"))
CONTENTS = Contents("debian", "12", packages={"libstdc++6": "1:12.2+b1", "rocminfo": "1.0.0.70002-56~22.04"})


def bill() -> dict[str, t.Any]:
    return sbom.document(IMAGE, 1, "k", "e" * 64, CONTENTS, "2026-01-02T03:04:05Z", "0.1.0")


def test_the_schema_takes_the_bill() -> None:
    error = VALIDATOR.validate_str(json.dumps(bill()))
    assert error is None, error.data.message if error else ""


@pytest.mark.parametrize("change", [{"bomFormat": "Other"}, {"serialNumber": "1"}, {"other": 1}, {"components": [{"name": "a"}]}])
def test_the_schema_takes_no_other(change: dict[str, t.Any]) -> None:
    assert VALIDATOR.validate_str(json.dumps({**bill(), **change})) is not None


def test_the_schema_takes_what_is_no_package_of_the_system() -> None:
    found = sbom.document(image(layers=[FRAMEWORK]), 0, "k", "e" * 64, dc.replace(CONTENTS, python=PYTHON), "2026-01-02T03:04:05Z", "0.1.0")
    error = VALIDATOR.validate_str(json.dumps(found))
    assert error is None, error.data.message if error else ""
    python, oci = (PackageURL.from_string(one["purl"]) for one in found["components"][3:])
    assert (python.type, python.name, python.version) == ("pypi", "tiny.grad-x", "0.12.0+a")
    assert (oci.type, oci.name, oci.version, oci.qualifiers) == ("oci", "rdma", B, {"repository_url": "quay.io/site/rdma"})


def test_names_of_packages_are_read_by_others() -> None:
    found = [PackageURL.from_string(one["purl"]) for one in bill()["components"][1:]]
    assert [(one.type, one.namespace, one.name, one.version) for one in found] == [
        ("deb", "debian", name, version) for name, version in CONTENTS.packages.items()]
    assert {one.qualifiers["distro"] for one in found} == {"debian-12"}
