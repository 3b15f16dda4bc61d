# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Training on the devices of inference: found with one command, one finding for each device, the tenant by name.

A node's container may open no device at all, so permissions are told by what refuses: they say EACCES, and where they
would let somebody in, the container says EPERM.
"""

from __future__ import annotations

import json
from pathlib import Path

import playbook
import pytest

testinfra_hosts = ["ansible://tn-a"]

TENANTS = {"inference": {"users": ["alice"], "units": ["serving.service"]},
           "training": {"users": ["bob"], "units": ["training.service"]}}
LIST = [{"name": "serve", "tenant": "inference", "priority": "P0", "gpus": 4, "link": "all_to_all"},
        {"name": "train", "tenant": "training", "priority": "P1", "gpus": 3}]
FILES, POLICY = "the permissions of the file", "the device policy of its control group"


def told(path: Path, name: str, **variables: object) -> tuple[dict, str, int]:
    """What a playbook says of the node, its output and its exit code."""
    given = {"gpu_reservation_tenants": TENANTS, "gpu_reservation_list": LIST, "fleet_reservation_path": str(path)}
    ran = playbook.run(name, "tn-a", {**given, **variables})
    return json.loads(path.read_text(encoding="utf-8"))["nodes"]["tn-a"], ran.stdout + ran.stderr, ran.returncode


@pytest.fixture
def clean(host):
    """Nobody is on a GPU, before and after."""
    host.check_output("instinct-sim heal")
    yield
    host.check_output("instinct-sim heal")


def test_trespass(host, clean, tmp_path):
    path = tmp_path / "reservations.json"
    node, output, _code = told(path, "reserve")
    assert node["status"] == "seen", output
    owners = {one["id"]: one["tenants"] or [one["state"]] for one in node["devices"]}
    assert sorted(owners.values()) == [["inference"]] * 4 + [["spare"]] + [["training"]] * 3
    proofs = {(one["who"], one["subject"]): one["why"] for one in node["proofs"] if "card" not in one["path"]}
    for who, tenant in (("user alice of inference", "inference"), ("user bob of training", "training")):
        assert proofs[who, "/dev/kfd"] == POLICY
        assert {device: proofs[who, device] for device in owners} == {
            device: POLICY if owner == [tenant] else FILES for device, owner in owners.items()}
    assert {proofs["stranger", subject] for subject in ("/dev/kfd", *owners)} == {FILES}

    # 32 processes of training, eight on each device of inference; and inference itself.
    held = [index for index, owner in enumerate(owners.values()) if owner == ["inference"]]
    for gpu in held:
        for _process in range(8):
            host.check_output(f"instinct-sim fault busy gpu={gpu} unit=training.service")
    host.check_output(f"instinct-sim fault busy gpu={held[0]} unit=serving.service")
    node, output, code = told(path, "jobs", fleet_reservation_detailed_exitcode=True)
    assert (node["verdict"], code) == ("trespass", 2), output
    mine = [device for device, owner in owners.items() if owner == ["inference"]]
    summary = "8 processes of tenant training hold it, and it is reserved for tenant inference (P0)"
    assert [(one["subject"], one["summary"], one["count"]) for one in node["findings"]] == [
        (device, summary, 8) for device in mine]
    assert all(f"{device}: {summary}" in " ".join(output.split()) for device in mine)
    holders = next(one for one in node["devices"] if one["id"] == mine[0])["holders"]
    assert sorted((one["tenant"], one["verdict"]) for one in holders) == [
        ("inference", "ok"), *[("training", "trespass")] * 8]
    assert {(one["units"][-1], one["vram_bytes"], bool(one["since"])) for one in holders} == {
        (unit, 1 << 30, True) for unit in ("serving.service", "training.service")}

    # Who has reserved them is no trespasser, and what is gone leaves nothing behind.
    host.check_output("instinct-sim heal")
    node, output, code = told(path, "jobs", fleet_reservation_detailed_exitcode=True)
    assert (node["verdict"], node["findings"], code) == ("ok", [], 0), output


def test_containers_and_the_dead(host, clean, tmp_path):
    path = tmp_path / "jobs.json"
    told(path, "reserve")
    mine = next(index for index, one in enumerate(told(path, "jobs")[0]["devices"]) if one["tenants"] == ["inference"])
    host.check_output(f"instinct-sim fault busy gpu={mine} cgroup=machine.slice/libpod-{'ab' * 32}.scope")
    host.check_output(f"instinct-sim fault zombie gpu={mine}")
    device = told(path, "jobs")[0]["devices"][mine]
    assert device["verdict"] == "unknown", device
    reasons = sorted(next(iter(one["unknown"].values())) for one in device["holders"])
    assert reasons[0] == "it is gone, and KFD still has it" and "podman" in reasons[1]
    assert {one["container"] for one in device["holders"]} == {None, "ab" * 32}


ONE = {"name": "a", "tenant": "inference", "priority": "P0", "devices": ["0000:05:00.0"]}
BAD = {
    "an unknown tenant": ([{**ONE, "tenant": "nobodys"}], "no such tenant is known"),
    "exact devices that overlap": ([ONE, {**ONE, "name": "b", "tenant": "training"}], "is reserved by a of inference"),
    "a share that is no multiple": ([{**ONE, "share": 33}], "multiple"),
}


@pytest.mark.parametrize(("wishes", "words"), BAD.values(), ids=BAD)
def test_what_cannot_be_is_one_sentence_and_nothing_is_written(host, clean, wishes, words):
    look = "find /etc/instinct /etc/udev/rules.d /etc/systemd/system /var/lib/instinct -type f -exec sha256sum {} +"
    before = host.check_output(look)
    given = {"gpu_reservation_tenants": TENANTS, "gpu_reservation_list": wishes}
    ran = playbook.run("reserve", "tn-a", given)
    (refusal,) = playbook.refusals(ran)
    assert (ran.returncode, words in refusal, refusal.count("\n")) == (1, True, 0), ran.stdout
    assert host.check_output(look) == before
