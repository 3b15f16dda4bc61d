# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of units."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.unit_names import unit_names


def test_names_are_those_of_systemd() -> None:
    assert unit_names(["slurmd", "a@0.service", "b.socket", "slurmd.service", "dev-x.device"]) == (
        "slurmd.service", "a@0.service", "b.socket", "dev-x.device.service")


@pytest.mark.parametrize("name", ["", "-h", "a b", "a/b", "a;b", "a\nb", "--now", "ä.service", "a@", "a@.service"])
def test_what_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(FleetError) as error:
        unit_names([name])
    assert error.value.sentence == f"stop_units: {name!r} is no name of a unit; write it as in slurmd.service"
