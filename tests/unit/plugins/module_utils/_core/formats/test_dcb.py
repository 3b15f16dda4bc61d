# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What dcb says of an interface."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.dcb import Dcb, parse


@pytest.mark.parametrize(("pfc", "app", "found"), [
    ("prio-pfc 0:off 1:off 2:off 3:on 4:on 5:off 6:off 7:off\n", "dscp-prio 24:3 46:6 \n", Dcb((3, 4), {24: 3, 46: 6})),
    ("prio-pfc 0:off 1:off 2:off 3:off 4:off 5:off 6:off 7:off\n", "", Dcb((), {})), ("", "dscp-prio 24:3", None),
])
def test_parse(pfc: str, app: str, found: Dcb | None) -> None:
    assert parse(pfc, app) == found
