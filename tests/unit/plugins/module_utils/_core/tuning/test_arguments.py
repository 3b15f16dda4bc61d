# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernel arguments: there or not, and what contradicts them."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.tuning.arguments import conflict, missing
from ansible_collections.instinct.fleet.plugins.module_utils._core.tuning.setting import Setting
from ansible_collections.instinct.fleet.tests.unit.support.tuning import IOMMU, REALLOC

DASHED = Setting("poll", "kernel_argument", "amd-poll", "1")
AST = Setting("ast", "kernel_argument", "modprobe.blacklist", "ast", accumulates=True)


@pytest.mark.parametrize(("setting", "words", "lacks"), [
    (IOMMU, "quiet", True), (IOMMU, "iommu=pt", False), (IOMMU, "iommu=off", True), (IOMMU, "iommu", True),
    (DASHED, "amd_poll=1", False),
    (REALLOC, "pci=realloc=off", False), (REALLOC, "pci=noaer,realloc=off", False), (REALLOC, "pci=noaer", True),
    (AST, "modprobe.blacklist=nouveau,ast", False), (AST, "module_blacklist=ast", True),
])
def test_an_argument_is_appended_where_it_is_not_there(setting: Setting, words: str, lacks: bool) -> None:
    assert missing([setting], words.split()) == ((setting.word,) if lacks else ())


@pytest.mark.parametrize(("setting", "words", "against"), [
    (IOMMU, "quiet iommu=pt", ""), (IOMMU, "quiet iommu=off", "iommu=off"), (IOMMU, "amd-iommu=off", "amd-iommu=off"),
    (IOMMU, "iommu", "iommu"), (IOMMU, "iommu.strict=1", ""),
    (REALLOC, "pci=realloc", "pci=realloc"), (REALLOC, "pci=noaer,realloc=on", "pci=noaer,realloc=on"), (REALLOC, "pci=noaer", ""),
    (AST, "modprobe.blacklist=nouveau", ""),
])
def test_what_contradicts_an_argument_is_refused(setting: Setting, words: str, against: str) -> None:
    found = conflict(setting, words.split(), "the boot entry")
    assert (found.sentence if found else "") == (against and (
        f"kernel argument {setting.word}: is wanted by the setting {setting.id}, and the boot entry has {against}; "
        f"take {against} out of the boot loader's configuration, or name {setting.id} in host_tuning_skip"))
