# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Evictions on a node whose GPUs are reserved: real processes of tenants go as they can; what they held is freed."""

from __future__ import annotations

import base64
import json
import os
import re
from pathlib import Path

import playbook
import pytest

testinfra_hosts = ["ansible://tn-a"]

HERE = Path(os.environ["MOLECULE_SCENARIO_DIRECTORY"])
PROGRAM = HERE.parents[1] / "tests/simulator/programs/gpu_program.py"
GIB = 1 << 30
TENANTS = {"inference": {"units": ["serving.service"]}, "training": {"units": ["train.service"]},
           "trials": {"units": ["trial.service"],
                      "checkpoint": {"command": ["/bin/sh", "-c", "echo $INSTINCT_PIDS >> /run/saved"], "seconds": 5}}}
LIST = [{"name": "serve", "tenant": "inference", "priority": "P0", "gpus": 4},
        {"name": "train", "tenant": "training", "priority": "P1", "gpus": 2},
        {"name": "try", "tenant": "trials", "priority": "P2", "gpus": 1}]


@pytest.fixture
def reserved(host, tmp_path):
    """The node is told whose its GPUs are; tenant -> numbers of them. Nobody is on them, before and after."""
    host.check_output("instinct-sim heal")
    encoded = base64.b64encode(PROGRAM.read_bytes()).decode()
    host.check_output(f"rm -f /run/saved /run/trained; echo {encoded} | base64 -d > /root/gpu_program.py")
    path = tmp_path / "reservations.json"
    given = {"gpu_reservation_tenants": TENANTS, "gpu_reservation_list": LIST, "fleet_reservation_path": str(path)}
    ran = playbook.run("reserve", "tn-a", given)
    node = json.loads(path.read_text(encoding="utf-8"))["nodes"]["tn-a"]
    assert node["status"] == "seen", ran.stdout + ran.stderr
    found = {}
    for index, one in enumerate(node["devices"]):
        found.setdefault((one["tenants"] or [one["state"]])[0], []).append((index, one["id"]))
    yield found
    host.run("systemctl stop train.service trial.service stranger.service")
    host.check_output("instinct-sim heal")


def program(host, unit: str, gpu: int, *manner: str) -> int:
    """A program that holds a GPU, in a unit of its own; its number once the driver knows it.

    The simulator's watch over it is in the unit, too, and must outlive it.
    """
    enter = f"/usr/bin/env instinct-sim fault busy gpu={gpu} vram={12 * GIB} pid={{pid}}"
    begin = f"systemd-run --collect --property=KillMode=process --unit={unit}"
    host.check_output(f"{begin} python3 /root/gpu_program.py '{enter}' {' '.join(manner)}")
    ask = f"systemctl show --property=MainPID --value {unit}"
    return int(host.check_output(f"until test -e /sys/class/kfd/kfd/proc/$({ask})/pasid; do sleep 0.1; done; {ask}"))


def evict(*options: str, **asked: object) -> dict:
    """What the module returns; a failure, too."""
    ran = playbook.run(str(HERE / "evict.yml"), "tn-a", asked, *options)
    found = playbook.results(ran)
    assert found, ran.stdout + ran.stderr
    return found[-1]["result"]


def told(result: dict) -> list[tuple[int, str]]:
    """Who was told, in order, and what became of it."""
    return [(one["pid"], one["result"]) for one in result["processes"]]


def figures(capsys, story: str, result: dict) -> None:
    """Print how long each took and what was freed."""
    with capsys.disabled():
        for one in result["processes"]:
            print(f"\n{story:12} pid {one['pid']} {one['result']:10} {one['seconds']} s", end="")
        print(f"\n{story:12} freed {(result['freed_bytes'] or 0) / GIB:.1f} GiB in {result['seconds']} s", end="")


def who_does_not_belong_there_goes(host, capsys, gpu: int, device: str) -> None:
    """A dry run names exactly who would go; P0 stays, and is refused where everybody is to go."""
    host.check_output(f"instinct-sim fault busy gpu={gpu} vram={GIB} unit=serving.service")
    served = int(host.check_output("ls /sys/class/kfd/kfd/proc"))
    trainer = program(host, "train.service", gpu, "end")
    foretold = evict("--check", reservation="serve")
    (line,) = foretold["actions"]
    assert line == (f"send SIGTERM to pid {trainer} (python3, root, train.service, tenant training), class P1, "
                    f"on {device} (12.0 GiB); grace 30 s")
    assert host.run(f"test -d /proc/{trainer}").rc == 0
    refused = evict(devices=[device], whom="all")
    holder = f"pid {served} (sleep, root, serving.service, tenant inference)"
    assert refused["msg"] == (f"device {device}: is held by {holder}, and class P0 is never evicted; "
                              "choose other devices, or whom=trespassers")
    assert host.run(f"test -d /proc/{trainer}").rc == 0
    done = evict(reservation="serve")
    assert (told(done), done["survivors"], done["freed_bytes"]) == ([(trainer, "SIGTERM")], [], 12 * GIB)
    assert all(one["released"] for one in done["devices"]) and host.run(f"test -d /proc/{served}").rc == 0
    assert evict(reservation="serve")["changed"] is False
    figures(capsys, "trespass", done)
    assert '"what": "evict"' in host.check_output("tail -n 1 /var/lib/instinct/journal.jsonl")


