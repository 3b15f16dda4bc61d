# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What nobody told is said field by field."""

from __future__ import annotations

from ansible_collections.instinct.fleet.plugins.module_utils._core.bundle.facts import UNTOLD, Facts, untold
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Link


def test_untold_fields_are_named() -> None:
    assert untold(Link(width=0, speed_mts=None), ("max_width",)) == {"speed_mts": UNTOLD, "max_speed_mts": UNTOLD}


def test_facts_begin_with_nothing_and_share_nothing() -> None:
    Facts().amdsmi[0] = Facts().amdsmi.setdefault(1, None)  # type: ignore[arg-type, assignment]
    assert (Facts().amdsmi, Facts().modules, Facts().kfd_processes) == ({}, None, None)
