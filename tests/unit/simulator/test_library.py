# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The simulated library under the unmodified bindings."""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys
import time
import typing as t
from pathlib import Path

import build
import derive
import gen_abi
import pytest

if t.TYPE_CHECKING:
    from instinct_sim.state import Store

    NewNode = t.Callable[..., Store]

HERE = Path(__file__).resolve().parent
GOLDEN: list[dict[str, t.Any]] = json.loads((HERE / "golden.json").read_text(encoding="utf-8"))["cases"]


def number(version: str) -> tuple[int, ...]:
    """A version to compare."""
    return tuple(map(int, version.partition("-")[0].split(".")[:2]))


def applies(case: dict[str, t.Any], version: str) -> bool:
    """Whether a binding has the calls of a case."""
    return number(case.get("since", "0")) <= number(version) < number(case.get("before", "999.0"))


CASES = [
    pytest.param(version, case, id=f"{version}: {case['says']}")
    for version in build.generations()
    for case in GOLDEN
    if applies(case, version)
]


@pytest.fixture(scope="session")
def played(libraries: t.Any, tmp_path_factory: pytest.TempPathFactory) -> t.Callable[[str], dict[str, list[t.Any]]]:
    """What came back from a binding for all cases: one process plays them all."""
    from instinct_sim import faults, product
    from instinct_sim.state import Store

    came: dict[str, dict[str, list[t.Any]]] = {}

    def play(version: str) -> dict[str, list[t.Any]]:
        if version not in came:
            folder = tmp_path_factory.mktemp(f"golden-{version}")
            cases = [case for case in GOLDEN if applies(case, version)]
            for index, case in enumerate(cases):
                state = product.new_state(case["product"])
                state.update({f"gpu{gpu}.bound": "1" for gpu in range(int(state["node.gpus"]))})
                state.update(
                    {"driver.state": "loaded", "driver.version": "6.14.14", "library.root": "yes", "node.kernel": ""}
                )
                state.update({"node.command": str(HERE.parents[1] / "simulator" / "node" / "instinct-sim")})
                state.update(
                    {
                        f"gpu{gpu}.{key}": value
                        for gpu in range(int(state["node.gpus"]))
                        for key, value in case.get("each", {}).items()
                    }
                )
                state.update(case.get("keys", {}))
                for name, arguments in case.get("faults", []):
                    faults.inject(state, name, arguments)
                Store(folder / str(index)).create(state)
            given = [{"state": str(folder / str(index)), "steps": case["steps"]} for index, case in enumerate(cases)]
            answers = libraries(version).run((HERE / "play.py").read_text(encoding="utf-8"), Store(folder / "0"), given)
            came[version] = dict(zip((case["says"] for case in cases), answers, strict=True))
        return came[version]

    return play


@pytest.mark.parametrize(("version", "case"), CASES)
def test_library_answers_as_recorded(version: str, case: dict[str, t.Any], played: t.Any) -> None:
    wanted = [None if step[0] == "restart" else step[-1] for step in case["steps"]]
    assert list(zip(case["steps"], played(version)[case["says"]], strict=True)) == list(
        zip(case["steps"], wanted, strict=True)
    )


def test_every_symbol_of_the_binding_exists(library: t.Any) -> None:
    _module, symbols = gen_abi.load(library.binding / "amdsmi" / "amdsmi_wrapper.py")
    loaded = ctypes.CDLL(str(library.path))
    assert len(symbols) >= 157
    assert [name for name in symbols if not hasattr(loaded, name)] == []


def test_every_symbol_needs_a_start(library: t.Any, new_node: NewNode) -> None:
    _module, symbols = gen_abi.load(library.binding / "amdsmi" / "amdsmi_wrapper.py")
    without = {"amdsmi_init", "amdsmi_get_lib_version", "amdsmi_status_code_to_string"}
    program = """
import ctypes, json, sys
given = json.load(sys.stdin)
library = ctypes.CDLL(given["path"])
print(json.dumps(sorted({getattr(library, name)(*[None] * 8) for name in given["names"]})))
"""
    names = sorted(set(symbols) - without)
    assert library.run(program, new_node(), {"path": str(library.path), "names": names}) == [32]


