# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A bill of materials is right by the schema of CycloneDX, and its names of packages by the parser of others."""

from __future__ import annotations

import json
import typing as t

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL

from ansible_collections.instinct.fleet.plugins.module_utils._core.image import sbom
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.shape import Contents
from ansible_collections.instinct.fleet.tests.unit.support.images import IMAGE

VALIDATOR = JsonStrictValidator(SchemaVersion.V1_6)
CONTENTS = Contents("debian", "12", packages={"libstdc++6": "1:12.2+b1", "rocminfo": "1.0.0.70002-56~22.04"})


def bill() -> dict[str, t.Any]:
    return sbom.document(IMAGE, 1, "k", "e" * 64, CONTENTS, "2026-01-02T03:04:05Z", "0.1.0")


def test_the_schema_takes_the_bill() -> None:
    error = VALIDATOR.validate_str(json.dumps(bill()))
    assert error is None, error.data.message if error else ""


@pytest.mark.parametrize("change", [{"bomFormat": "Other"}, {"serialNumber": "1"}, {"other": 1}, {"components": [{"name": "a"}]}])
def test_the_schema_takes_no_other(change: dict[str, t.Any]) -> None:
    assert VALIDATOR.validate_str(json.dumps({**bill(), **change})) is not None


def test_names_of_packages_are_read_by_others() -> None:
    found = [PackageURL.from_string(one["purl"]) for one in bill()["components"][1:]]
    assert [(one.type, one.namespace, one.name, one.version) for one in found] == [
        ("deb", "debian", name, version) for name, version in CONTENTS.packages.items()]
    assert {one.qualifiers["distro"] for one in found} == {"debian-12"}
