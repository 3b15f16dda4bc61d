# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a host asks for: variables as they may be wrong, and looks that do not tell enough."""

from __future__ import annotations

import contextlib
import dataclasses as dc
import json
import typing as t
from pathlib import Path

import pytest
from ansible.errors import AnsibleUndefinedVariable

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.health import quarantine
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.gpus import Gpus
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.managed import MANAGED_FILES
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.allocate import allocate
from ansible_collections.instinct.fleet.plugins.module_utils._look.sight import Sight
from ansible_collections.instinct.fleet.plugins.module_utils._look.wanted import Wanted
from ansible_collections.instinct.fleet.plugins.plugin_utils import reserving
from ansible_collections.instinct.fleet.tests.unit.plugins.simulated import SimulatedNode
from ansible_collections.instinct.fleet.tests.unit.support.reservations import BDFS
from ansible_collections.instinct.fleet.tests.unit.support.reserving import GPUS, SERVING, TENANTS, looked

ASKED = {"gpu_reservation_tenants": TENANTS, "gpu_reservation_list": [SERVING]}
RECORD = "/var/lib/instinct/reservation.json"
QUARANTINE = "/var/lib/instinct/quarantine.json"
HEALTH = "/var/lib/instinct/health.json"


class Broken(dict[str, t.Any]):
    """Variables of which one cannot be templated."""

    def get(self, key: str, default: t.Any = None) -> t.Any:
        if key == "gpu_reservation_tenants":
            raise AnsibleUndefinedVariable("'team' is undefined.")
        return super().get(key, default)


def test_a_demand() -> None:
    found = reserving.demand("a", {**ASKED, "gpu_reservation_spares": "2"}, looked({"tenants": [], "grants": [], "spares": [], "pool": []}))
    assert found and (found.node, found.spares, found.wishes[0].gpus, len(found.devices)) == ("a", 2, 2, 8)
    assert found.tenants[0].users == ("ann",) and found.before is not None
    assert (found.devices[3].compute_units, found.devices[3].peers) == (304, tuple(bdf for bdf in BDFS if bdf != BDFS[3]))


@pytest.mark.parametrize(("variables", "look", "asks"), [
    ({}, looked(), False), ({"gpu_reservation_spares": 0, "gpu_reservation_list": None}, looked(), False),
    ({"gpu_reservation_spares": 1}, looked(), True), ({}, looked({"tenants": [], "grants": [], "spares": [], "pool": []}), True),
    # Of a node that asks for nothing nothing need be known.
    ({}, looked(gpus=Gpus(unknown={"gpus": "no"})), False),
])
def test_who_asks(variables: dict[str, t.Any], look: dict[str, t.Any], asks: bool) -> None:
    assert (reserving.demand("a", variables, look) is not None) is asks


@pytest.mark.parametrize(("variables", "look", "sentence"), [
    ({"gpu_reservation_list": {}}, looked(), "gpu_reservation_list: is not a list; write it as [{name: serving, tenant: chat, priority: P0, gpus: 2}]"),
    ({"gpu_reservation_list": [{**SERVING, "name": 7}]}, looked(), "gpu_reservation_list[0].name: is a number, not text; put it in quotes"),
    *(({"gpu_reservation_spares": value}, looked(), f"gpu_reservation_spares: is {value!r}; write how many GPUs of the node are kept out of all "
       "work, or 0") for value in (-1, True, "5%", 1.5)),
    ({"gpu_reservation_tenants": {"a-b": {}}}, looked(), "gpu_reservation_tenants.a-b.name: is 'a-b', which does not match "
     "[a-z][a-z0-9_]{0,26}; write it in that form"),
    (Broken(ASKED), looked(), "gpu_reservation_tenants: cannot be templated: 'team' is undefined; correct it in the inventory"),
    ({}, looked(gpus=Gpus(unknown={"gpus": "sysfs is not there"})), "node: which GPUs it has is unknown: sysfs is not there; mend that on the node"),
    ({}, {"files": looked()["files"]}, "look: has no section gpus; ask gpu_node_info for it"),
    ({}, {"gpus": looked()["gpus"]}, "look: has no section files; ask gpu_node_info for it"),
    ({}, {**looked(), "files": {}}, f"{RECORD}: is not in the look; look at the node again"),
    ({}, {**looked(), "files": {**looked()["files"], "unknown": {f"files.{RECORD}": "permission denied"}}},
     f"{RECORD}: permission denied; look at the node again"),
    ({}, looked(sha256="x"), f"{RECORD}: is not JSON; remove it, and reserve anew"),
    ({}, looked(kept={QUARANTINE: "{"}), f"{QUARANTINE}: is not JSON; let instinct-gate say what is wrong with it"),
    ({"gpu_reservation_list_team": "x"}, looked(), "gpu_reservation_list_team: is not a list; write it as [{name: serving, tenant: chat, "
     "priority: P0, gpus: 2}]"),
    ({}, looked({"version": "v2"}), f"{RECORD}: version: is 'v2', which this version of the collection does not know; "
     "go on with the later one that wrote the record"),
])
def test_what_is_wrong(variables: dict[str, t.Any], look: dict[str, t.Any], sentence: str) -> None:
    given = variables if isinstance(variables, Broken) else {**ASKED, **variables}
    with pytest.raises(FleetError) as caught:
        reserving.demand("a", given, look)
    assert caught.value.sentence == sentence