INFO = """
import json, sys
import amdsmi as a
name = json.load(sys.stdin)
a.amdsmi_init()
handles = a.amdsmi_get_processor_handles()
T = a.AmdSmiTemperatureType
M = a.AmdSmiTemperatureMetric
print(json.dumps({
    "lib": a.amdsmi_get_lib_version(),
    "hotspot": [a.amdsmi_get_temp_metric(h, T.HOTSPOT, M.CURRENT) for h in handles],
    "ecc": [a.amdsmi_get_gpu_total_ecc_count(h) for h in handles],
    "pages": [[page["status"] for page in a.amdsmi_get_gpu_bad_page_info(h)] for h in handles],
    "blocks": [[block.name for block in a.AmdSmiGpuBlock if a.amdsmi_get_gpu_ecc_enabled(h) & block.value] for h in handles],
    "clocks": [a.amdsmi_get_clock_info(h, a.AmdSmiClkType.GFX)["clk"] for h in handles],
    "activity": [a.amdsmi_get_gpu_activity(h)["gfx_activity"] for h in handles],
    "driver": a.amdsmi_get_gpu_driver_info(handles[0])["driver_version"],
    "xgmi": [a.amdsmi_gpu_xgmi_error_status(h) for h in handles],
    "pcie": [a.amdsmi_get_pcie_info(h)["pcie_metric"] for h in handles],
    "processes": [[(p["pid"], p["mem"]) for p in a.amdsmi_get_gpu_process_list(h) if p["mem"]] for h in handles],
    "bdfs": [a.amdsmi_get_gpu_device_bdf(h) for h in handles],
    "ids": [a.amdsmi_get_gpu_asic_info(h)["device_id"] for h in handles],
    "numa": [a.amdsmi_topo_get_numa_node_number(h) for h in handles],
}))
"""

EFFECTS: list[tuple[str, dict[str, str], t.Callable[[dict[str, t.Any]], t.Any], t.Any]] = [
    ("hot", {"gpu": "1"}, lambda info: info["hotspot"], [44, 108]),
    ("ecc_correctable", {"gpu": "1", "count": "7"}, lambda info: [e["correctable_count"] for e in info["ecc"]], [0, 7]),
    ("ecc_uncorrectable", {"gpu": "0"}, lambda info: [e["uncorrectable_count"] for e in info["ecc"]], [1, 0]),
    ("bad_pages", {"gpu": "1", "pending": "1", "unreservable": "1"}, lambda info: info["pages"], [[], [0, 0, 0, 1, 2]]),
    (
        "ecc_correctable",
        {"gpu": "1", "block": "xgmi_wafl"},
        lambda info: [e["correctable_count"] for e in info["ecc"]],
        [0, 12],
    ),
    ("clock_stuck", {"gpu": "1"}, lambda info: (info["clocks"], info["activity"]), ([132, 132], [0, 100])),
    ("zombie", {"pid": "4194999"}, lambda info: info["processes"], [[], []]),
    ("pcie_replays", {}, lambda info: [p["pcie_replay_count"] for p in info["pcie"]], [1200, 0]),
    ("xgmi_down", {"gpu": "0"}, lambda info: info["xgmi"], [1, 0]),
    (
        "pcie_degraded",
        {"gpu": "1"},
        lambda info: [(p["pcie_width"], p["pcie_speed"]) for p in info["pcie"]],
        [(16, 32000), (8, 16000)],
    ),
    ("busy", {"gpu": "1", "pid": "4194999"}, lambda info: info["processes"], [[], [[4194999, 1 << 30]]]),
    ("gpu_lost", {"gpu": "0"}, lambda info: info["bdfs"], ["0000:26:00.0"]),
    ("vf", {"gpu": "1"}, lambda info: info["ids"], ["0x74a1", "0x74b5"]),
    (
        "version_mismatch",
        {"version": "24.7.1"},
        lambda info: [info["lib"][k] for k in ("major", "minor", "release")],
        [24, 7, 1],
    ),
]


