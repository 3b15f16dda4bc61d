# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a board takes of a profile, and why not."""

from __future__ import annotations

import dataclasses as dc
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.qos.fit import fitted
from ansible_collections.instinct.fleet.plugins.module_utils._core.qos.profile import Profile
from ansible_collections.instinct.fleet.plugins.module_utils._core.qos.shape import NODE, Target
from ansible_collections.instinct.fleet.tests.unit.support.qos_data import own, profile

A = "0000:03:00.0"
GPU = Target(
    A, "MI210", False, cap=(0, 300_000_000, 300_000_000), near_cpus="0-15",
    values={"power_cap": 300_000_000, "performance_level": "auto", "sclk_min_mhz": 500, "sclk_max_mhz": 1700, "mclk_max_mhz": 1600,
            "xgmi_plpd": "plpd_default", "process_isolation": "off", "irq_affinity": "0-31"},
    offers={"xgmi_plpd": ("plpd_disallow", "plpd_default")})
MI300X = dc.replace(GPU, product="MI300X")
VF = dc.replace(GPU, virtual=True)
VIRTUAL = "a virtual function takes none of it: its host sets it"


def asked(target: Target, **settings: t.Any) -> tuple[dict[str, t.Any], dict[str, str]]:
    """What is wanted, and why what is not."""
    values, unsupported = fitted(Profile.from_document(profile(**settings), "f"), target, own())
    assert {one.target for one in unsupported} <= {target.name}
    return values, {one.setting: one.reason for one in unsupported}


# target, what is asked, what it reads back as
TAKEN: list[tuple[Target, dict[str, t.Any], dict[str, t.Any]]] = [
    (GPU, {"power_cap": "275 W"}, {"power_cap": 275_000_000}),
    (GPU, {"power_cap": "77%"}, {"power_cap": 231_000_000}),
    (GPU, {"power_cap": "default"}, {"power_cap": 300_000_000}),
    (GPU, {"power_cap": "100%"}, {"power_cap": 300_000_000}),
    (GPU, {"performance_level": "high"}, {"performance_level": "high"}),
    (GPU, {"performance_level": "determinism 1500"}, {"performance_level": "determinism 1500"}),
    (MI300X, {"performance_level": "determinism 1900"}, {"performance_level": "determinism 1900"}),
    (GPU, {"sclk_min_mhz": 500, "sclk_max_mhz": 1700},
     {"performance_level": "manual", "sclk_min_mhz": 500, "sclk_max_mhz": 1700}),
    (MI300X, {"mclk_max_mhz": 900}, {"performance_level": "manual", "mclk_max_mhz": 900}),
    (GPU, {"xgmi_plpd": "disallow"}, {"xgmi_plpd": "plpd_disallow"}),
    (GPU, {"irq_affinity": "near"}, {"irq_affinity": "0-15"}),
    (GPU, {"process_isolation": "on", "numa_balancing": "off"}, {"process_isolation": "on"}),
    (VF, {"power_cap": "default", "irq_affinity": "near"}, {"power_cap": 300_000_000, "irq_affinity": "0-15"}),
    (dc.replace(GPU, lacking=("power_cap",)), {"power_cap": "default"}, {"power_cap": 300_000_000}),
    (dc.replace(GPU, product="MI100"), {"performance_level": "auto"}, {"performance_level": "auto"}),
    (Target(NODE, values={"numa_balancing": "on"}), {"numa_balancing": "off", "power_cap": "1 W"}, {"numa_balancing": "off"}),
]


@pytest.mark.parametrize(("target", "settings", "values"), TAKEN, ids=[str(case[1]) for case in TAKEN])
def test_taken(target: Target, settings: dict[str, t.Any], values: dict[str, t.Any]) -> None:
    assert asked(target, **settings) == (values, {})


NOTHING = {"values": {}, "offers": {}}
# target, what is asked, why it cannot be had
NOT_TO_BE_HAD: list[tuple[Target, dict[str, t.Any], dict[str, str]]] = [
    (VF, {"power_cap": "200 W"}, {"power_cap": VIRTUAL}),
    (dc.replace(VF, values={}), {"power_cap": "200 W"}, {"power_cap": VIRTUAL}),
    (dc.replace(GPU, lacking=("power_cap",)), {"power_cap": "200 W"}, {"power_cap": "nothing here can set it"}),
    (dc.replace(GPU, unknown={"power_cap": "error 10"}), {"power_cap": "200 W"}, {"power_cap": "cannot be read: error 10"}),
    (dc.replace(GPU, cap=None), {"power_cap": "default"}, {"power_cap": "the limits of the board are unknown"}),
    (GPU, {"soc_pstate": "1"}, {"soc_pstate": "it has no such setting"}),
    (GPU, {"xgmi_plpd": "optimized"}, {"xgmi_plpd": "it offers plpd_disallow, plpd_default, and not plpd_optimized"}),
    (dc.replace(GPU, offers={}), {"xgmi_plpd": "disallow"}, {"xgmi_plpd": "it offers none, and not plpd_disallow"}),
    (MI300X, {"performance_level": "high"}, {"performance_level": "MI300X takes auto, manual"}),
    (dc.replace(GPU, product="MI355X"), {"performance_level": "determinism 900"},
     {"performance_level": "MI355X has no determinism"}),
    (dc.replace(GPU, product="MI100"), {"performance_level": "high"}, {"performance_level": "nothing is known of what MI100 takes"}),
    (dc.replace(GPU, product=None), {"sclk_max_mhz": 900}, {
        "performance_level": "nothing is known of what this product takes", "sclk_max_mhz": "the level cannot be manual"}),
    (dc.replace(GPU, product=None, values={**GPU.values, "performance_level": "manual"}), {"sclk_max_mhz": 900},
     {"sclk_max_mhz": "nothing is known of the clocks of this product"}),
    (GPU, {"mclk_max_mhz": 900}, {"mclk_max_mhz": "this clock of MI210 takes no limit"}),
    (dc.replace(GPU, near_cpus=None), {"irq_affinity": "near"}, {"irq_affinity": "which CPUs are near it is unknown"}),
]


@pytest.mark.parametrize(("target", "settings", "why"), NOT_TO_BE_HAD, ids=[str(case[2]) for case in NOT_TO_BE_HAD])
def test_not_to_be_had(target: Target, settings: dict[str, t.Any], why: dict[str, str]) -> None:
    assert asked(target, **settings)[1] == why


@pytest.mark.parametrize(("settings", "sentence"), [
    ({"power_cap": "301 W"}, f"gpu {A}: power cap 301 W of profile mine is beyond the board, which takes 0 to 300 W; give it a cap "
     "between them"),
    ({"sclk_max_mhz": 1701}, f"gpu {A}: sclk max 1701 MHz of profile mine is beyond MI210, whose clock goes to 1700 MHz; give it a "
     "lower clock"),
    ({"sclk_min_mhz": 900, "sclk_max_mhz": 800}, f"gpu {A}: sclk max 800 MHz of profile mine is beyond sclk_min_mhz, which is 900 "
     "MHz; give it a higher clock"),
    ({"performance_level": "determinism 1701"}, f"gpu {A}: 1701 MHz is beyond MI210, whose clock goes to 1700 MHz; give it a "
     "lower clock"),
])
def test_beyond_the_board_is_refused_whatever_the_policy(settings: dict[str, t.Any], sentence: str) -> None:
    with pytest.raises(FleetError) as error:
        asked(GPU, **settings)
    assert error.value.sentence == sentence
