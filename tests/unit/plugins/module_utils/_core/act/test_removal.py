# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a removal may take with it."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.act.removal import parse_simulation, refuse_more
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError

SIMULATED = """\
NOTE: This is only a simulation!
The following packages will be REMOVED:
  rocm-core rocminfo site-app
Remv site-app [1.0] [rocminfo:amd64 ]
Remv rocminfo:amd64 [1.0.0.70203-90~24.04]
Purg rocm-core [7.2.3.70203-90~24.04]
Inst other [1]
"""


def test_parse_simulation() -> None:
    assert parse_simulation(SIMULATED) == ("rocm-core", "rocminfo", "site-app")


@pytest.mark.parametrize(("removed", "sentence"), [
    (["rocminfo", "site-app"], "site-app: needs what should be removed, and would go with it; remove it first, or stay"),
    (["b", "a"], "a, b: need what should be removed, and would go with it; remove them first, or stay"),
])
def test_more_than_was_named_is_refused(removed: list[str], sentence: str) -> None:
    with pytest.raises(FleetError) as raised:
        refuse_more(["rocminfo"], removed, "stay")
    assert raised.value.sentence == sentence


def test_what_was_named_may_go() -> None:
    refuse_more(["rocminfo", "rocm-core"], ["rocminfo"])
