# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of others are left."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.act.fileset import Seen, Wanted
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_foreign import ours
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_names import HEADER

GRES = "/etc/slurm/gres.conf"


def test_a_file_of_others_is_neither_replaced_nor_removed() -> None:
    found, wanted = {GRES: Seen("file", b"Name=gpu\n")}, Wanted(GRES, b"new")
    assert ours((Wanted(GRES),), found, refuses=True) == ()
    with pytest.raises(FleetError) as caught:
        ours((wanted,), found, refuses=True)
    assert caught.value.sentence == (f"{GRES}: is there, and the role gpu_reservation did not write it; "
                                     "move it away, or let the role write to another path")
    assert ours((wanted,), found, refuses=False) == ()


@pytest.mark.parametrize(("path", "seen"), [
    (GRES, Seen()), (GRES, Seen("file", HEADER.encode() + b"more")), ("/etc/cdi/instinct-tenants.json", Seen("file", b"{}")),
])
def test_what_is_not_there_or_ours_is_of_the_set(path: str, seen: Seen) -> None:
    assert ours((Wanted(path, b"new"),), {path: seen}, refuses=True) == (Wanted(path, b"new"),)