def each_goes_in_its_turn(host, capsys, gpu: int, device: str) -> None:
    """A stranger first, then P2 with its state saved, then P1; one saves its state itself, one forks on its way out."""
    trainer = program(host, "train.service", gpu, "save", "/run/trained")
    trial = program(host, "trial.service", gpu, "end")
    stranger = program(host, "stranger.service", gpu, "fork")
    done = evict(devices=[device], whom="all")
    pids = [pid for pid, _how in told(done)]
    assert (pids[0], pids[2:], {how for _pid, how in told(done)}) == (stranger, [trial, trainer], {"SIGTERM"}), done
    assert [one["priority"] for one in done["processes"]] == ["P2", "P2", "P2", "P1"]
    saved = [host.file(path).content_string for path in ("/run/saved", "/run/trained")]
    assert saved == [f"{trial}\n", "SIGTERM"]
    assert (done["freed_bytes"], done["devices"][0]["pids_after"]) == (36 * GIB, [])
    figures(capsys, "in turn", done)


def who_stays_is_killed_if_that_is_allowed(host, capsys, gpu: int, device: str) -> None:
    trial = program(host, "trial.service", gpu, "ignore")
    failed = evict(devices=[device], whom="all", grace={"P2": 1})
    assert (told(failed), failed["survivors"]) == ([(trial, "stays")], [trial])
    assert failed["devices"][0]["released"] is False
    assert failed["msg"].endswith("stays; allow more (kill_allowed, reset_allowed), or wait and run again")
    figures(capsys, "ignored", failed)
    done = evict(devices=[device], whom="all", grace={"P2": 1}, kill_allowed=True)
    assert (told(done), done["freed_bytes"]) == ([(trial, "SIGKILL")], 12 * GIB)
    figures(capsys, "killed", done)


def who_gives_it_back_lives_on(host, capsys, gpu: int, device: str) -> None:
    """It is not killed, though that is allowed, and nobody waits for it."""
    trial = program(host, "trial.service", gpu, "release", "'/usr/bin/env instinct-sim heal busy'")
    done = evict(devices=[device], whom="all", kill_allowed=True)
    assert (told(done), done["devices"][0]["released"], done["freed_bytes"]) == ([(trial, "let_go")], True, 12 * GIB)
    assert host.run(f"test -d /proc/{trial}").rc == 0 and done["seconds"] < 15
    figures(capsys, "gave back", done)
    host.check_output("systemctl stop trial.service && rm /run/saved")


def a_number_that_another_process_has_by_now(host, gpu: int, device: str) -> None:
    """The driver's list names a process that has nothing to do with GPUs: it is told, and left alone."""
    other = int(host.check_output("systemctl show --property=MainPID --value serving.service"))
    host.check_output(f"instinct-sim fault busy gpu={gpu} vram={GIB} pid={other}")
    done = evict(devices=[device], whom="all", kill_allowed=True)
    (kept,) = done["kept"]
    assert (kept["pid"], done["actions"], done["devices"][0]["released"]) == (other, [], False)
    assert f"process {other} has not opened /dev/kfd, /dev/dri/renderD" in kept["reason"]
    assert host.run(f"test -d /proc/{other}").rc == 0
    host.check_output("instinct-sim heal busy")


def what_the_driver_keeps_is_no_success(host, gpu: int, device: str) -> None:
    """A process that is gone, and the driver still has it: a reset helps if no neighbour works. Memory of nobody."""
    host.check_output(f"instinct-sim fault zombie gpu={gpu} pid=4194001")
    failed = evict(devices=[device], whom="all", reset_allowed=True)
    assert re.fullmatch(r"pid 4194001 \(tenant unknown\) ended, and the driver still has it, and \S+ is not reset: "
                        r"pid \d+ \(sleep, root, serving\.service, tenant inference\) is on a GPU that the reset would "
                        r"reach",
                        failed["devices"][0]["reason"]), failed
    assert (failed["changed"], failed["devices"][0]["released"]) == (False, False)
    host.check_output("instinct-sim heal busy")
    done = evict(devices=[device], whom="all", reset_allowed=True)
    assert (done["actions"], done["devices"][0]["released"]) == ([f"reset {device}"], True)
    host.check_output("instinct-sim fault vram_leak gpu=0")
    failed = evict(reservation="serve")
    assert failed["devices"][0]["reason"] == "60000 MiB are in use that no process holds"


# One test, for two would run side by side on the one node.
def test_evictions(host, capsys, reserved):
    who_gives_it_back_lives_on(host, capsys, *reserved["trials"][0])
    a_number_that_another_process_has_by_now(host, *reserved["trials"][0])
    who_does_not_belong_there_goes(host, capsys, *reserved["inference"][0])
    each_goes_in_its_turn(host, capsys, *reserved["training"][0])
    who_stays_is_killed_if_that_is_allowed(host, capsys, *reserved["trials"][0])
    what_the_driver_keeps_is_no_success(host, *reserved["training"][1])
