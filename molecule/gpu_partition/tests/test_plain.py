# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node with plain units: what a restart brings back, what does not start without it, the toolkit, export, removal."""

from __future__ import annotations

from pathlib import Path

import yaml
from partitioned import changed, given_to_containers, modes, reboot, result, role, unit

testinfra_hosts = ["ansible://partition-plain"]
BOOT, WANTED = "instinct-partition.service", {"TPX/NPS1": 4}
# It says whether the file is right, and ends with 0 in any case, as AMD's does.
TOOLKIT = """#!/bin/sh
count=$(ls /dev/dri | grep -c renderD)
case "$2" in
generate) echo "{\\"kind\\": \\"amd.com/gpu\\", \\"made\\": $count}" > /etc/cdi/amd.json ;;
validate) grep -q "\\"made\\": $count}" /etc/cdi/amd.json && echo CDI spec is valid || echo CDI spec is invalid ;;
esac
"""


def states(host) -> tuple[str, str]:
    """The boot unit, and what requires it."""
    return unit(host, BOOT, "ActiveState"), unit(host, "serving.service", "ActiveState")


def the_unit_is_locked_in(host) -> None:
    """It ran once when it was installed, and is as closed as what loads drivers can be."""
    assert states(host) == ("active", "active")
    exposure = host.check_output(f"systemd-analyze security --no-pager {BOOT} | tail -n 1")
    assert float(exposure.split(": ")[1].split()[0]) < 4.0
    assert host.run(f"systemctl stop {BOOT}").rc != 0 and states(host) == ("active", "active")


def a_restart_brings_it_back_first(host, name: str) -> None:
    reboot(name)
    assert (modes(host), states(host)) == (WANTED, ("active", "active"))
    done = host.check_output(f"journalctl --unit {BOOT} --output cat --since -60s")
    assert "set compute partition TPX on 4 GPUs (was SPX)" in done
    applied, served = (int(unit(host, name, "ActiveEnterTimestampMonotonic")) for name in (BOOT, "serving.service"))
    assert applied <= served


def without_it_nothing_that_requires_it_starts(host, name: str) -> None:
    """Loudly: the unit failed, and one line of the journal says why. The next start that can, does."""
    host.check_output("instinct-sim fault no_library")
    reboot(name)
    assert states(host) == ("failed", "inactive")
    errors = host.check_output(f"journalctl --unit {BOOT} --priority err --output cat --since -60s").splitlines()
    assert errors[0].startswith("amdsmi: did not answer, ") and "Traceback" not in "".join(errors), errors
    assert unit(host, "gpuagent.service", "ActiveState") == "active"
    assert "TPX/NPS1" not in modes(host)
    host.check_output("instinct-sim heal")
    host.check_output("cp -p /etc/instinct/partition.json /root && echo '{' > /etc/instinct/partition.json")
    assert host.run("systemctl start serving.service").rc != 0 and states(host) == ("failed", "inactive")
    host.check_output("cp -p /root/partition.json /etc/instinct/partition.json && systemctl start serving.service")
    assert (modes(host), states(host)) == (WANTED, ("active", "active"))


def the_toolkit_writes_where_it_is_installed(host, name: str) -> None:
    assert len(given_to_containers(host)["all"]) == 12
    host.check_output(f"cat > /usr/bin/amd-ctk <<'END'\n{TOOLKIT}END\nchmod 755 /usr/bin/amd-ctk")
    assert changed(role(name))
    assert '"made": ' in host.file("/etc/cdi/amd.json").content_string
    assert not changed(role(name))
    host.check_output("rm /usr/bin/amd-ctk")
    assert changed(role(name)) and len(given_to_containers(host)["all"]) == 12


def moving_in(name: str, site: Path) -> None:
    """What it is now as a profile of the site, under which nothing is to be done."""
    assert changed(role(name, entry="export", gpu_partition_export_dir=str(site)))
    profile = yaml.safe_load((site / f"profiles/{name}.yml").read_text(encoding="utf-8"))
    assert {(rule["compute"], rule["memory"]) for rule in profile["gpus"]} == {("TPX", "NPS1")}
    mine = {"gpu_partition_profile": name, "gpu_partition_catalogue_dirs": [str(site)]}
    answer = role(name, entry="assert", **mine)
    assert not changed(answer) and result(answer, "Are the GPUs partitioned as wanted?")["as_wanted"] is True


def removal(host, name: str) -> None:
    """What boots goes, what tells of the devices stays, and what required the unit starts without it."""
    assert changed(role(name, gpu_partition_boot=False)) and not changed(role(name, entry="remove"))
    assert not host.file("/usr/local/bin/instinct-partition").exists and host.file("/etc/cdi/amd.json").exists
    host.check_output("systemctl restart serving.service")


# One test, for two would run side by side on the one node.
def test_a_node_of_plain_units(host, tmp_path: Path) -> None:
    name = host.backend.get_hostname()
    the_unit_is_locked_in(host)
    a_restart_brings_it_back_first(host, name)
    without_it_nothing_that_requires_it_starts(host, name)
    the_toolkit_writes_where_it_is_installed(host, name)
    moving_in(name, tmp_path)
    removal(host, name)
