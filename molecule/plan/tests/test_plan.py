# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A fleet that moves in as it is: planned, exported, adopted, and watched for drift. Tests build on each other."""

from __future__ import annotations

import json
import os
import typing as t

import pytest
import testinfra
from playbook import refusals, results, run

testinfra_hosts = ["plan-by-hand"]
MINE, BARE, ALL = "plan-by-hand", "plan-bare", "plan-by-hand,plan-bare"
DETAILED = {"fleet_plan_detailed_exitcode": True}
SITE = "site-2026-11"
WHO = os.environ.get("USER", "unknown")  # as the journal has it
# Everything that a run might touch on a node, in one digest.
STATE = (
    "{ find /etc /boot /opt /lib/modules /var/lib/dkms /var/lib/dpkg /var/lib/instinct /usr/src -xdev -type f "
    "-not -name '*lock*' -print0 2>/dev/null | sort -z | xargs -0 sha256sum; apt-mark showhold; "
    "cat /sys/module/amdgpu/srcversion /proc/sys/kernel/random/boot_id 2>/dev/null; } | sha256sum"
)
# What must be the same before and after a node moved in.
RUNS = (
    "dpkg-query -W -f '${Package} ${Version} ${db:Status-Status}\n'; uname -r; dkms status 2>/dev/null; "
    "cat /sys/module/amdgpu/srcversion /proc/sys/kernel/random/boot_id; getent group render; readlink -f /opt/rocm"
)


@pytest.fixture(name="nodes")
def _nodes(host) -> dict[str, t.Any]:
    """Both nodes by name."""
    inventory = os.environ["MOLECULE_INVENTORY_FILE"]
    return {name: testinfra.get_host(f"ansible://{name}", ansible_inventory=inventory) for name in (MINE, BARE)}


@pytest.fixture(name="untouched", autouse=True)
def _untouched(request, nodes):
    """No node changes, unless the test is about a change."""
    before = {name: node.check_output(STATE) for name, node in nodes.items()}
    yield
    if not request.node.name.startswith("test_change"):
        assert {name: node.check_output(STATE) for name, node in nodes.items()} == before


@pytest.fixture(name="catalogue", scope="module")
def _catalogue(tmp_path_factory):
    """The site's directory of releases."""
    return tmp_path_factory.mktemp("site")


def told(done) -> str:
    """The end of what a run printed, for a failed assertion."""
    return (done.stdout + done.stderr)[-3000:]


def planned(tmp_path, playbook: str, limit: str, variables: dict, *options: str) -> tuple[int, dict, str]:
    """Exit code, the JSON that was written, and what people see."""
    path = tmp_path / "plan.json"
    done = run(playbook, limit, {**variables, "fleet_plan_path": str(path)}, *options)
    assert path.exists(), told(done)
    shown = "\n".join(line for line in done.stdout.splitlines() if not line.startswith("{"))
    return done.returncode, json.loads(path.read_text()), shown


def only(host: str, value: t.Any, otherwise: t.Any) -> str:
    """A value of one node."""
    return f"{{{{ {value!r} if inventory_hostname == {host!r} else {otherwise!r} }}}}"


@pytest.mark.parametrize(("variables", "code"), [({}, 0), (DETAILED, 2)])
@pytest.mark.parametrize("options", [(), ("--check",)])
def test_changes_that_are_due(tmp_path, variables, code, options):
    ended, plan, shown = planned(tmp_path, "plan", ALL, variables, *options)
    assert ended == code, shown
    assert (plan["version"], plan["kind"], plan["against"]) == ("v1", "plan", "inventory")
    assert (plan["complete"], plan["due"], sorted(plan["nodes"])) == (True, True, [BARE, MINE])
    mine = plan["nodes"][MINE]
    assert (mine["status"], mine["verdict"]) == ("planned", "changes due")
    assert (mine["gpus"], mine["wanted"]) == ("8 x MI300X", "rocm-7.2.3")
    assert mine["found"] == "amdgpu 6.14.14, ROCm 7.0.2"
    install = next(step for step in mine["steps"] if step["action"] == "install" and step["role"] == "gpu_driver")
    assert "amdgpu-dkms 1:6.14.14" in install["before"]
    assert "amdgpu-dkms 1:6.16.13" in install["after"]
    # The old driver is loaded, and nobody allowed to reload it.
    assert (mine["reboot"]["needed"], "gpu_driver_reload_allowed is false" in mine["reboot"]["why"]) == (True, True)
    assert "reboot (not allowed)" in shown.replace("\n", " ")
    assert plan["nodes"][BARE]["reboot"]["needed"] is False
    assert "2 nodes: 2 changes due" in shown


@pytest.mark.parametrize(
    ("variables", "status", "says"),
    [
        ({"gpu_release_name": only(BARE, "rocm-0", "rocm-7.2.3")}, "refused", "the catalogue has no release 'rocm-0'"),
        # Ansible's own words, which depend on how soon ssh ends.
        ({"ansible_port": only(BARE, 1, 22)}, "unreachable", "ssh"),
        ({"ansible_python_interpreter": only(BARE, "/none", "/usr/bin/python3")}, "failed", "/none"),
    ],
)
def test_a_node_without_a_plan_is_told_of_among_the_others(tmp_path, variables, status, says):
    for more, code in (({}, 2), (DETAILED, 1)):
        ended, plan, shown = planned(tmp_path, "plan", ALL, {**variables, **more})
        assert ended == code, shown
        assert (plan["complete"], plan["nodes"][MINE]["status"]) == (False, "planned")
        assert plan["nodes"][BARE]["status"] == status
        assert says in plan["nodes"][BARE]["reason"].lower()
        assert f"1 {status}" in shown