def test_lists_of_several_groups_are_joined_by_the_names_of_their_variables() -> None:
    lists = {f"gpu_reservation_list{name}": [{**SERVING, "name": f"of{name}"}] for name in ("_b", "", "_a")}
    found = reserving.demand("a", {"gpu_reservation_tenants": TENANTS, **lists, "gpu_reservation_listed": 7}, looked())
    assert found and [one.name for one in found.wishes] == ["of", "of_a", "of_b"]


def gates(when: str, verdict: str) -> dict[str, t.Any]:
    return {"when": when, "since": when, "verdict": verdict, "gpus": {BDFS[0]: "pass", BDFS[1]: verdict}, "checks": []}


@pytest.mark.parametrize(("profiles", "words"), [
    ({}, ""), ({"admission": gates("2026-03-01", "fail"), "running": gates("2026-03-02", "warn")}, ""),
    ({"admission": gates("2026-03-01", "pass"), "running": gates("2026-03-02", "fail")}, "set aside (failed the gate running at 2026-03-02)"),
    ({"running": gates("2026-03-02", "unknown")}, ""),
])
def test_what_the_last_gate_failed_is_set_aside(profiles: dict[str, t.Any], words: str) -> None:
    text = json.dumps({"version": "v1", "kind": "health", "profiles": profiles})
    found = reserving.demand("a", ASKED, looked(kept={HEALTH: text}))
    assert found and dict(found.aside) == ({BDFS[1]: words} if words else {})


def test_a_node_in_quarantine_is_set_aside_as_a_whole() -> None:
    text = json.dumps(quarantine.Quarantine("person", "ann", "a fan is broken", "2026-03-01").to_dict())
    found = reserving.demand("a", ASKED, looked(kept={QUARANTINE: text, HEALTH: "{"}))
    assert found and found.aside == dict.fromkeys(BDFS, "set aside (quarantine set by ann at 2026-03-01: a fan is broken)")


def test_products_of_a_site(tmp_path: t.Any) -> None:
    """Without a product nothing is known of compute units; a directory of the site may say it."""
    unknown = Gpus(tuple(dc.replace(gpu, product="MI999") for gpu in GPUS.gpus))
    found = reserving.demand("a", ASKED, looked(gpus=unknown))
    assert found and found.devices[0].compute_units is None
    with pytest.raises(FleetError, match="nowhere"):
        reserving.demand("a", {**ASKED, "gpu_partition_catalogue_dirs": [str(tmp_path / "nowhere")]}, looked())


OF_ALL = {**SERVING, "scope": "fleet"}


@pytest.mark.parametrize(("asked", "others", "host"), [
    (OF_ALL, {"c": {"gpu_reservation_list": [{}, OF_ALL]}, "b": {"gpu_reservation_list": [OF_ALL]}}, "b"), (OF_ALL, {}, ""),
    (OF_ALL, {"b": {"gpu_reservation_list": [SERVING, {**OF_ALL, "name": "other"}, 7]}}, ""), (SERVING, {"b": {"gpu_reservation_list": [OF_ALL]}}, ""),
    (OF_ALL, {"b": {"gpu_reservation_list": "{{ theirs }}"}, "c": {}}, ""), (OF_ALL, {"b": {"gpu_reservation_list_all": [OF_ALL]}}, "b"),
])
def test_a_part_of_the_nodes_that_ask_for_a_wish_of_the_fleet(asked: dict[str, t.Any], others: dict[str, dict[str, t.Any]], host: str) -> None:
    demand = reserving.demand("a", {**ASKED, "gpu_reservation_list": [asked]}, looked())
    assert demand
    sentence = f"reservation serving: is one of the fleet, and {host}, which asks for it too, is not in this play; run it without --limit"
    with pytest.raises(FleetError, match=sentence) if host else contextlib.nullcontext():
        reserving.refuse_parts([demand], others)


def test_two_islands_of_a_simulated_node(tmp_path: Path) -> None:
    """From the look at eight MI100 to the plan: both islands are found, and what is there is kept."""
    machine = SimulatedNode(tmp_path, "mi100", gpus=8).machine()
    seen = Sight(machine, Wanted(files=MANAGED_FILES)).take(["gpus", "files"])
    wishes = [{**SERVING, "name": name, "gpus": gpus} for name, gpus in (("a", 3), ("b", 4))]
    found = reserving.demand("n", {**ASKED, "gpu_reservation_list": wishes}, json.loads(json.dumps(dc.asdict(seen))))
    assert found
    record = allocate(dc.replace(found, spares=1))
    names = sorted(device.gpu for device in found.devices)
    assert [[device.id for device in grant.devices] for grant in record.grants] == [names[:3], names[4:]]
    assert [device.id for device in record.spares] == names[3:4]
    assert {(device.product, device.compute_units, device.near_cpus) for device in record.grants[0].devices} == {("MI100", 120, "0-47")}


def test_misspelt_variables() -> None:
    reserving.refuse_misspelt(["gpu_reservation_list", "gpu_reservation_list_night", "gpu_reservation_look", "other"], "gpu_reservation_look")
    with pytest.raises(FleetError, match="did you mean gpu_reservation_list"):
        reserving.refuse_misspelt(["gpu_reservation_lst"], "gpu_reservation_look")
