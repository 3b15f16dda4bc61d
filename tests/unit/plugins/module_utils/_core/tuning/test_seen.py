# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a node is, as far as settings need it."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.tuning.record import Record
from ansible_collections.instinct.fleet.plugins.module_utils._core.tuning.seen import Register, access, arguments
from ansible_collections.instinct.fleet.tests.unit.support.tuning import ACS, ALL, IOMMU, KERNEL, files, node


@pytest.mark.parametrize(("able", "control", "off", "on"), [
    (0x5F, 0, True, False), (0x5F, 0x1D, False, True), (0x5F, 0x5F, False, True), (0x01, 0x01, False, True), (0x00, 0x00, True, True),
    (0x5F, 0x01, False, False), (0x5F, 0x80, True, False),
])
def test_a_register_is_right_as_far_as_it_is_able_to(able: int, control: int, off: bool, on: bool) -> None:
    register = Register("0000:00:01.1", able, control)
    assert (register.right("off"), register.right("on")) == (off, on)


def test_words_of_the_next_boot_are_ours_or_others() -> None:
    seen = node(entries={KERNEL: ("quiet", "iommu=pt", "pci=bfsort")}, files=files([IOMMU], ["iommu=pt"]),
                record=Record(arguments=("pci=bfsort",)))
    assert (seen.own, seen.foreign) == (("iommu=pt", "pci=bfsort"), ("quiet",))


@pytest.mark.parametrize("changes", [{"next_boot": None}, {"entries": {}}])
def test_what_boots_may_be_unknown(changes: dict[str, object]) -> None:
    assert (node(**changes).entry, node(**changes).foreign) == (None, ())


def test_settings_by_kind() -> None:
    assert (arguments(ALL), access(ALL), access([IOMMU])) == ((IOMMU,), ACS.value, "")
