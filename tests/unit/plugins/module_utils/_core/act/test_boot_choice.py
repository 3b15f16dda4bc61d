# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which kernel boots next, and which comes back if that does not come up."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.act.boot_choice import Choice, choice


@pytest.mark.parametrize(("wanted", "kept", "proved", "chosen"), [
    ("6.12", False, True, Choice("6.12", "6.1")),
    ("6.12", False, False, Choice("6.12", "6.12")),
    ("6.12", True, True, Choice("6.12", "6.12")),
    (None, False, True, Choice("6.1", "6.1")),
    ("", True, False, Choice("6.1", "6.1")),
], ids=["a reboot will prove it", "nobody proves it", "it was proved before it was kept", "none is pinned", "none was pinned"])
def test_what_is_known_to_work_comes_back(wanted: str | None, kept: bool, proved: bool, chosen: Choice) -> None:
    assert choice(wanted, "6.1", kept, proved) == chosen
