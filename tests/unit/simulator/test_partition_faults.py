# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults of partitioning where no library is needed: reloads, reboots, and what /sys shows."""

from __future__ import annotations

import os
import time
import typing as t
from pathlib import Path

import pytest
from instinct_sim import driver, faults, kfd, tree
from instinct_sim.errors import SimError
from instinct_sim.machine import clients, gpus, partitions, processes

if t.TYPE_CHECKING:
    from instinct_sim.state import State, Store

    NewNode = t.Callable[..., Store]


def broken(store: Store, name: str, **arguments: str) -> Store:
    """Break something."""
    with store.change() as state:
        faults.inject(state, name, arguments)
    return store


def reloaded(store: Store) -> State:
    """The state after a reload."""
    driver.reload(store)
    return store.read()


def bound(state: State) -> list[int]:
    """Numbers of the GPUs that are driven."""
    return [gpu.index for gpu in gpus(state) if gpu.bound]


def test_lost_gpu_comes_back_with_the_power(new_node: NewNode) -> None:
    store = broken(new_node(gpus=4), "gpu_lost_at_reload", gpu="1,3")
    assert bound(store.read()) == [0, 1, 2, 3]
    state = reloaded(store)
    assert (bound(state), [gpu["lost"] for gpu in gpus(state)]) == ([0, 2], ["0", "1", "0", "1"])
    driver.power_off(state)
    assert [gpu["lost"] for gpu in gpus(state)] == ["0"] * 4
    faults.heal(state, "gpu_lost_at_reload")
    assert [gpu["reload.lost"] for gpu in gpus(state)] == [""] * 4


def test_gpu_that_is_lost_for_good_does_not(new_node: NewNode) -> None:
    state = broken(new_node(gpus=2), "gpu_lost", gpu="1").read()
    driver.power_off(state)
    assert [gpu["lost"] for gpu in gpus(state)] == ["0", "1"]


def test_reload_takes_its_time(new_node: NewNode) -> None:
    store = broken(new_node(gpus=1), "slow_reload", seconds="0.5")
    begin = time.monotonic()
    reloaded(store)
    assert time.monotonic() - begin >= 0.5


def test_some_gpus_of_a_hive_can_keep_their_memory_mode(new_node: NewNode) -> None:
    store = broken(new_node(gpus=3), "set_ignored", gpu="1", what="memory")
    with store.change() as state:
        state["hive.requested_memory"] = "NPS4"
    modes = [(gpu["memory"], gpu["compute"]) for gpu in gpus(reloaded(store))]
    assert modes == [("NPS4", "CPX"), ("NPS1", "SPX"), ("NPS4", "CPX")]


@pytest.mark.parametrize(("fault", "arguments"), [("client", {"pid": "4194999"}), ("module_held", {})])
def test_what_uses_the_driver_keeps_it(fault: str, arguments: dict[str, str], new_node: NewNode) -> None:
    store = broken(new_node(), fault, **arguments)
    assert tree.render(store.read())["module/amdgpu/refcnt"] == tree.File("1\n")
    with pytest.raises(SimError, match=r"^modprobe: FATAL: Module amdgpu is in use\.$"):
        driver.unload(store)
    with store.change() as state:
        faults.heal(state, fault)
    driver.unload(store)


def test_client_is_no_process_of_kfd_and_ends_with_the_power(new_node: NewNode) -> None:
    state = broken(new_node(), "client", gpu="1").read()
    made = clients(state)[0].pid
    assert (processes(state), [one.gpus for one in clients(state)]) == ([], [(1,)])
    assert not any(path.startswith("proc/") for path in kfd.render(state))
    driver.power_off(state)
    assert clients(state) == []
    os.kill(made, 9)


def test_unit_that_does_not_run_holds_nothing(new_node: NewNode) -> None:
    state = new_node().read()
    with pytest.raises(SimError, match=r"instinct-sim-none\.service does not run: start it first"):
        faults.inject(state, "busy", {"unit": "instinct-sim-none.service"})


def test_offered_modes_shrink(new_node: NewNode) -> None:
    place = "devices/pci0000:02/0000:02:01.1/0000:03:00.0/0000:04:00.0/0000:05:00.0"
    store = broken(broken(new_node(), "compute_modes", modes="SPX,CPX"), "memory_modes", modes="NPS1,NPS4")
    shown = tree.render(store.read())
    assert shown[f"{place}/available_compute_partition"] == tree.File("SPX, CPX\n")
    assert shown[f"{place}/available_memory_partition"] == tree.File("NPS1, NPS4\n")


@pytest.mark.parametrize(("memory", "offered"), [("NPS1", "SPX, DPX, QPX, CPX"), ("NPS2", "DPX"), ("NPS4", "QPX, CPX")])
def test_compute_modes_are_those_of_the_memory_mode(memory: str, offered: str, new_node: NewNode) -> None:
    shown = tree.render(new_node(gpu0__memory=memory).read())
    place = next(path for path in sorted(shown) if path.endswith("/available_compute_partition"))
    assert shown[place] == tree.File(f"{offered}\n")


def test_changed_gpu_is_the_last_of_the_topology_until_the_driver_is_loaded_again(new_node: NewNode) -> None:
    store = new_node(gpus=3, gpu0__compute="DPX", gpu0__kfd_order="2", gpu2__kfd_order="1")
    assert [(part.gpu, part.id, part.node) for part in partitions(store.read())] == [
        (0, 0, 4), (0, 1, 5), (1, 0, 2), (2, 0, 3)]  # fmt: skip
    texts = kfd.render(store.read())
    assert [texts[f"topology/nodes/{node}/gpu_id"] for node in range(2, 6)] == [14106, 18205, 10007, 10264]
    links = [str(texts[f"topology/nodes/3/io_links/{link}/properties"]).split("\n") for link in range(4)]
    assert [one[4] for one in links] == ["node_to 1", "node_to 2", "node_to 4", "node_to 5"]
    assert [part.node for part in partitions(reloaded(store))] == [2, 3, 4]


def test_numbers_of_drm_do_not_change_with_the_mode(new_node: NewNode) -> None:
    spx, cpx = new_node().read(), new_node(gpu0__compute="CPX").read()
    assert tree.device_nodes(spx) == tree.device_nodes(cpx)
    assert [part.minor for part in partitions(spx)][:2] == [128, 136]
    assert [part.minor for part in partitions(cpx)][:9] == list(range(128, 137))


def test_display_takes_the_number_of_the_last_partition(new_node: NewNode, tmp_path: Path) -> None:
    store = broken(new_node(**{f"gpu{gpu}__compute": "CPX" for gpu in range(8)}), "drm_full")
    assert (len(partitions(store.read())), partitions(store.read())[-1].minor) == (63, 190)
