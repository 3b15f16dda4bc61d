# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node has a profile: it holds after a restart, a window ends by itself, and all of it can be taken back."""

from __future__ import annotations

import datetime
import time
from pathlib import Path

import playbook
import pytest
import yaml
from partitioned import changed, reboot, result, role, unit

testinfra_hosts = ["ansible://tn-b"]

APPLY = "Bring the node to the profile that is due"
DEVICES = "/sys/bus/pci/drivers/amdgpu/0000:*"
FILES = ("/usr/local/bin/instinct-qos", "/usr/local/lib/instinct/qos-data.json", "/etc/instinct/qos.json",
         "/var/lib/instinct/qos.json", "/etc/systemd/system/instinct-qos.service",
         "/etc/udev/rules.d/72-instinct-qos.rules", "/etc/systemd/system/instinct-qos.timer")
FIRST = "0000:03:00.0"
WATT = 1_000_000


@pytest.fixture
def name(host):
    """The node without a profile, before and after."""
    found = host.backend.get_hostname()
    host.check_output("instinct-sim heal")
    yield found
    host.check_output("instinct-sim heal")
    assert not there(host) or role(found, role="gpu_qos", entry="remove").returncode == 0


def caps(host) -> set[int]:
    """Power caps of all GPUs in watts, as sysfs has them."""
    return {int(line) // WATT for line in host.check_output(f"cat {DEVICES}/hwmon/hwmon*/power1_cap").split()}


def levels(host) -> set[str]:
    """Performance levels of all GPUs, as sysfs has them."""
    return set(host.check_output(f"cat {DEVICES}/power_dpm_force_performance_level").split())


def there(host) -> list[str]:
    """Files that the role brings."""
    return [path for path in FILES if host.file(path).exists]


def ended(host, seconds: int) -> list[dict]:
    """A window that is open now, and ends by itself some seconds from now, at a full minute."""
    now = datetime.datetime.fromisoformat(host.check_output("date +%Y-%m-%dT%H:%M:%S"))
    begins, ends = now - datetime.timedelta(hours=1), now + datetime.timedelta(seconds=seconds + 60)
    return [{"profile": "night_training", "begins": f"{begins:%H:%M}", "ends": f"{ends:%H:%M}"}]


def site(folder: Path, **settings: object) -> dict:
    """A profile of the site, and what asks for it."""
    (folder / "profiles").mkdir()
    data = {"version": "v1", "kind": "qos_profile", "name": "ours", "description": "d", "sources": ["the site"],
            "settings": settings}
    (folder / "profiles/ours.yml").write_text(yaml.safe_dump(data), encoding="utf-8")
    return {"gpu_qos_profile": "ours", "gpu_qos_catalogue_dirs": [str(folder)]}


def test_a_check_changes_nothing_and_a_run_does_what_it_said(host, name):
    said = result(role(name, "--check", "--diff", role="gpu_qos", gpu_qos_profile="serving"), APPLY)
    assert (caps(host), levels(host), there(host)) == ({300}, {"auto"}, [])
    assert f"{FIRST} performance level: high" in said["diff"][0]["after"]
    ran = role(name, role="gpu_qos", gpu_qos_profile="serving")
    assert changed(ran)
    done = result(ran, APPLY)
    assert (done["actions"], done["as_wanted"], levels(host)) == (said["actions"], True, {"high"})
    assert {row["mark"] for row in done["settings"]} == {"enforcing"}
    assert {one["setting"] for one in done["unsupported"]} == {"irq_affinity"}  # a simulated GPU has no interrupts
    assert there(host) == [path for path in FILES if not path.endswith(".timer")]
    assert not changed(role(name, role="gpu_qos", gpu_qos_profile="serving"))
    assert host.run("instinct-qos assert").rc == 0


def test_a_profile_holds_after_a_restart_and_a_window_ends_by_itself(host, name):
    window = ended(host, 90)
    assert changed(role(name, role="gpu_qos", gpu_qos_profile="serving", gpu_qos_schedule=window))
    assert (caps(host), levels(host)) == ({275}, {"auto"})
    reboot(name)
    assert unit(host, "instinct-qos.service", "Result") == "success"
    assert (caps(host), unit(host, "instinct-qos.timer", "ActiveState")) == ({275}, "active")
    for _attempt in range(200):
        if (caps(host), levels(host)) == ({300}, {"high"}):  # one GPU after the other, one setting after the other
            break
        time.sleep(1)
    assert (caps(host), levels(host)) == ({300}, {"high"})
    assert not changed(role(name, role="gpu_qos", gpu_qos_profile="serving", gpu_qos_schedule=window))
    assert changed(role(name, role="gpu_qos", gpu_qos_profile="serving"))
    assert unit(host, "instinct-qos.timer", "ActiveState") == "inactive"


def test_the_earlier_state_comes_back(host, name):
    assert changed(role(name, role="gpu_qos", gpu_qos_profile="maintenance"))
    assert changed(role(name, role="gpu_qos", gpu_qos_profile="burst", gpu_qos_gpus=[FIRST]))
    assert caps(host) == {230, 300}
    assert changed(role(name, role="gpu_qos", entry="remove"))
    assert (caps(host), levels(host), there(host)) == ({300}, {"auto"}, [])
    assert not changed(role(name, role="gpu_qos", entry="remove"))


# id, fault, settings, the sentence: of which GPU, and what
REFUSED = [
    ("beyond the board", "", {"power_cap": "400 W"},
     FIRST, "power cap 400 W of profile ours is beyond the board, which takes 0 to 300 W;"),
    ("a virtual function", "vf gpu=0", {"power_cap": "200 W"}, FIRST,
     "cannot have power cap 200 W of profile ours: a virtual function takes none of it: its host sets it;"),
    ("success that did nothing", "setting_ignored gpu=7", {"power_cap": "200 W"},
     "0000:e3:00.0", "power cap is 300 W and not 200 W: no call failed;"),
    ("the library says no", "setting_refused gpu=3", {"power_cap": "200 W"},
     "0000:63:00.0", "power cap is 300 W and not 200 W: AMDSMI_STATUS_NO_PERM: Permission Denied;"),
]


@pytest.mark.parametrize(("fault", "settings", "gpu", "what"), [one[1:] for one in REFUSED],
                         ids=[one[0] for one in REFUSED])
def test_what_cannot_be_is_one_sentence_and_all_is_as_it_was(host, name, tmp_path, fault, settings, gpu, what):
    host.check_output(f"instinct-sim fault {fault}" if fault else "true")
    ran = role(name, role="gpu_qos", **site(tmp_path, **settings))
    assert ran.returncode != 0
    assert playbook.refusals(ran)[0].startswith(f"gpu {gpu}: {what}"), playbook.refusals(ran)
    assert (caps(host), there(host)) == ({300}, [])
