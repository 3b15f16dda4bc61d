# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What else of a node decides."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Devices, Driver, Kernel, Look, Smi
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.circumstances import Circumstances

KERNEL, DRIVER = Kernel(running="6.8.0-134-generic"), Driver(loaded=True, version="6.12.12")


@pytest.mark.parametrize(("seen", "made"), [
    (Circumstances.seen(Look(driver=DRIVER, smi=Smi("amdsmi", library_version="26.2.0"), kernel=KERNEL, devices=Devices(displays=1)), True),
     Circumstances("6.12.12", "26.2.0", "6.8.0-134-generic", 1, True)),
    # A library beside a binding that does not fit it is there, and does not answer.
    (Circumstances.seen(Look(
        driver=Driver(loaded=True), smi=Smi("sysfs", library_version="26.2.0", error="they do not fit"), kernel=KERNEL,
        devices=Devices(unknown={"displays": "no permission"})), False),
     Circumstances(None, None, "6.8.0-134-generic", None, False, "they do not fit", "no permission")),
    (Circumstances.seen(Look(), True), Circumstances()),
])
def test_sections_of_a_look(seen: Circumstances, made: Circumstances) -> None:
    assert seen == made


def test_versions_are_numbers() -> None:
    made = Circumstances("6.12.12", "26.2.0", "6.8.0-134-generic")
    assert (made.driver, made.library, made.running) == ((6, 12, 12), (26, 2, 0), (6, 8, 0))
    assert (Circumstances().driver, Circumstances().library, Circumstances().running) == ((), (), ())
