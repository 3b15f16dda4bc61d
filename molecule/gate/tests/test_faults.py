# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is broken gives its verdict and its evidence, through the playbook; a healthy node gives none."""

from __future__ import annotations

import json
from pathlib import Path

import playbook
from healing import heal

testinfra_hosts = ["ansible://gate-faults"]
FIRST = "0000:05:00.0"
NO_LIBRARY = "the amdsmi binding is in /opt/rocm-7.0.2/share/amd_smi, but there is no libamd_smi.so"
BUNDLE = "bundle 01.25.02.04 (others 01.25.03.02)"

# Fault -> verdict of the node, its evidence beside what the log tells, verdict of the first GPU.
FAULTS = {
    "ecc_uncorrectable gpu=0": ("fail", f"ecc-uncorrectable of {FIRST}: umc: 1 errors", "fail"),
    "xgmi_down gpu=0 link=2": ("fail", f"xgmi-links of {FIRST}: 6 of 7 up, down: link 2", "fail"),
    "hot gpu=0": ("fail", f"temperature-hotspot of {FIRST}: hotspot: 108 C", "fail"),
    "vram_leak gpu=0": ("fail", f"memory-held of {FIRST}: 60000 MiB, and no process holds the GPU", "fail"),
    "firmware_mixed gpu=0": ("warn", f"firmware-agreement of {FIRST}: {BUNDLE}", "warn"),
    "cper_old gpu=0": ("pass", "", "pass"),
    "vf gpu=0": ("pass", "", "pass"),
    "no_library": ("unknown", f"library of node: {NO_LIBRARY}", "unknown"),
}


def gate(name: str, path: Path, **variables: object) -> tuple[int, dict]:
    """Run the playbook with exit codes that tell, and return its code and what it wrote of the node."""
    given = {"fleet_gate_path": str(path), "fleet_gate_detailed_exitcode": True, **variables}
    ran = playbook.run("gate", name, given)
    return ran.returncode, json.loads(path.read_text(encoding="utf-8"))["nodes"][name]


def healthy(name: str, path: Path) -> None:
    """It passes."""
    code, node = gate(name, path)
    assert (code, node["verdict"], node["evidence"]) == (0, "pass", [])
    assert len(node["gpus"]) == 8 and set(node["gpus"].values()) == {"pass"}


def faults(host, name: str, path: Path) -> None:
    """Each alone."""
    for words, (verdict, evidence, first) in FAULTS.items():
        host.check_output(f"instinct-sim fault {words}")
        code, node = gate(name, path)
        print(f"{words}: {code} {node['verdict']} {node['evidence']}")
        assert (code, node["verdict"]) == ({"fail": 2, "unknown": 1}.get(verdict, 0), verdict)
        seen = [line for line in node["evidence"] if not line.startswith("log-")]
        assert seen[:1] == ([evidence] if evidence else []) and (len(seen) < 2 or verdict == "unknown")
        assert node["gpus"][FIRST] == first and bool(node["next_action"]) == (verdict != "pass")
        heal(host)


def a_gpu_is_missing(name: str, path: Path) -> None:
    """More are wanted than there are."""
    code, node = gate(name, path, gpu_health_wanted={"gpus": 9})
    assert (code, node["evidence"]) == (2, ["gpu-count of node: 8 x MI300X"])


def history(host) -> None:
    """Each change has its line, and nothing else has one."""
    lines = map(json.loads, host.file("/var/lib/instinct/health.jsonl").content_string.splitlines())
    node = [line["to"] for line in lines if (line["subject"], line["profile"]) == ("node", "admission")]
    assert node == ["pass", "fail", "warn", "pass", "unknown", "fail"]


def refusals(name: str, path: Path) -> None:
    """What is wrong about a profile is one sentence."""
    ran = playbook.run("gate", name, {"gpu_health_gate_profile": "nightly"})
    assert playbook.refusals(ran)[0] == (
        "gpu_health_profile: there is no profile 'nightly'; choose one of admission, burn_in, running")
    site = path.parent / "site"
    (site / "profiles").mkdir(parents=True)
    (site / "profiles/mine.yml").write_text(
        "version: v1\nkind: health_profile\nid: mine\nextends: admission\nchecks: {pages-lost: {}}\n", encoding="utf-8")
    mine = {"gpu_health_gate_profile": "mine", "gpu_health_catalogue_dirs": [str(site)]}
    ran = playbook.run("gate", name, mine)
    assert playbook.refusals(ran)[0].endswith("mine.yml: checks.pages-lost.title: is missing; add it")
    assert "Traceback" not in ran.stdout + ran.stderr


# One test, for two would run side by side on the one node.
def test_gate_tells_what_is_broken(host, tmp_path: Path) -> None:
    name, path = host.backend.get_hostname(), tmp_path / "gate.json"
    healthy(name, path)
    faults(host, name, path)
    a_gpu_is_missing(name, path)
    history(host)
    refusals(name, path)
