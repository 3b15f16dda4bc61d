# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What was before, on the disk."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.tuning.record import Record

RECORD = Record({"vm.x": "1"}, {"0000:00:01.1": "001d"}, ("iommu=pt",))


def test_what_is_written_is_read() -> None:
    assert Record.read(RECORD.text, "f") == RECORD


def test_nothing_to_give_back_is_no_file() -> None:
    assert Record().text == ""


def test_what_an_older_record_says_counts() -> None:
    younger = Record({"vm.x": "2", "vm.y": "3"}, {"0000:00:02.1": "0000"}, ("pci=bfsort", "iommu=pt"))
    assert younger.beside(RECORD) == Record(
        {"vm.x": "1", "vm.y": "3"}, {"0000:00:01.1": "001d", "0000:00:02.1": "0000"}, ("iommu=pt", "pci=bfsort"))


@pytest.mark.parametrize(("text", "sentence"), [
    ("torn", "f: is not JSON; remove the file: "),
    (RECORD.text.replace("v1", "v2"), "f: version: is 'v2'"),
    (RECORD.text.replace('"tuning"', '"release"'), "f: kind: is 'release'"),
    (RECORD.text.replace('"sysctls"', '"sysctl"'), "f: sysctl: is not a known key"),
])
def test_another_file_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(DataError) as refusal:
        Record.read(text, "f")
    assert refusal.value.sentence.startswith(sentence)
