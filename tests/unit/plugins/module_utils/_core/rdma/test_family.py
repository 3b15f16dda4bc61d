# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One of two things that cannot stand side by side."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.family import Side

LIB = "/usr/lib/libx-rdmav34.so"


@pytest.mark.parametrize(("side", "found"), [
    (Side(("a", "b", "c")), ("a 1", "b 2mlnx3")), (Side(("a", "b"), like="mlnx"), ("b 2mlnx3",)),
    (Side(("a", "b"), unlike="mlnx"), ("a 1",)), (Side(("c",)), ()), (Side(paths=("/usr/lib/libx-rdmav*.so",)), (LIB,)),
    (Side(paths=("/usr/*.so",)), ()), (Side(("a",), ("/usr/lib/libx-rdmav34xso",)), ("a 1",)),
])
def test_a_side(side: Side, found: tuple[str, ...]) -> None:
    assert side.found({"a": "1", "b": "2mlnx3"}, {LIB}) == found