def test_a_node_that_was_never_recorded_is_unknown_and_no_drift(tmp_path):
    ended, plan, shown = planned(tmp_path, "drift", MINE, DETAILED)
    assert ended == 1, shown
    assert plan["nodes"][MINE]["verdict"] == "unrecorded: no release was recorded on this node"
    assert plan["due"] is False


def export(limit: str, directory, **variables):
    """Run export.yml; the result of the task that freezes, if it came to that."""
    done = run("export", limit, {"fleet_export_name": SITE, "fleet_export_dir": str(directory), **variables})
    made = [line["result"] for line in results(done) if "host_variables" in line["result"]]
    return done, made[0] if made else None


def test_what_no_release_can_name_is_refused(catalogue):
    done, made = export(ALL, catalogue)
    assert (done.returncode, made, list(catalogue.iterdir())) == (2, None, []), told(done)
    (message,) = refusals(done)
    assert message == (f"{BARE}: AMD's driver package amdgpu-dkms is not installed, so there is no driver to pin; "
                       "pin one of the catalogue's releases instead")


def test_export(catalogue):
    done, made = export(MINE, catalogue)
    assert done.returncode == 0, told(done)
    assert made["changed"] is True
    release = made["release"]["release"]
    assert (release["rocm"], release["driver"]["release"], release["confidence"]) == ("7.0.2", "30.10.2", "third_party")
    assert MINE in made["release"]["sources"]["measured"]
    assert made["variables"]["gpu_release_name"] == SITE
    assert (catalogue / "releases" / f"{SITE}.yml").exists()
    again, same = export(MINE, catalogue)
    assert (again.returncode, same["changed"]) == (0, False), told(again)
    catalogue.with_suffix(".json").write_text(json.dumps(made["variables"]))


def pinned(catalogue) -> dict:
    """The variables that the export said."""
    return json.loads(catalogue.with_suffix(".json").read_text())


def test_pinned_to_its_export_the_node_would_only_come_under_management(tmp_path, catalogue):
    ended, plan, shown = planned(tmp_path, "plan", MINE, {**pinned(catalogue), **DETAILED})
    assert ended == 2, shown
    mine = plan["nodes"][MINE]
    adopting = {"key", "file", "boot_file", "boot", "initramfs", "hold", "ldconfig"}
    assert {step["action"] for step in mine["steps"]} <= adopting
    assert (mine["reboot"]["needed"], mine["reload"]["needed"], mine["problems"]) == (False, False, [])


def test_change_the_node_moves_in_and_stays_what_it_is(tmp_path, catalogue, nodes):
    before = nodes[MINE].check_output(RUNS)
    done = run("site", MINE, pinned(catalogue))
    assert done.returncode == 0, told(done)
    assert nodes[MINE].check_output(RUNS) == before


@pytest.mark.parametrize("options", [(), ("--check", "--diff")])
def test_then_there_is_nothing_to_do(tmp_path, catalogue, options):
    ended, plan, shown = planned(tmp_path, "plan", MINE, {**pinned(catalogue), **DETAILED}, *options)
    assert ended == 0, shown
    assert (plan["nodes"][MINE]["steps"], plan["nodes"][MINE]["verdict"], plan["due"]) == ([], "as wanted", False)


def test_then_there_is_no_drift(tmp_path, catalogue):
    ended, plan, shown = planned(tmp_path, "drift", MINE, {**pinned(catalogue), **DETAILED})
    assert ended == 0, shown
    drift = plan["nodes"][MINE]["drift"]
    assert (drift["release"], drift["differences"], drift["moved"]) == (SITE, [], [])
    assert (drift["who"], drift["before"] or None, drift["after"]) == (WHO, None, SITE)


def test_change_by_hand(nodes):
    nodes[MINE].check_output(
        "apt-mark unhold amdgpu-dkms && echo '# mine' >> /etc/apt/preferences.d/00-instinct-amdgpu && "
        "echo GRUB_DEFAULT=0 > /etc/default/grub.d/90-instinct-kernel.cfg")


def test_what_was_changed_by_hand_is_told_with_the_run_that_was_last(tmp_path, catalogue):
    ended, plan, shown = planned(tmp_path, "drift", MINE, {**pinned(catalogue), **DETAILED})
    assert ended == 2, shown
    drift = plan["nodes"][MINE]["drift"]
    assert set(drift["differences"]) >= {
        "amdgpu-dkms is not on hold", "/etc/apt/preferences.d/00-instinct-amdgpu was changed",
        "/etc/default/grub.d/90-instinct-kernel.cfg was changed"}
    assert drift["when"][:2] == "20"
    flat = " ".join(shown.split())
    told_of = ("drifted", "amdgpu-dkms is not on hold", WHO, f"nothing -> {SITE}")
    assert [words for words in told_of if words not in flat] == []


def test_an_inventory_that_moved_on_is_no_drift_and_is_said(tmp_path, catalogue):
    moved = {**pinned(catalogue), "gpu_release_name": "rocm-7.2.3", **DETAILED}
    _ended, plan, _shown = planned(tmp_path, "drift", MINE, moved)
    mine = plan["nodes"][MINE]
    assert mine["wanted"] == SITE
    assert f"the inventory has gpu_release_name rocm-7.2.3, and had {SITE}" in mine["drift"]["moved"]
    assert len(mine["drift"]["differences"]) >= 3
