# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One setting: its form by its kind, and what a node is told of it."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.strict import Reader
from ansible_collections.instinct.fleet.plugins.module_utils._core.tuning.setting import Setting
from ansible_collections.instinct.fleet.tests.unit.support.tuning import ALL, IOMMU, SYSCTL

RAW = {"id": "iommu-pt", "kind": "kernel_argument", "name": "iommu", "value": "pt", "products": ["MI210"], "against": ["iommu=off"],
       "why": "because", "sources": ["a page"], "confidence": "documented"}


def read(**change: t.Any) -> Setting:
    return Setting.read(Reader({**RAW, **change}, "f: settings[0]"))[1]


def test_a_record_is_read() -> None:
    setting = read()
    assert (setting.word, setting.products, setting.against, setting.cpu, setting.accumulates) == (
        "iommu=pt", ("MI210",), ("iommu=off",), "", False)
    assert (setting.why, setting.sources, setting.confidence) == ("because", ("a page",), "documented")


@pytest.mark.parametrize("setting", ALL, ids=lambda setting: setting.id)
def test_a_node_reads_what_it_is_told(setting: Setting) -> None:
    assert Setting.given(setting.told) == setting


@pytest.mark.parametrize(("change", "sentence"), [
    ({"value": 'pt"; reboot'}, "f: settings[0].value: is 'pt\"; reboot', which does not match"),
    ({"kind": "sysctl", "against": [], "name": "vm"}, "f: settings[0].name: is 'vm', which does not match"),
    ({"kind": "sysctl", "name": "vm.x", "value": "1"}, "f: settings[0].kind: sysctl has neither accumulates nor against; "),
    ({"kind": "access_control", "name": "pci", "value": "perhaps"}, "f: settings[0].value: is 'perhaps'"),
    ({"sources": []}, "f: settings[0].sources: is empty"),
])
def test_what_is_not_of_the_form_is_refused(change: dict[str, t.Any], sentence: str) -> None:
    with pytest.raises(DataError) as refusal:
        read(**change)
    assert refusal.value.sentence.startswith(sentence)


def test_a_value_of_the_site_is_held_to_the_form_of_its_kind() -> None:
    assert SYSCTL.valued("30").value == "30"
    with pytest.raises(DataError, match=r"setting iommu-pt: its value is '', which does not match .*; give it in host_tuning_values"):
        IOMMU.valued("")
    with pytest.raises(DataError, match=r"its value is 'x y', which does not match .*; write it in that form"):
        IOMMU.valued("x y")
