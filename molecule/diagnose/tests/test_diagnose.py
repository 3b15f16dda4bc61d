# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes with something broken on purpose: the right root of each, nothing changed, and the same from files alone."""

from __future__ import annotations

import json
import os
import subprocess
import typing as t
from pathlib import Path

import pytest
import testinfra
from broken import BROKEN, HEAL, SIMFLEET, Broken, broken
from playbook import PLUGINS, run

testinfra_hosts = ["diagnose-one"]
ONE, TWO, BARE = "diagnose-one", "diagnose-two", "diagnose-bare"
BOTH = f"{ONE},{TWO}"
DETAILED = {"fleet_diagnose_detailed_exitcode": True}
USER = "looker"  # who is not root
GUIDE = Path(os.environ["MOLECULE_PROJECT_DIRECTORY"]) / "docs/bundle.md"
# Everything that a look might touch, in one digest; what logins leave is theirs.
STATE = (
    "{ find /etc /boot /opt /lib/modules /var/lib /usr/src /root -xdev -type f -not -name '*lock*' "
    "-not -path '/var/lib/systemd/*' -not -path '/root/.ansible/*' -print0 2>/dev/null | sort -z | xargs -0 sha256sum; "
    "ls -l /dev/dri /etc /var/lib; cat /sys/module/amdgpu/srcversion /proc/sys/kernel/random/boot_id 2>/dev/null; } "
    "| sha256sum"
)


@pytest.fixture(name="nodes", scope="module")
def _nodes() -> dict[str, t.Any]:
    """All nodes by name."""
    inventory = os.environ["MOLECULE_INVENTORY_FILE"]
    return {name: testinfra.get_host(f"ansible://{name}", ansible_inventory=inventory) for name in (ONE, TWO, BARE)}


def states(nodes: dict[str, t.Any], *names: str) -> dict[str, str]:
    """Digests of nodes."""
    return {name: nodes[name].check_output(STATE) for name in names}


def told(where: Path, done: subprocess.CompletedProcess) -> tuple[dict[str, dict], str]:
    """What the files say of each node, and what people see."""
    shown = "\n".join(line for line in done.stdout.splitlines() if not line.startswith("{"))
    assert (where / "summary.json").exists(), (done.stdout + done.stderr)[-3000:]
    names = json.loads((where / "summary.json").read_text())["nodes"]
    return {name: json.loads((where / item["file"]).read_text()) for name, item in names.items()}, shown


def diagnosed(where: Path, limit: str, variables: dict[str, t.Any]) -> tuple[int, dict[str, dict], str]:
    """Exit code, what the files say of each node, and what people see."""
    done = run("diagnose", limit, {**variables, "fleet_diagnose_path": str(where)})
    return done.returncode, *told(where, done)


