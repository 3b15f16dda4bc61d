# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The record of a node, written and read."""

from __future__ import annotations

import json
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation import record
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import (
    Checkpoint,
    Device,
    Grant,
    Record,
    Tenant,
    Wish,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.shape import Window

BARE = Device("0000:26:00.0-1", "0000:26:00.0", 1, 8)
FULL = Device("0000:05:00.0", "0000:05:00.0", 0, 1, "MI300X", "UUID-1", "GPU-00000000000000aa", "/dev/dri/renderD128", 0,
              "0-15,64-79", 206141652992, 304, ("0000:26:00.0",))
RECORD = Record(
    (Tenant("chat", ("ann",), checkpoint=Checkpoint(("/usr/bin/save",), "SIGUSR1", 5)), Tenant("train", protected=True)),
    (Grant(Wish("serving", "chat", "P0", gpus=1, windows=(Window((0,), 60, 120), Window((1,), 0, 0, -90))), (FULL,)),
     Grant(Wish("night", "train", "P1", devices=("0000:26:00.0-1",), share=25, memory_bandwidth=80), (BARE,))),
    (Device("0000:46:00.0", "0000:46:00.0", peers=()),), (FULL,))


@pytest.mark.parametrize("written", [RECORD, Record()])
def test_what_is_written_is_read(written: Record) -> None:
    assert record.read(record.text(written)) == written


def test_the_text() -> None:
    found = json.loads(record.text(RECORD))
    assert (found["version"], found["kind"], record.PATH) == ("v1", "reservation", "/var/lib/instinct/reservation.json")
    assert found["grants"][0]["wish"]["windows"][1] == {"days": ["tue"], "begins": "00:00", "ends": "00:00", "zone": "-01:30"}
    assert record.text(RECORD).endswith("}\n")


@pytest.mark.parametrize(("change", "sentence"), [
    ({"version": "v2"}, "file: version: is 'v2', which this version of the collection does not know; "
                        "go on with the later one that wrote the record"),
    ({"kind": "upgrade"}, "file: kind: is 'upgrade'; choose one of reservation"),
    ({"tenants": {}}, "file: tenants: is not a list; remove it, and reserve anew"),
    ({"tenants": [{"name": "A"}]}, "file: tenants[0].name: is 'A', which does not match [a-z][a-z0-9_]{0,26}; write it in that form"),
    ({"pool": [{"id": "0000:05:00.0"}]}, "file: pool[0].gpu: is missing; add it"),
    ({"grants": [{"wish": {}, "devices": []}]}, "file: grants[0].wish.name: is missing; add it"),
    ({"more": 1}, "file: more: is not a known key; remove it"),
])
def test_records_that_are_none(change: dict[str, t.Any], sentence: str) -> None:
    with pytest.raises(DataError) as caught:
        record.read(json.dumps({**json.loads(record.text(RECORD)), **change}), "file")
    assert caught.value.sentence == sentence


def test_what_is_no_json() -> None:
    with pytest.raises(DataError, match=r"file: is not JSON; remove it, and reserve anew"):
        record.read("{", "file")
