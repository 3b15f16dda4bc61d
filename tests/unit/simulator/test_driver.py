# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Loading and unloading, with real module files that the real modinfo reads; boot and reboot."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest
from instinct_sim import driver, faults, power, product
from instinct_sim.errors import SimError
from instinct_sim.machine import gpus, loaded
from instinct_sim.state import Store

KERNEL = "6.1.0-56-amd64"
ALIAS = "pci:v00001002d*sv*sd*bc12sc00i*"
FIRMWARE = "amdgpu/psp_13_0_6_sos.bin"


def module(root: Path, folder: str, *, kernel: str = KERNEL, magic: str = "", **fields: str) -> None:
    """A module file: an object with nothing but the section that modinfo reads."""
    place = root / "lib" / "modules" / kernel / folder
    place.mkdir(parents=True)
    told = {"license": "GPL", "vermagic": f"{magic or kernel} SMP", "alias": ALIAS, **fields}
    words = "".join(f"{key}={value}\\0" for key, value in told.items())
    source = f'const char info[] __attribute__((section(".modinfo"), used)) = "{words}";'
    subprocess.run(["cc", "-c", "-x", "c", "-o", str(place / "amdgpu.ko"), "-"], input=source, text=True, check=True)
    subprocess.run(["/sbin/depmod", "-b", str(root), kernel], check=True, capture_output=True)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Root folder of a node: a kernel, a DKMS module and its firmware."""
    folder = tmp_path / "root"
    module(folder, "updates/dkms", version="6.14.14", srcversion="ABCDEF", firmware=FIRMWARE)
    blob = folder / "lib" / "firmware" / "updates" / FIRMWARE
    blob.parent.mkdir(parents=True)
    blob.touch()
    (folder / "boot").mkdir()
    (folder / "boot" / f"vmlinuz-{KERNEL}").touch()
    (folder / "etc").mkdir()
    return folder


@pytest.fixture
def store(tmp_path: Path, root: Path) -> Store:
    """A node that has not been started."""
    made = Store(tmp_path / "state")
    state = product.new_state("mi300x")
    made.create({**state, "node.root": str(root), "node.kernel": KERNEL, "node.modprobe_d": str(root / "etc")})
    return made


def bound(store: Store) -> list[int]:
    """Numbers of the GPUs that are driven."""
    return [gpu.index for gpu in gpus(store.read()) if gpu.bound]


def kernel_log(store: Store) -> str:
    """What the simulated kernel said."""
    return store.beside(".kernel.log").read_text(encoding="utf-8")


def test_loaded_module_is_the_one_on_disk(store: Store, root: Path) -> None:
    driver.load(store)
    state = store.read()
    assert (state["driver.version"], state["driver.srcversion"]) == ("6.14.14", "ABCDEF")
    assert state["driver.path"] == f"{root}/lib/modules/{KERNEL}/updates/dkms/amdgpu.ko"
    assert bound(store) == list(range(8))


def test_missing_module_is_refused_in_modprobes_words(store: Store) -> None:
    with store.change() as state:
        state["node.kernel"] = "6.12.1"
    with pytest.raises(
        SimError, match=r"^modprobe: FATAL: Module amdgpu not found in directory /lib/modules/6\.12\.1$"
    ):
        driver.load(store)


def test_module_of_another_kernel_is_refused(store: Store, root: Path) -> None:
    module(root, "extra", kernel="6.12.1", magic="6.11.0")
    with store.change() as state:
        state["node.kernel"] = "6.12.1"
    with pytest.raises(SimError, match="could not insert 'amdgpu': Exec format error"):
        driver.load(store)


def test_missing_firmware_fails_every_probe(store: Store, root: Path) -> None:
    (root / "lib" / "firmware" / "updates" / FIRMWARE).unlink()
    driver.load(store)
    assert loaded(store.read())
    assert bound(store) == []
    assert f"Direct firmware load for {FIRMWARE} failed with error -2" in kernel_log(store)


@pytest.mark.parametrize("name", [f"{KERNEL}/{FIRMWARE}", f"{FIRMWARE}.xz", f"updates/{FIRMWARE}.zst"])
def test_firmware_is_found_where_the_kernel_looks(name: str, store: Store, root: Path) -> None:
    (root / "lib" / "firmware" / "updates" / FIRMWARE).unlink()
    blob = root / "lib" / "firmware" / name
    blob.parent.mkdir(parents=True, exist_ok=True)
    blob.touch()
    driver.load(store)
    assert bound(store) == list(range(8))


@pytest.mark.parametrize(("fault", "number"), [("probe_enomem", -12), ("probe_psp", -22)])
def test_probe_fault_leaves_the_other_gpus(fault: str, number: int, store: Store) -> None:
    with store.change() as state:
        faults.inject(state, fault, {"gpu": "1,4"})
    driver.load(store)
    assert bound(store) == [0, 2, 3, 5, 6, 7]
    assert f"amdgpu: probe of 0000:26:00.0 failed with error {number}" in kernel_log(store)


def test_lost_gpu_does_not_come_back_by_a_reload(store: Store) -> None:
    driver.load(store)
    with store.change() as state:
        faults.inject(state, "gpu_lost", {"gpu": "2"})
    driver.unload(store)
    driver.load(store)
    assert bound(store) == [0, 1, 3, 4, 5, 6, 7]


def test_busy_driver_stays(store: Store) -> None:
    driver.load(store)
    with store.change() as state:
        state["proc.4242"] = "python3:0:0:fixed"
    with pytest.raises(SimError, match=r"^modprobe: FATAL: Module amdgpu is in use\.$"):
        driver.unload(store)
    assert loaded(store.read())


def test_memory_mode_comes_with_the_unload(store: Store) -> None:
    driver.load(store)
    with store.change() as state:
        state["hive.requested_memory"] = "NPS4"
    driver.unload(store)
    driver.load(store)
    assert [(gpu["memory"], gpu["compute"]) for gpu in gpus(store.read())] == [("NPS4", "CPX")] * 8
    assert "hive.requested_memory" not in store.read()


def test_compute_mode_is_lost_with_the_driver(store: Store) -> None:
    driver.load(store)
    with store.change() as state:
        state["gpu3.compute"] = "CPX"
    driver.unload(store)
    driver.load(store)
    assert gpus(store.read())[3]["compute"] == "SPX"


BLACKLISTS = [
    ("a file", "blacklist amdgpu\n", "", False),
    ("the kernel's command line", "", "quiet modprobe.blacklist=nouveau,amdgpu", False),
    ("a file about another module", "blacklist amdgpu_other\n", "modprobe.blacklist=amd", True),
    ("nothing", "", "", True),
]


@pytest.mark.parametrize(("text", "arguments", "loads"), [pytest.param(*one[1:], id=one[0]) for one in BLACKLISTS])
def test_blacklist_keeps_the_driver_from_loading_by_itself(
    text: str, arguments: str, loads: bool, store: Store, root: Path
) -> None:
    (root / "etc" / "local.conf").write_text(text, encoding="utf-8")
    with store.change() as state:
        state["node.cmdline"] = arguments
    driver.load(store, by_alias=True)
    assert loaded(store.read()) is loads
    driver.load(store)
    assert loaded(store.read())


def test_driver_without_a_match_does_not_load_by_itself(store: Store, root: Path) -> None:
    module(root, "extra", kernel="6.12.1", alias="pci:v00001002d00006860sv*sd*bc*sc*i*")
    with store.change() as state:
        state["node.kernel"] = "6.12.1"
    driver.load(store, by_alias=True)
    assert not loaded(store.read())
    driver.load(store)
    assert (loaded(store.read()), bound(store)) == (True, [])


def test_parameters_come_from_files_and_the_command_line(store: Store, root: Path) -> None:
    (root / "etc" / "amdgpu.conf").write_text("options amdgpu noretry=0 runpm=0\n", encoding="utf-8")
    with store.change() as state:
        state["node.cmdline"] = "quiet amdgpu.runpm=1"
    driver.load(store, parameters={"gpu_recovery": "0"})
    state = store.read()
    assert {key: state[f"driver.parameter.{key}"] for key in ("noretry", "runpm", "gpu_recovery")} == {
        "noretry": "0", "runpm": "1", "gpu_recovery": "0"}  # fmt: skip


def test_in_tree_driver_has_no_version(store: Store, root: Path) -> None:
    module(root, "kernel/drivers/gpu", kernel="6.12.1", srcversion="123456")
    with store.change() as state:
        state["node.kernel"] = "6.12.1"
    driver.load(store)
    assert (store.read()["driver.version"], store.read()["driver.srcversion"]) == ("", "123456")


def test_boot_tells_the_kernel_and_loads_the_driver(store: Store, tmp_path: Path) -> None:
    power.boot(store, tmp_path / "run")
    said = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "run").iterdir()}
    state = store.read()
    assert said == {
        "osrelease": f"{KERNEL}\n",
        "cmdline": f"{state['node.cmdline']}\n",
        "boot_id": f"{state['node.boot_id']}\n",
    }
    assert state["node.cmdline"] == f"BOOT_IMAGE=/boot/vmlinuz-{KERNEL} root=/dev/sda1 ro quiet"
    assert bound(store) == list(range(8))


def test_next_boot_is_another_and_what_ran_is_over(store: Store, tmp_path: Path) -> None:
    power.boot(store, tmp_path / "run")
    first = store.read()["node.boot_id"]
    place = (tmp_path / "run" / "boot_id").stat().st_ino
    with store.change() as state:
        state.update(
            {"proc.4242": "python3:0:0:fixed", "gpu0.ecc.umc.correctable": "5", "hive.requested_memory": "NPS4"}
        )
    power.boot(store, tmp_path / "run")
    state = store.read()
    assert state["node.boot_id"] != first
    assert (tmp_path / "run" / "boot_id").stat().st_ino == place  # it is mounted over /proc
    assert ("proc.4242" in state, state["gpu0.ecc.umc.correctable"], state["gpu0.memory"]) == (False, "0", "NPS4")


@pytest.mark.parametrize("fault", ["busy", "client"])
def test_holder_ends_with_the_power(fault: str, store: Store, tmp_path: Path) -> None:
    with store.change() as state:
        faults.inject(state, fault, {"pid": "4194999"})
        faults.inject(state, "hot", {})
    power.boot(store, tmp_path / "run")
    assert faults.active(store.read()) == ["hot"]


def test_gpu_that_a_reload_loses_is_there_after_a_boot(store: Store, tmp_path: Path) -> None:
    with store.change() as state:
        faults.inject(state, "gpu_lost_at_reload", {"gpu": "2"})
    driver.load(store)
    assert bound(store) == [0, 1, 3, 4, 5, 6, 7]
    power.boot(store, tmp_path / "run")
    assert bound(store) == list(range(8))


def test_load_takes_its_time(store: Store) -> None:
    with store.change() as state:
        faults.inject(state, "slow_reload", {"seconds": "0.3"})
    begin = time.monotonic()
    driver.load(store)
    assert time.monotonic() - begin >= 0.3


def test_boot_without_a_driver_is_a_boot(store: Store, root: Path, tmp_path: Path) -> None:
    (root / "lib" / "modules" / KERNEL / "updates" / "dkms" / "amdgpu.ko").unlink()
    subprocess.run(["/sbin/depmod", "-b", str(root), KERNEL], check=True, capture_output=True)
    power.boot(store, tmp_path / "run")
    assert not loaded(store.read())
    assert "Module amdgpu not found" in kernel_log(store)