def from_files(where: Path, bundle: Path) -> tuple[int, dict[str, dict], str]:
    """The same of a bundle, by the documented command: without an inventory."""
    env = os.environ | {"ANSIBLE_STDOUT_CALLBACK": "results", "ANSIBLE_CALLBACK_PLUGINS": str(PLUGINS)}
    command = ["ansible-playbook", "instinct.fleet.diagnose", "-e", f"fleet_diagnose_bundle={bundle}"]
    command += ["-e", f"fleet_diagnose_path={where}"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stdout + done.stderr
    return done.returncode, *told(where, done)


def grave(diagnosis: dict) -> list[str]:
    """Ids of findings that ask for something."""
    return [finding["id"] for finding in diagnosis["findings"] if finding["severity"] != "info"]


def test_healthy_nodes_pass_and_do_not_change(tmp_path, nodes):
    before = states(nodes, ONE, TWO)
    code, said, shown = diagnosed(tmp_path, BOTH, DETAILED)
    assert code == 0, shown
    assert {name: (item["verdict"], grave(item)) for name, item in said.items()} == {
        ONE: ("pass", []), TWO: ("pass", [])}
    assert said[ONE]["next_action"] == "nothing to do"
    assert "2 nodes: 2 pass" in shown
    assert states(nodes, ONE, TWO) == before


@pytest.mark.parametrize("faults", BROKEN.values(), ids=BROKEN)
def test_the_root_is_found_and_nothing_changes(tmp_path, nodes, faults):
    purposes = {ONE: faults[0].purpose, TWO: faults[1].purpose}
    with broken({ONE: faults[0], TWO: faults[1]}):
        before = states(nodes, ONE, TWO)
        _code, said, shown = diagnosed(
            tmp_path, BOTH, {"fleet_diagnose_host_profiles": f"{{{{ [{purposes!r}[inventory_hostname]] }}}}"})
        assert states(nodes, ONE, TWO) == before
    for name, fault in zip((ONE, TWO), faults, strict=True):
        it = said[name]
        assert it["root"], it["reason"]
        found = (it["verdict"], it["root"]["id"], it["root"]["subject"])
        assert found == (fault.verdict, fault.root, fault.subject), shown
        (root,) = [f for f in it["findings"] if (f["id"], f["subject"]) == (fault.root, fault.subject)]
        assert set(fault.folded) <= {item["id"] for item in root["consequences"]}
        assert it["verdict"] == "unknown" or it["next_action"] == root["remedy"]


def test_the_same_trouble_of_two_nodes_is_one_root_cause(tmp_path):
    links = [Broken(f"instinct-sim fault xgmi_down gpu={gpu}", HEAL, "fail", "xgmi-links") for gpu in (2, 5)]
    with broken({ONE: links[0], TWO: links[1]}):
        code, _said, shown = diagnosed(tmp_path, BOTH, DETAILED)
    assert code == 2, shown
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert [(group["id"], group["nodes"]) for group in summary["groups"]] == [("xgmi-links", [ONE, TWO])]
    assert "2 nodes: links between GPUs" in shown
    assert f"[{ONE}]({ONE}.md)" in (tmp_path / "summary.md").read_text()


def test_a_node_without_driver_and_rocm(tmp_path, nodes):
    before = states(nodes, BARE)
    code, said, shown = diagnosed(tmp_path, BARE, DETAILED)
    assert (code, said[BARE]["verdict"], said[BARE]["root"]["id"]) == (2, "fail", "driver-loaded"), shown
    seen = said[BARE]["seen"]
    assert (seen["driver"], seen["rocm"], seen["gpus"]) == ("not loaded", "none", "4 x MI300X")
    assert states(nodes, BARE) == before


def test_who_is_not_root_is_told_what_was_not_read_and_finds_what_is_there(tmp_path, nodes):
    nodes[ONE].check_output(f"id {USER} 2>/dev/null || useradd --create-home {USER}")
    as_user = {"ansible_user": USER, "ansible_become": False}
    code, said, shown = diagnosed(tmp_path, ONE, {**as_user, **DETAILED})
    assert (code, said[ONE]["verdict"]) == (1, "unknown"), shown
    assert said[ONE]["next_action"] == "look as root (become: true)"
    assert "the kernel log" in [item["what"] for item in said[ONE]["unknown"] if item["needed"]]
    with broken({ONE: Broken("instinct-sim fault xgmi_down gpu=2", HEAL, "fail", "xgmi-links")}):
        code, said, shown = diagnosed(tmp_path, ONE, as_user)
    assert (code, said[ONE]["verdict"], said[ONE]["root"]["id"]) == (0, "fail", "xgmi-links"), shown


@pytest.mark.parametrize(("variable", "right", "wrong", "status", "says"), [
    ("ansible_port", 22, 1, "unreachable", "ssh"),  # Ansible's own words, which depend on how soon ssh ends
    ("ansible_python_interpreter", "/usr/bin/python3", "/none", "failed", "/none"),
])  # fmt: skip
def test_a_node_without_a_diagnosis_is_told_of_among_the_others(tmp_path, variable, right, wrong, status, says):
    one_is_wrong = {variable: f"{{{{ {wrong!r} if inventory_hostname == {TWO!r} else {right!r} }}}}"}
    for more, ended in (({}, 2), (DETAILED, 1)):
        code, said, shown = diagnosed(tmp_path, BOTH, {**one_is_wrong, **more})
        assert (code, said[ONE]["verdict"], said[TWO]["status"]) == (ended, "pass", status), shown
        assert says in said[TWO]["reason"].lower()


def test_files_of_a_node_give_the_same_root(tmp_path):
    fault = BROKEN["a GPU that the platform cannot place, a memory error"][0]
    commands = next(part for part in GUIDE.read_text().split("```") if "d=$(hostname -s)" in part).removeprefix("sh\n")
    # dmesg asks the real kernel, which keeps its log from containers; the simulated one has its own.
    commands = commands.replace("cd .. &&", "cp /dev/kmsg dmesg.txt; cd .. &&")
    with broken({ONE: fault}):
        script = f"rm -rf /root/{ONE}*; cd /root\n{commands}\ncat {ONE}.tar.gz; rm -r /root/{ONE}*"
        made = subprocess.run([SIMFLEET, "exec", ONE, "--", "sh", "-c", script], capture_output=True, check=True)
    (tmp_path / f"{ONE}.tar.gz").write_bytes(made.stdout)
    code, said, shown = from_files(tmp_path / "out", tmp_path / f"{ONE}.tar.gz")
    assert (code, said[ONE]["verdict"]) == (0, "fail"), shown
    assert (said[ONE]["root"]["id"], said[ONE]["root"]["subject"]) == (fault.root, fault.subject)
    assert any("dmesg.txt: " in line and " lines" in line for line in said[ONE]["files"])


def test_a_bundle_that_is_none_is_one_sentence(tmp_path):
    (tmp_path / "broken.json").write_text('[{"gpu": 0, "ecc": ')
    code, said, _shown = from_files(tmp_path / "out", tmp_path / "broken.json")
    (node,) = said.values()
    assert (code, node["status"]) == (2, "failed")
    assert "holds nothing that is understood" in node["reason"]
