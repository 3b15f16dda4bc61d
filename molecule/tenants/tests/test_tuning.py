# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A host is tuned, proved over a restart, drifts, changes its profile, and is what it was once all is taken away."""

from __future__ import annotations

from pathlib import Path

import playbook
import yaml
from partitioned import changed, reboot, result, role

testinfra_hosts = ["ansible://tn-c"]
ACS, RECORD = "instinct-acs.service", "/var/lib/instinct/tuning.json"
ENTRY = "the boot entry of 6.1.0-56-amd64"
PORTS = ("0000:00:01.1", "0000:01:00.0", "0000:02:00.0")
TASK = {"apply": "Give the host its settings, and read them back", "verify": "Does the host have its settings?",
        "remove": "Take the settings away"}
# Of the network of the node alone: what is under vm is the machine's on which the test runs.
SYSCTL = {"id": "queue", "kind": "sysctl", "name": "net.core.somaxconn", "value": "16384"}


def site(folder: Path, **record: str) -> str:
    """A directory of the site with one setting."""
    why = {"why": "Many clients connect at once.", "sources": ["the site"], "confidence": "derived"}
    folder.mkdir()
    data = {"version": "v1", "kind": "tuning_settings", "settings": [{**record, **why}]}
    (folder / "site.yml").write_text(yaml.safe_dump(data), encoding="utf-8")
    return str(folder)


def serving(directory: str, *also: str) -> dict:
    return {"role": "host_tuning", "host_tuning_profile": "inference", "host_tuning_also": list(also),
            "host_tuning_catalogue_dirs": [directory]}


def verified(name: str, wish: dict) -> dict:
    """What the entry point that changes nothing says."""
    ran = role(name, entry="verify", **wish)
    assert not changed(ran)
    return result(ran, TASK["verify"])


def states(said: dict) -> dict[str, str]:
    return {one["id"]: one["state"] for one in said["settings"]}


def everything(host) -> str:
    """Digests of all that the role may change."""
    return "\n".join((
        host.check_output("find /etc /usr/local /boot -xdev -type f ! -name grubenv -exec sha256sum {} + | sort -k 2"),
        host.check_output("find /etc /usr/local -xdev -type l -printf '%p %l\\n' | sort"),
        host.check_output("sysctl net.core.somaxconn"), *sorted(registers(host))))


def registers(host) -> set[str]:
    return {host.check_output(f"setpci -s {port} ECAP_ACS+6.w") for port in PORTS}


def at_boot(host) -> dict[str, str]:
    """Setting to the option of the kernel that it is. Nodes have the CPUs of the machine that simulates them."""
    intel = "GenuineIntel" in host.check_output("cat /proc/cpuinfo")
    return {"iommu-pt": "iommu=pt", **({"intel-iommu-on": "intel_iommu=on"} if intel else {})}


def a_check_changes_nothing(host, name: str, wish: dict) -> None:
    before = everything(host)
    said = result(role(name, "--check", "--diff", **wish), TASK["apply"])
    assert (said["changed"], everything(host)) == (True, before)
    assert "iommu=pt" in "".join(one["after"] for one in said["diff"]) and "write the GRUB menu" in said["actions"]


def it_is_tuned(host, name: str, wish: dict) -> None:
    """Asked of those who use the settings, and not of the role."""
    assert registers(host) == {"001d"}
    ran = role(name, **wish)
    assert changed(ran)
    said = result(ran, TASK["apply"])
    assert {ident for ident, state in states(said).items() if state != "ok"} == {*at_boot(host)}
    assert (said["reboot_required"], said["left"]["compaction"]) == (True, "it is for MI300A")
    entry = host.check_output("grep -m1 vmlinuz /boot/grub/grub.cfg").split()
    assert {"quiet", *at_boot(host).values()} <= set(entry)
    assert registers(host) == {"0000"}
    assert host.check_output("sysctl -n net.core.somaxconn") == "16384"
    assert "DefaultLimitMEMLOCK=infinity" in host.check_output("systemctl show").splitlines()
    kept = host.check_output("apt-config dump Unattended-Upgrade::Package-Blacklist")
    assert '"^linux-"' in kept and '"^amdgpu"' in kept
    assert host.check_output(". /etc/instinct/tuning.env && echo $HSA_ENABLE_SDMA") == "0"
    assert not changed(role(name, **wish))