@pytest.mark.parametrize(
    ("fault", "arguments", "look", "seen"), [pytest.param(*effect, id=effect[0]) for effect in EFFECTS]
)
def test_fault_shows_in_the_library(
    fault: str, arguments: dict[str, str], look: t.Any, seen: t.Any, library: t.Any, new_node: NewNode
) -> None:
    from instinct_sim import faults

    store = new_node(gpus=2)
    with store.change() as state:
        faults.inject(state, fault, arguments)
    assert look(library.run(INFO, store)) == seen


def test_blocks_with_ras_are_the_products(library: t.Any, new_node: NewNode) -> None:
    blocks = library.run(INFO, new_node(gpus=2))["blocks"]
    assert blocks == [["UMC", "SDMA", "GFX", "MMHUB", "PCIE_BIF", "HDP", "XGMI_WAFL"]] * 2


def test_kernels_own_driver_shows_as_the_text_of_proc_version(library: t.Any, new_node: NewNode) -> None:
    store = new_node(gpus=2, driver__version="", node__kernel="6.8.0-60-generic")
    assert library.run(INFO, store)["driver"] == "Linux version 6.8.0-60-generic (simulated)"


def test_library_is_of_the_version_of_its_binding(library: t.Any, new_node: NewNode) -> None:
    version = library.run(INFO, new_node())["lib"]
    wanted = {**build.bindings(), **derive.bindings()}[library.version]["library"]
    assert ".".join(str(version[key]) for key in ("major", "minor", "release")) == wanted
    assert build.MARK in library.path.read_bytes()


def test_slow_start_takes_its_time(libraries: t.Any, new_node: NewNode) -> None:
    from instinct_sim import faults

    store = new_node()
    with store.change() as state:
        faults.inject(state, "slow", {"seconds": "0.4"})
    begin = time.monotonic()
    libraries("7.0.2").run("import amdsmi; amdsmi.amdsmi_init(); print(1)", store)
    assert time.monotonic() - begin >= 0.4


def test_hanging_start_does_not_end(libraries: t.Any, new_node: NewNode) -> None:
    from instinct_sim import faults

    store, library = new_node(), libraries("7.0.2")
    with store.change() as state:
        faults.inject(state, "hang", {})
    environment = {
        "PYTHONPATH": str(library.binding),
        "ROCM_PATH": str(library.path.parents[1]),
        "INSTINCT_SIM_STATE": str(store.path),
    }
    with pytest.raises(subprocess.TimeoutExpired):
        subprocess.run(
            [sys.executable, "-c", "import amdsmi; amdsmi.amdsmi_init()"], env=environment, check=False, timeout=1
        )


def test_injected_status_comes_so_many_times(libraries: t.Any, new_node: NewNode) -> None:
    from instinct_sim import faults

    store = new_node()
    with store.change() as state:
        faults.inject(state, "status", {"call": "amdsmi_get_gpu_device_bdf", "code": "43", "times": "2"})
    program = """
import json, amdsmi as a
a.amdsmi_init()
def call():
    try:
        return a.amdsmi_get_gpu_device_bdf(a.amdsmi_get_processor_handles()[0])
    except a.AmdSmiLibraryException as error:
        return error.get_error_code()
print(json.dumps([call() for _ in range(3)]))
"""
    assert libraries("7.0.2").run(program, store) == [43, 43, "0000:05:00.0"]


