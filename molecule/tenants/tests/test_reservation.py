# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Devices of a node are given, given to others without a restart, given again after one, and taken back.

A node's container may open no device at all, but it says so only after the permissions of the file were asked: what
those refuse is EACCES, and what they would let in is EPERM.
"""

from __future__ import annotations

import datetime
import os
import re
from pathlib import Path

import playbook
from partitioned import changed, reboot, result, role, unit

testinfra_hosts = ["ansible://tn-a"]

APPLY = "Give each device to its tenant, and keep others from it"
TENANTS = {"vision": {"users": ["alice"], "units": ["serving.service"]},
           "research": {"users": ["bob"], "slurm_accounts": ["physics"]}}
GPUS = [f"0000:{bus}:00.0" for bus in ("05", "26", "46", "65", "85", "a6", "c6", "e5")]
A, B, C, D, SHARED, NIGHT, FREE, SPARE = (f"/dev/dri/renderD{minor}" for minor in range(128, 192, 8))
SOME_OTHER_DAY = (datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=3)).strftime("%a").lower()
LIST = [
    {"name": "serving", "tenant": "vision", "priority": "P0", "devices": [*GPUS[:2]]},
    {"name": "training", "tenant": "research", "priority": "P1", "devices": [*GPUS[2:4]]},
    {"name": "shared_a", "tenant": "vision", "priority": "P1", "devices": [GPUS[4]], "share": 75,
     "memory_bandwidth": 80},
    {"name": "shared_b", "tenant": "research", "priority": "P1", "devices": [GPUS[4]], "share": 25},
    {"name": "night", "tenant": "research", "priority": "P2", "devices": [GPUS[5]],
     "windows": [{"days": [SOME_OTHER_DAY], "begins": "22:00", "ends": "06:00"}]},
]
# A program that says with which error each device was refused.
OPEN = """import os, sys
for path in sys.argv[1:]:
    try:
        os.close(os.open(path, os.O_RDWR))
    except OSError as error:
        print(error.errno, end=" ")
"""
REFUSED, LET_IN = "13", "1"


def reserve(*options: str, **variables: object):
    given = {"gpu_reservation_tenants": TENANTS, "gpu_reservation_list": LIST,
             "gpu_reservation_slurm_gres": "/etc/slurm/gres.conf"}
    scenario = Path(os.environ["MOLECULE_SCENARIO_DIRECTORY"])
    return playbook.run(str(scenario / "reserve.yml"), "tn-a", {**given, **variables}, *options)


def lets_in(host, user: str) -> set[str]:
    """What the permissions of device nodes let a user open."""
    paths = ["/dev/kfd", A, B, C, D, SHARED, NIGHT, FREE, SPARE]
    said = host.check_output(f"runuser -u {user} -- python3 -c '{OPEN}' {' '.join(paths)}").split()
    assert len(said) == len(paths) and set(said) <= {REFUSED, LET_IN}, said
    return {path for path, error in zip(paths, said, strict=True) if error == LET_IN}


def state(host) -> str:
    """Of all that the role touches."""
    found = "find /etc /var/lib/instinct /dev/kfd /dev/dri -printf '%p %u:%g %m %s\\n'"
    return host.check_output(f"{found} | sort | sha256sum")


def check_mode_tells_what_a_run_does(host) -> None:
    before = state(host)
    told = result(reserve("--check", "--diff"), APPLY)
    assert state(host) == before
    done = reserve("--diff")
    assert changed(done)
    assert (told["actions"], told["diff"]) == (result(done, APPLY)["actions"], result(done, APPLY)["diff"])
    marks = {f"{one['tenant']} {one['what']}".strip(): one["mark"] for one in result(done, APPLY)["settings"]}
    # A container has no say over devices, CPUs and memory, and says so.
    assert {marks[f"vision {what}"] for what in ("slice", "logins", "units", "CPUs", "memory")} == {"intent"}
    assert (marks["vision device nodes"], marks["vision HSA_CU_MASK"], marks["CDI"]) == (
        "enforcing", "cooperative", "cooperative")
    assert marks["vision memory_bandwidth of shared_a"] == "intent"
    assert not changed(reserve())


def each_opens_its_own(host) -> None:
    """A device whose window is closed is nobody's; a user of no tenant comes to none."""
    assert lets_in(host, "alice") == {"/dev/kfd", A, B, SHARED, NIGHT, FREE}
    assert lets_in(host, "bob") == {"/dev/kfd", C, D, SHARED, NIGHT, FREE}
    assert lets_in(host, "carol") == set()


