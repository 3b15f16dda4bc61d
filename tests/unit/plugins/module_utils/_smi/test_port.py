# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Both sources fit the port, and answer alike where there is nothing."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Smi
from ansible_collections.instinct.fleet.plugins.module_utils._smi.library import Library
from ansible_collections.instinct.fleet.plugins.module_utils._smi.port import Answer, GpuSource
from ansible_collections.instinct.fleet.plugins.module_utils._smi.sysfs import Sysfs
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree


@pytest.mark.parametrize("kind", [Library, Sysfs])
def test_a_source_answers_on_an_empty_machine(tree: Tree, kind: type[Library] | type[Sysfs]) -> None:
    source: GpuSource = kind(tree.machine(), ())
    answer = source.answer(5)
    assert (answer.smi.source, answer.readings) == ("none", {})


def test_an_answer_without_readings_is_empty() -> None:
    assert Answer(Smi()).readings == {}
