# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Power, clocks and links through the vendor's own bindings, on the simulated library."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._smi.performance import Said, perform
from ansible_collections.instinct.fleet.tests.unit.plugins.simulated import BINDINGS, SimulatedNode

A, B = "0000:03:00.0", "0000:26:00.0"  # of MI210
X = "0000:05:00.0"  # of MI300X
WATT = 1_000_000


def made(path: Path, product: str = "mi210", gpus: int = 2, rocm: str = "7.0.2") -> SimulatedNode:
    """A node with a library, on which a change can take its lock."""
    node = SimulatedNode(path, product, gpus)
    node.folder("/run")
    node.install(rocm)
    return node


def ask(node: SimulatedNode, *steps: tuple[str, str, t.Any]) -> Said:
    """Set and read."""
    return perform(node.machine(), steps, 30)


def now(said: Said, bdf: str) -> dict[str, t.Any]:
    """What was read of a GPU, in few words."""
    item = said.items[bdf]
    return {
        "cap": item["cap"]["power_cap"] // WATT, "level": item["level"].removeprefix("AMDSMI_DEV_PERF_LEVEL_").lower(),
        "sclk": (item["sclk"]["min_clk"], item["sclk"]["max_clk"]), "mclk": item["mclk"]["max_clk"],
        **{name: item[name]["current_id"] for name in ("soc_pstate", "xgmi_plpd") if name in item},
        "isolation": item["process_isolation"],
    }


@pytest.mark.parametrize("rocm", [*BINDINGS, "11.0"])
def test_each_generation_sets_and_reads(tmp_path: Path, rocm: str) -> None:
    node = made(tmp_path, "mi300x", rocm=rocm)
    fresh = {"cap": 750, "level": "auto", "sclk": (500, 2100), "mclk": 1300, "soc_pstate": 0, "xgmi_plpd": 1, "isolation": 0}
    clocks = [(X, "sclk_max_mhz", 1500), (X, "mclk_max_mhz", 900)] if rocm != "6.2.4" else []
    before = ask(node)
    assert (now(before, X), before.failed, before.problem) == (fresh, {}, None)
    assert before.lacking == (() if clocks else ("sclk_min_mhz", "sclk_max_mhz", "mclk_max_mhz"))
    after = ask(node, (X, "power_cap", 600 * WATT), (X, "soc_pstate", "soc_pstate_1"), (X, "xgmi_plpd", "plpd_disallow"),
                (X, "process_isolation", "on"), (X, "performance_level", "manual"), *clocks)
    assert after.failed == {}
    assert now(after, X) == {"cap": 600, "level": "manual", "sclk": (500, 1500 if clocks else 2100), "mclk": 900 if clocks else 1300,
                             "soc_pstate": 2, "xgmi_plpd": 0, "isolation": 1}
    assert now(after, B) == fresh


def test_levels_of_mi200_and_what_they_free(tmp_path: Path) -> None:
    node = made(tmp_path)
    said = ask(node, (A, "performance_level", "determinism 1500"), (B, "performance_level", "high"))
    assert (now(said, A)["level"], now(said, A)["sclk"], now(said, B)["level"]) == ("determinism", (500, 1500), "high")
    assert "soc_pstate" not in said.items[A]
    assert [policy["policy_description"] for policy in said.items[A]["xgmi_plpd"]["plpds"]] == ["plpd_disallow", "plpd_default"]
    said = ask(node, (A, "sclk_min_mhz", 900), (B, "performance_level", "auto"), (B, "process_isolation", "on"),
               (B, "process_isolation", "off"))
    assert (now(said, A)["level"], now(said, A)["sclk"], now(said, B)["level"]) == ("manual", (900, 1500), "auto")
    assert now(ask(node, (A, "performance_level", "auto")), A)["sclk"] == (500, 1700)


# id, fault, what is asked, why it fails
REFUSED: list[tuple[str, str, tuple[str, t.Any], str]] = [
    ("beyond the board", "", ("power_cap", 301 * WATT), "AMDSMI_STATUS_INVAL: Invalid parameters"),
    ("below its floor", "power_floor", ("power_cap", 99 * WATT), "AMDSMI_STATUS_INVAL: Invalid parameters"),
    ("not root", "no_permission", ("power_cap", 200 * WATT), "AMDSMI_STATUS_NO_PERM: Permission Denied"),
    ("a virtual function", "vf gpu=all", ("performance_level", "low"), "AMDSMI_STATUS_NOT_SUPPORTED: Feature not supported"),
    ("refused", "setting_refused", ("process_isolation", "on"), "AMDSMI_STATUS_NO_PERM: Permission Denied"),
    ("the memory clock of MI200", "", ("mclk_max_mhz", 900), "AMDSMI_STATUS_NOT_SUPPORTED: Feature not supported"),
    ("a policy that it does not offer", "", ("xgmi_plpd", "plpd_optimized"), "it offers plpd_disallow, plpd_default"),
    ("success, and nothing is done", "setting_ignored", ("power_cap", 200 * WATT), ""),
]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> SimulatedNode:
    """One node for all that changes nothing."""
    return made(tmp_path_factory.mktemp("node"))


@pytest.mark.parametrize(("fault", "step", "why"), [c[1:] for c in REFUSED], ids=[c[0] for c in REFUSED])
def test_refused(shared: SimulatedNode, fault: str, step: tuple[str, t.Any], why: str) -> None:
    node = shared
    node.simulator("heal")
    if fault:
        node.simulator("fault", *fault.split())
    said = ask(node, (A, *step), (B, "power_cap", 250 * WATT))
    assert said.failed == ({(A, step[0]): why, (B, "power_cap"): "not tried, for one before it failed"} if why else {})
    assert now(said, A)["cap"] == 300


def test_without_a_library_nothing_is_known(tmp_path: Path) -> None:
    node = made(tmp_path)
    (node.root / "sys/module/amdgpu/initstate").unlink()
    said = ask(node, (A, "power_cap", 200 * WATT))
    why = "amdgpu is not loaded (initstate absent), the library is not called"
    assert said == Said({}, (), {(A, "power_cap"): why}, why)


def test_what_is_set_is_in_sysfs_and_gone_with_the_driver(tmp_path: Path) -> None:
    node = made(tmp_path)
    ask(node, (A, "power_cap", 200 * WATT), (A, "sclk_max_mhz", 1000))
    place = node.root / f"sys/bus/pci/devices/{A}"
    assert (place / "power_dpm_force_performance_level").read_text() == "manual\n"
    assert "1000Mhz" in (place / "pp_dpm_sclk").read_text()
    node.simulator("reload")
    assert (now(ask(node), A)["cap"], now(ask(node), A)["level"]) == (300, "auto")