def it_is_so_after_a_restart(host, name: str, wish: dict) -> None:
    reboot(name)
    writable(host)
    assert {*at_boot(host).values()} <= {*host.check_output("cat /proc/cmdline").split()}
    assert (host.service(ACS).is_enabled, registers(host)) == (True, {"0000"})
    exposure = host.check_output(f"systemd-analyze security --no-pager {ACS} | tail -n 1")
    assert float(exposure.split(": ")[1].split()[0]) < 3.0
    host.check_output("sysctl --load /etc/sysctl.d/90-instinct-tuning.conf")  # a container's systemd does not
    said = verified(name, wish)
    assert (said["as_wanted"], said["reboot_required"]) == (True, False), said["settings"]


def what_drifts_is_said_and_set_again(host, name: str, wish: dict) -> None:
    host.check_output(f"setpci -s {PORTS[1]} ECAP_ACS+6.w=0004 && sysctl --write net.core.somaxconn=128")
    said = verified(name, wish)
    assert {one["id"]: one["why"] for one in said["settings"] if one["state"] == "differs"} == {
        "acs-off": f"it is not off at {PORTS[1]}", "queue": "the running kernel has 128"}
    assert changed(role(name, **wish)) and registers(host) == {"0000"}
    assert verified(name, wish)["as_wanted"]


def what_contradicts_is_one_sentence(host, name: str, nothing: str) -> None:
    host.check_output("cp /etc/default/grub /root && sed -i s/quiet/iommu=soft/ /etc/default/grub && update-grub")
    before = everything(host)
    for profile, also, sentence in [
        ("training", [], f"kernel argument iommu=pt: is wanted by the setting iommu-pt, and {ENTRY} has iommu=soft; "),
        ("", ["priority"], "host_tuning: HSA_QUEUE_PRIORITY does nothing"),
    ]:
        ran = role(name, role="host_tuning", host_tuning_profile=profile, host_tuning_also=also,
                   host_tuning_catalogue_dirs=[nothing])
        assert ran.returncode != 0 and playbook.refusals(ran)[0].startswith(sentence), playbook.refusals(ran)
    assert everything(host) == before
    host.check_output("mv /root/grub /etc/default/grub && update-grub")


def another_profile_takes_its_place(host, name: str) -> None:
    ran = role(name, role="host_tuning", host_tuning_profile="pass_through")
    assert changed(ran)
    # The running kernel has it from the profile before.
    stays = ("acs-on", "kernel-stays", *(ident for ident in at_boot(host) if ident != "iommu-pt"))
    assert states(result(ran, TASK["apply"])) == {"blacklist-amdgpu": "reboot", **dict.fromkeys(stays, "ok")}
    assert registers(host) == {"001d"}
    entry = host.check_output("grep -m1 vmlinuz /boot/grub/grub.cfg").split()
    assert "modprobe.blacklist=amdgpu" in entry and "iommu=pt" not in entry
    assert not host.file("/etc/instinct/tuning.env").exists


def writable(host) -> None:
    """Let the node set what is its own: its network's values."""
    host.check_output("mount -o remount,rw /proc/sys")


def test_a_host_is_tuned_and_is_what_it_was(host, tmp_path: Path) -> None:
    name = host.backend.get_hostname()
    writable(host)
    host.check_output("instinct-sim fault acs_on && update-grub")
    directory = site(tmp_path / "site", **SYSCTL)
    nothing = site(tmp_path / "nothing", id="priority", kind="environment", name="HSA_QUEUE_PRIORITY", value="high")
    wish, before = serving(directory, "queue"), everything(host)
    a_check_changes_nothing(host, name, wish)
    it_is_tuned(host, name, wish)
    it_is_so_after_a_restart(host, name, wish)
    what_drifts_is_said_and_set_again(host, name, wish)
    assert changed(role(name, role="host_tuning", entry="remove"))
    assert host.check_output("sysctl -n net.core.somaxconn") in before
    what_contradicts_is_one_sentence(host, name, nothing)
    assert everything(host) == before
    assert changed(role(name, **wish))
    another_profile_takes_its_place(host, name)
    assert changed(role(name, role="host_tuning", entry="remove"))
    assert (everything(host), host.file(RECORD).exists) == (before, False)
    assert not changed(role(name, role="host_tuning", entry="remove"))
