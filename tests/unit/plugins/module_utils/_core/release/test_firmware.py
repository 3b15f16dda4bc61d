# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Firmware rows of a release: AMD's words, and what in them can be compared."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.firmware import (
    FirmwarePart,
    FirmwareRow,
    FirmwareVersion,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.strict import Reader
from ansible_collections.instinct.fleet.tests.unit.support.catalogue import own

ROW = {"gpu": "MI300X", "kind": "pldm", "confidence": "documented", "source": ["S1"]}
LATER = {"text": "01.26.00.04 or later", "kind": "pldm", "value": "01.26.00.04", "or_later": True}


def read(*versions):
    return FirmwareRow.read(Reader(ROW | {"versions": list(versions)}, "r"), {"S1": "s"})


def test_a_version_keeps_its_words_and_tells_what_can_be_compared():
    assert read(LATER, {"text": "01.25.06.05", "kind": "pldm", "value": "01.25.06.05"}).versions == (
        FirmwareVersion("01.26.00.04 or later", "pldm", "01.26.00.04", True),
        FirmwareVersion("01.25.06.05", "pldm", "01.25.06.05", False))


def test_a_version_may_ask_for_more_than_one_thing():
    rows = {row.gpu: row.versions[0] for row in own().release("rocm-10.0.0").firmware}
    assert rows["MI250X"] == FirmwareVersion(
        "MU5 with IFWI 75 or later", "ifwi", "75", True, (FirmwarePart("mu", "5"),))
    assert rows["MI350P"] == FirmwareVersion(
        "BKC12.0 (IFWI PRD1000A) or later", "bkc", "12.0", True, (FirmwarePart("ifwi", "PRD1000A"),))


@pytest.mark.parametrize(("change", "message"), [
    ({"kind": "smc"}, r"r\.versions\[0\]\.kind: is 'smc'"),
    ({"value": "01.26 or later"}, r"r\.versions\[0\]\.value: is '01\.26 or later'"),
    ({"or_later": "yes"}, r"r\.versions\[0\]\.or_later: is text"),
    ({"also": [{"kind": "mu"}]}, r"r\.versions\[0\]\.also\[0\]\.value: is missing"),
])
def test_another_form_is_refused(change, message):
    with pytest.raises(DataError, match=message):
        read(LATER | change)