def systemd_knows(host) -> None:
    for name, nodes in (("tenant-vision.slice", (A, B, SHARED)), ("serving.service", (A, B, SHARED)),
                        ("tenant-research.slice", (C, D, SHARED))):
        assert (unit(host, name, "DevicePolicy"), unit(host, name, "NeedDaemonReload")) == ("closed", "no")
        allowed = unit(host, name, "DeviceAllow")
        assert [path for path in (A, B, C, D, SHARED, NIGHT, FREE, SPARE) if f"{path} rw" in allowed] == [*nodes]
    assert unit(host, "tenant-vision.slice", "AllowedMemoryNodes")
    assert unit(host, "instinct-reservation.timer", "ActiveState") == "active"
    limits = host.file("/etc/security/limits.d/72-instinct-reservation.conf").content_string
    assert "@gpu-vision - memlock unlimited" in limits
    assert "HSA_CU_MASK=2:0-227" in host.file("/etc/instinct/tenants/vision.env").content_string
    files = re.findall(r"Type=(\S+) File=(\S+)", host.file("/etc/slurm/gres.conf").content_string)
    assert files == [("mi300x_research", "/dev/dri/renderD[144,152]"),
                     ("mi300x_research", "/dev/dri/renderD[160,168]"), ("mi300x", FREE)]


def what_somebody_changes_is_put_right(host) -> None:
    assert host.run("instinct-reservation status").rc == 0
    host.check_output(f"chmod 0666 {A} && chown alice {C} && rm /etc/instinct/tenants/vision.env")
    said = host.run("instinct-reservation status")
    assert said.rc == 1 and f"set {A} to root:gpu-vision 0660" in said.stdout and "not as told" in said.stdout
    host.check_output("instinct-reservation apply && instinct-reservation status")
    each_opens_its_own(host)


def udev_calls_who_gives_a_list_of_groups(host) -> None:
    """What the rule of a shared device runs."""
    rules = host.file("/etc/udev/rules.d/72-instinct-reservation.rules").content_string
    assert 'RUN+="/usr/bin/systemctl --no-block start instinct-reservation.service"' in rules
    host.check_output(f"chmod 0600 {SHARED} && systemctl start instinct-reservation.service")
    each_opens_its_own(host)


def given_to_others_without_a_restart(host) -> None:
    before = host.check_output("cat /proc/sys/kernel/random/boot_id"), unit(host, "serving.service", "MainPID")
    swapped = [{**LIST[0], "devices": [*GPUS[2:4]]}, {**LIST[1], "devices": [*GPUS[:2]]}, *LIST[2:]]
    ran = reserve(gpu_reservation_list=swapped)
    assert changed(ran) and result(ran, APPLY)["pending"] == ["serving.service"]
    assert lets_in(host, "alice") == {"/dev/kfd", C, D, SHARED, NIGHT, FREE}
    assert lets_in(host, "bob") == {"/dev/kfd", A, B, SHARED, NIGHT, FREE}
    after = host.check_output("cat /proc/sys/kernel/random/boot_id"), unit(host, "serving.service", "MainPID")
    assert before == after
    assert changed(reserve())
    each_opens_its_own(host)


def after_a_restart(host) -> None:
    """Device nodes are new then, and this container has no udev: the unit gives them."""
    reboot("tn-a")
    each_opens_its_own(host)
    assert host.run("instinct-reservation status").rc == 0
    assert unit(host, "serving.service", "ControlGroup").endswith("/tenant.slice/tenant-vision.slice/serving.service")


def who_leaves_a_tenant_leaves_its_devices(host) -> None:
    others = {**TENANTS, "vision": {"users": ["carol"], "units": ["serving.service"]}}
    assert changed(reserve(gpu_reservation_tenants=others))
    assert lets_in(host, "alice") == set() and A in lets_in(host, "carol")


def refused_before_the_first_change(host) -> None:
    before = state(host)
    for variables, sentence in (
        ({"gpu_reservation_tenants": {**TENANTS, "vision": {"users": ["mallory"]}}},
         "user mallory of tenant vision: does not exist on the node; "),
        ({"gpu_reservation_render_gid": 0}, "gpu_reservation_render_gid: 0 is the number of group root on this node; "),
        ({"gpu_reservation_list": [*LIST, {**LIST[1], "name": "more"}]}, ""),
    ):
        ran = reserve(**variables)
        assert ran.returncode != 0 and playbook.refusals(ran)[0].startswith(sentence), playbook.refusals(ran)
        assert state(host) == before


def taken_back(host) -> None:
    assert changed(role("tn-a", entry="remove", role="gpu_reservation"))
    nodes = "find /dev/kfd /dev/dri -type c ! -name 'card*' -printf '%u:%g %m\\n' | sort -u"
    assert host.check_output(nodes) == "root:render 660"
    assert host.check_output("getent group render").endswith(":")
    assert host.check_output("getent group gpu-vision").endswith(":")  # its number goes to no other
    assert host.run("instinct-reservation status").rc == 127
    left = "find /etc /var/lib/instinct /usr/local -path '*instinct*reservation*' -o -name 'tenant-*'"
    assert host.check_output(left) == ""
    assert not changed(role("tn-a", entry="remove", role="gpu_reservation"))


# One test, for its parts build on each other.
def test_reservation(host) -> None:
    host.check_output("instinct-sim heal")
    role("tn-a", entry="remove", role="gpu_reservation")
    check_mode_tells_what_a_run_does(host)
    each_opens_its_own(host)
    systemd_knows(host)
    what_somebody_changes_is_put_right(host)
    udev_calls_who_gives_a_list_of_groups(host)
    given_to_others_without_a_restart(host)
    after_a_restart(host)
    who_leaves_a_tenant_leaves_its_devices(host)
    refused_before_the_first_change(host)
    taken_back(host)
