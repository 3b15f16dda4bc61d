# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What may be concluded from a version that was read, over every version of the catalogue."""

from __future__ import annotations

import re

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.firmware_match import (
    GRAMMARS,
    fulfils,
    nic_version,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.firmware import FirmwarePart, FirmwareVersion
from ansible_collections.instinct.fleet.tests.unit.support.catalogue import own

# Kinds of which nothing inside the node tells the version.
UNTOLD = {"bkc", "ifwi", "mu", "pi"}
ROWS = [row for release in own().releases.values() for row in release.firmware]
PRINTED = sorted({version for row in ROWS for version in row.versions}, key=lambda v: v.text)


def pldm(text: str) -> FirmwareVersion:
    """A PLDM bundle as AMD prints it."""
    return FirmwareVersion(text, "pldm", text.split(maxsplit=1)[0], or_later=text.endswith("or later"))


@pytest.mark.parametrize("version", PRINTED, ids=lambda v: v.text)
def test_every_printed_version_can_be_compared_or_is_of_a_kind_that_no_reading_tells(version: FirmwareVersion) -> None:
    if version.kind in UNTOLD:
        assert fulfils([version], {version.kind: version.value}) is None
    else:
        assert re.fullmatch(GRAMMARS[version.kind], version.value)
        assert fulfils([version], {version.kind: version.value}) is True
    assert fulfils([version], {}) is None


def test_the_catalogue_has_versions_of_every_kind() -> None:
    assert {version.kind for version in PRINTED} | {part.kind for v in PRINTED for part in v.also} == {"pldm", "vbios", *UNTOLD}


def test_the_sets_of_a_real_row() -> None:
    """ROCm 10.0.0 on MI300X: 01.26.00.04 or later, 01.25.06.05."""
    row = next(r for r in own().releases["rocm-10.0.0"].firmware if r.gpu == "MI300X")
    answers = {text: fulfils(row.versions, {"pldm": text}) for text in (
        "01.25.06.04", "01.25.06.05", "01.25.06.06", "01.26.00.03", "01.26.00.04", "01.26.01.00")}
    assert answers == {"01.25.06.04": False, "01.25.06.05": True, "01.25.06.06": False, "01.26.00.03": False,
                       "01.26.00.04": True, "01.26.01.00": True}


EXACT, LATER, NEEDED = pldm("01.26.01.03"), pldm("01.26.01.03 or later"), pldm("01.26.01.03 (needed for SPX/NPS1)")
PART = FirmwareVersion("VBIOS D3430401-037", "vbios", "D3430401-037", or_later=False)
BOTH = FirmwareVersion("01.26.01.03 or later with MU5", "pldm", "01.26.01.03", or_later=True, also=(FirmwarePart("mu", "5"),))
WITH_PART = FirmwareVersion("01.26.01.03 and VBIOS D3430401-037", "pldm", "01.26.01.03", or_later=False,
                            also=(FirmwarePart("vbios", "D3430401-037"),))
# id, versions, what the node says, answer
ANSWERS = [
    ("the same", [EXACT], {"pldm": "01.26.01.03"}, True),
    ("a later one where none is said to do", [EXACT], {"pldm": "01.26.01.04"}, False),
    ("the same or later", [LATER], {"pldm": "01.26.01.03"}, True),
    ("a later one", [LATER], {"pldm": "01.26.02.00"}, True),
    ("a later one by number, not by text", [LATER], {"pldm": "01.100.00.00"}, True),
    ("an earlier one", [LATER], {"pldm": "01.25.17.07"}, False),
    ("the one that is needed", [NEEDED], {"pldm": "01.26.01.03"}, True),
    ("one before that", [NEEDED], {"pldm": "01.26.01.02"}, False),
    ("one after that: nobody says that it will do", [NEEDED], {"pldm": "01.26.01.04"}, None),
    ("any one of several", [pldm("01.25.03.12"), pldm("01.25.02.04")], {"pldm": "01.25.02.04"}, True),
    ("none of several", [pldm("01.25.03.12"), pldm("01.25.02.04")], {"pldm": "01.25.03.11"}, False),
    ("one of several is unknown", [EXACT, PART], {"pldm": "01.26.01.04"}, None),
    ("another of several is there", [EXACT, PART], {"pldm": "01.26.01.03"}, True),
    ("nothing was read", [EXACT], {"pldm": None}, None),
    ("another kind was read", [EXACT], {"vbios": "113-D3430401-037"}, None),
    ("what was read is no such version", [EXACT], {"pldm": "N/A"}, None),
    ("a part number with its prefix", [PART], {"vbios": "113-D3430401-037"}, True),
    ("a part number without", [PART], {"vbios": "D3430401-037"}, True),
    ("another part", [PART], {"vbios": "113-D3431500-101"}, False),
    ("a part that nothing tells leaves it open", [BOTH], {"pldm": "01.26.01.03"}, None),
    ("what is told decides against it", [BOTH], {"pldm": "01.26.01.02"}, False),
    ("both parts are there", [WITH_PART], {"pldm": "01.26.01.03", "vbios": "113-D3430401-037"}, True),
    ("no version at all", [], {"pldm": "01.26.01.03"}, False),
]


@pytest.mark.parametrize(("versions", "seen", "answer"), [a[1:] for a in ANSWERS], ids=[a[0] for a in ANSWERS])
def test_what_was_read_will_do(versions: list[FirmwareVersion], seen: dict[str, str | None], answer: bool | None) -> None:
    assert fulfils(versions, seen) is answer


# text of a site, what a NIC says, answer
NICS = [
    ("28.46.3048", "28.46.3048", True),
    ("28.46.3048", "28.43.1014", False),
    ("22.41.01000", "22.41.1000", True),
    ("22.41.1000 or later", "22.41.01000", True),
    ("22.41.0100", "22.41.1000", False),
    ("28.43.1014 or later", "28.46.3048", True),
    ("28.46.3048 or later", "28.43.1014", False),
    ("1.117.5-a-45", "1.117.5-a-45", True),
    ("1.117.5-a-45", "1.117.5-a-77", False),
    ("1.117.5 or later", "1.117.5-a-45", None),
]


@pytest.mark.parametrize(("text", "seen", "answer"), NICS, ids=[f"{n[0]}, has {n[1]}" for n in NICS])
def test_a_version_of_a_nic(text: str, seen: str, answer: bool | None) -> None:
    version = nic_version(text)
    assert version
    assert (version.text, fulfils([version], {"nic": seen})) == (text, answer)


@pytest.mark.parametrize("text", ["1.117.5-a-45 or later", "28.46.3048, 28.43.1014", "28", "newest", ""])
def test_a_version_that_cannot_be_compared_is_none(text: str) -> None:
    assert nic_version(text) is None
