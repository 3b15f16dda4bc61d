# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each tenant opens its own GPU and no other: real udev, modes and device policies; at once, and after a reboot."""

from __future__ import annotations

import json
import time

import pytest
from simmachine import machines

TENANTS = {"red": {"users": ["alice"]}, "blue": {"users": ["bob"]}}
# Opens what the collection is to keep shut, without the collection.
TRY = r"""
import errno, json, os, pathlib, pwd, subprocess, sys
OPEN = '''
import errno, json, os, sys
said = []
for path in sys.argv[1:]:
    try:
        os.close(os.open(path, os.O_RDWR))
        said.append("")
    except OSError as error:
        said.append(errno.errorcode[error.errno])
print(json.dumps(said))
'''
paths = ["/dev/kfd"]
for gpu in sorted(path for path in pathlib.Path("/sys/bus/pci/drivers/amdgpu").glob("0000:*")):
    paths.append("/dev/dri/" + min(node.name for node in (gpu / "drm").glob("renderD*")))
def said(*words, **how):
    command = [*words, sys.executable, "-c", OPEN, *paths]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True, **how).stdout)
JOIN = ("systemd-run", "--quiet", "--pipe", "--wait", "--collect")
found = {"root": said()}
for name in ("alice", "bob", "mallory"):
    user = pwd.getpwnam(name)
    found[name] = said(user=user.pw_uid, group=user.pw_gid, extra_groups=os.getgrouplist(name, user.pw_gid))
for tenant in ("red", "blue"):
    found[tenant] = said(*JOIN, f"--slice=tenant-{tenant}.slice")
    user = {"red": "alice", "blue": "bob"}[tenant]
    found[f"login of {user}"] = said(*JOIN, f"--slice=user-{pwd.getpwnam(user).pw_uid}.slice")
print(json.dumps(found))
"""
# /dev/kfd, the first GPU, the second. EACCES is said by permissions, EPERM by the policy of a control group, which
# binds root as well.
OURS = {"root": ["", "", ""], "alice": ["", "", "EACCES"], "bob": ["", "EACCES", ""], "mallory": ["EACCES"] * 3,
        "red": ["", "", "EPERM"], "login of alice": ["", "", "EPERM"], "blue": ["", "EPERM", ""],
        "login of bob": ["", "EPERM", ""]}
PAIRS = {"alice": "bob", "red": "blue", "login of alice": "login of bob"}
SWAPPED = {**OURS, **{one: OURS[other] for one, other in (*PAIRS.items(), *((b, a) for a, b in PAIRS.items()))}}


def opened(lab):
    return json.loads(machines.ssh(lab.machine, "python3", "-", input=TRY).stdout)


def reserve(lab, first, second):
    """Reserve, and prove it: what the collection says of its own proof."""
    path = lab.folder / "reservations.json"
    wishes = [{"name": f"{turn}-{tenant}", "tenant": tenant, "priority": "P1",
               **({"devices": [bdf]} if bdf else {"gpus": 1})}
              for turn, (tenant, bdf) in enumerate((("red", first), ("blue", second)))]
    played = lab.play("reserve", gpu_reservation_tenants=TENANTS, gpu_reservation_list=wishes,
                      gpu_reservation_spares=0, fleet_reservation_path=str(path))
    assert played.status == 0, played.text
    (node,) = json.loads(path.read_text(encoding="utf-8"))["nodes"].values()
    return node


def reboot(lab):
    before = lab.run("cat /proc/sys/kernel/random/boot_id")
    lab.run("systemctl reboot", status=None)
    end = time.monotonic() + machines.PATIENCE["tcg"]
    while lab.run("cat /proc/sys/kernel/random/boot_id", status=None) in ("", before):
        assert time.monotonic() < end, "it did not come back"
        time.sleep(1)
    lab.run("systemctl is-system-running --wait", status=None)


def soft_roce(lab):
    """RDMA of a real kernel, though made of software, judged by what the real libibverbs opens."""
    lab.run("modprobe rdma_rxe && rdma link add rxe0 type rxe netdev $(ls /sys/class/net | grep -v lo | head -n 1)")
    good = lab.play("rdma", "-v")
    assert good.status == 0, good.text
    assert '"fabric": "software"' in good.text and '"as_wanted": true' in good.text
    device = '{"abi": 2, "driver": "rdma_rxe", "firmware": "0.0.0", "name": "rxe0", "verbs": "uverbs0"}'
    assert f'"devices": [{device}]' in good.text
    lab.run("mv /usr/lib/x86_64-linux-gnu/libibverbs/librxe-rdmav34.so /root")
    cut = lab.play("rdma")
    assert (cut.status, "the library of rxe does not load" in cut.text) == (2, True), cut.text


@pytest.fixture
def shared(new_lab):
    """A machine with two GPUs and three users."""
    lab = new_lab("mi300x", 2)
    lab.run("for user in alice bob mallory; do useradd -m $user; done")
    return lab


def test_reservation(shared):
    lab = shared
    first, second = (line.split()[0] for line in lab.run("lspci -Dn -d 1002:74a1").splitlines())
    boot = lab.state()["boot_id"]

    node = reserve(lab, None, None)
    assert (node["verdict"], node["proved"]) == ("ok", "ok")
    assert [(one["id"], one["tenants"]) for one in node["devices"]] == [(first, ["red"]), (second, ["blue"])]
    logins = {f"root in user-{lab.run(f'id -u {user}').strip()}.slice" for user in ("alice", "bob")}
    assert {one["who"] for one in node["proofs"]} == {
        "root", "stranger", "user alice of red", "user bob of blue", "a service in tenant-red.slice",
        "a service in tenant-blue.slice", "root in tenant-red.slice", "root in tenant-blue.slice", *logins}
    assert opened(lab) == OURS

    # They swap at work.
    assert reserve(lab, second, first)["proved"] == "ok"
    assert opened(lab) == SWAPPED
    assert lab.state()["boot_id"] == boot

    # udev makes the nodes anew, as it does where a driver is loaded again.
    lab.run("udevadm trigger --action=add --subsystem-match=drm --subsystem-match=kfd --settle")
    assert opened(lab) == SWAPPED

    reboot(lab)
    assert opened(lab) == SWAPPED

    soft_roce(lab)