def test_writers_of_both_languages_lose_nothing(libraries: t.Any, new_node: NewNode) -> None:
    store, library = new_node(gpus=2), libraries("7.0.2")
    program = """
import amdsmi as a, sys
a.amdsmi_init()
handle = a.amdsmi_get_processor_handles()[int(sys.argv[1])]
for watt in range(100, 160):
    a.amdsmi_set_power_cap(handle, 0, watt * 1000000)
"""
    environment = {
        "PYTHONPATH": str(library.binding),
        "ROCM_PATH": str(library.path.parents[1]),
        "INSTINCT_SIM_STATE": str(store.path),
    }
    with store.change() as state:
        state.update({"node.command": "", "count": "0"})
    writers = [subprocess.Popen([sys.executable, "-c", program, str(gpu)], env=environment) for gpu in range(2)]
    for _ in range(60):
        with store.change() as state:
            state["count"] = str(int(state["count"]) + 1)
    assert [writer.wait(timeout=30) for writer in writers] == [0, 0]
    state = store.read()
    assert (state["count"], state["gpu0.power.cap_uw"], state["gpu1.power.cap_uw"]) == ("60", "159000000", "159000000")


def test_real_library_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / build.NAME).write_bytes(b"\x7fELF of somebody else")
    with pytest.raises(build.BuildError, match="is a real library: it is left alone"):
        build.build(build.fetch("7.0.2"), tmp_path)
    assert (tmp_path / build.NAME).read_bytes() == b"\x7fELF of somebody else"


def test_other_library_version_can_be_told(tmp_path: Path) -> None:
    assert b"simulated libamd_smi 26.2.2" in build.build(build.fetch("7.0.2"), tmp_path, "26.2.2").read_bytes()


@pytest.mark.parametrize(("text", "version"), [("7.0.2", "26.0.2"), ("26.2.1+abc", "26.2.1")])
def test_library_version_follows_the_binding(text: str, version: str, tmp_path: Path) -> None:
    (tmp_path / "_version.py").write_text(f'__version__ = "{text}"\n', encoding="utf-8")
    assert build.library_version(tmp_path) == version


def test_unknown_binding_needs_a_library_version(tmp_path: Path) -> None:
    (tmp_path / "_version.py").write_text('__version__ = "9.9.9"\n', encoding="utf-8")
    with pytest.raises(build.BuildError, match=r"no library is known for binding 9\.9\.9; say --library-version"):
        build.library_version(tmp_path)


RESET = """
import json, sys
import amdsmi as a
given = json.load(sys.stdin)
a.amdsmi_init()
handles = a.amdsmi_get_processor_handles()
for handle in (handles[0], handles[4]):
    a.amdsmi_set_power_cap(handle, 0, given)
    a.amdsmi_set_gpu_perf_level(handle, a.AmdSmiDevPerfLevel.MANUAL)
a.amdsmi_reset_gpu(handles[0])
print("[]")
"""


def test_a_reset_reaches_all_of_its_hive_and_no_other(library: t.Any, new_node: NewNode) -> None:
    """Of two islands of four the other keeps its dead, its settings and its memory; who lives is counted until the end."""
    used = {f"gpu{gpu}__vram_used_mib": "9000" for gpu in (1, 2, 5)}
    held = {"4194001": "1", "4194002": "5", "4194003": "1,5"}
    gone = {f"proc__{pid}": f"x:5:{gpus}:zombie" for pid, gpus in held.items()}
    store = new_node("mi100", 8, **used, **gone, proc__4194004="x:5:2:fixed")
    library.run(RESET, store, 200_000_000)
    state = store.read()
    assert [pid for pid in held if state[f"proc.{pid}"].endswith(":zombie")] == ["4194002", "4194003"]
    assert [state[f"gpu{gpu}.vram_used_mib"] for gpu in (1, 2, 5)] == ["284", "9000", "9000"]
    assert [(state[f"gpu{gpu}.level"], state[f"gpu{gpu}.power.cap_uw"]) for gpu in (0, 4)] == [
        ("", state["gpu0.power.default_uw"]),
        ("manual", "200000000"),
    ]
