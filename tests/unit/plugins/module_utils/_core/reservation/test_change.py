# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a plan changes, in words."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.change import changes
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import (
    Device,
    Grant,
    Record,
    Tenant,
)
from ansible_collections.instinct.fleet.tests.unit.support.reservations import MI300X, wish

ONE, CHAT = wish("a", gpus=1), Tenant("chat")


def record(*gpus: int, spare: tuple[Device, ...] = (), tenant: Tenant = CHAT) -> Record:
    return Record((tenant,), (Grant(ONE, tuple(MI300X[gpu] for gpu in gpus)),), spare)


@pytest.mark.parametrize(("before", "after", "words"), [
    (None, record(0, 1, spare=MI300X[7:]), ("a of chat gets 0000:05:00.0, 0000:26:00.0", "spare gets 0000:e5:00.0")),
    (record(0), record(0), ()), (record(0, 1), record(1, 2), ("a of chat loses 0000:05:00.0 and gets 0000:46:00.0",)),
    (record(0), Record(), ("a of chat loses 0000:05:00.0",)), (record(0, spare=MI300X[7:]), record(0), ("spare loses 0000:e5:00.0",)),
    (record(0), Record((Tenant("chat"),), (Grant(dc.replace(ONE, priority="P0"), MI300X[:1]),)), ("a of chat has other terms",)),
    (record(0), record(0, tenant=Tenant("chat", ("ann",))), ("tenant chat has other users, units or ways to save",)),
    # The same name for another tenant is another reservation.
    (record(0), Record((Tenant("train"),), (Grant(dc.replace(ONE, tenant="train"), MI300X[:1]),)),
     ("a of chat loses 0000:05:00.0", "a of train gets 0000:05:00.0")),
    (record(0), Record((Tenant("chat"),), (Grant(ONE, (dc.replace(MI300X[0], render_node="/dev/dri/renderD200"),)),)),
     ("what is told of its devices",)),
])
def test_changes(before: Record | None, after: Record, words: tuple[str, ...]) -> None:
    assert changes(before, after) == words
