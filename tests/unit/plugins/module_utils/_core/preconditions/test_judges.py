# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each check is of the node or of each GPU, and says which values it takes."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.preconditions.judges import JUDGES


@pytest.mark.parametrize("name", JUDGES)
def test_a_check_is_of_the_node_or_of_a_gpu(name):
    judge = JUDGES[name]
    assert (judge.of_node is None) != (judge.of_gpu is None)
    assert all(kind in (str, int, tuple) or isinstance(kind, tuple) for kind in judge.kinds.values())


def test_values_that_may_be_missing_end_in_a_question_mark():
    assert {name for judge in JUDGES.values() for name in judge.kinds if name.endswith("?")} == {
        "vram_gib?", "mts?", "lanes?", "spx?", "dpx?", "tpx?", "qpx?", "cpx?"}
