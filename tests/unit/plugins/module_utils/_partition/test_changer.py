# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Asking the library: again where its refusal passes, never believed, and what it said is kept."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Gpus
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.shape import Change
from ansible_collections.instinct.fleet.plugins.module_utils._partition import eyes, reload
from ansible_collections.instinct.fleet.plugins.module_utils._partition.changer import TRIES, Changer, words
from ansible_collections.instinct.fleet.plugins.module_utils._smi.partition import Said
from ansible_collections.instinct.fleet.tests.unit.plugins.partition_world import BUSY, INVAL, KNOWN, A, B, World

RESET = (2, "AMDSMI_STATUS_NOT_SUPPORTED")
MEMORY = Change("memory", (A, B), "NPS4", "NPS1", "set memory partition NPS4 on 2 GPUs (was NPS1)")
RELOAD = Change("reload", (A, B), "", "", "reload amdgpu")


@pytest.fixture
def changer(world: World) -> Changer:
    """For the GPUs of the node, as seen."""
    return Changer(world.look(("gpus",)).gpus or Gpus(), reload.ready(), KNOWN, 2)


@pytest.mark.parametrize("passing", [RESET, BUSY])
def test_what_passes_is_asked_again_of_that_gpu_alone(
    world: World, changer: Changer, passing: tuple[int, str],
) -> None:
    world.answers[B] = [passing, passing, (0, "")]
    changer.compute({A: "CPX", B: "CPX"}, ())
    assert world.acts == [f"compute CPX {A} {B}", f"compute CPX {B}", f"compute CPX {B}"]
    assert (changer.said, [gpu.compute_partition for gpu in changer.now.gpus]) == ({}, ["CPX", "CPX"])


def test_it_is_asked_so_often_and_no_more(world: World, changer: Changer) -> None:
    world.answers[B] = [RESET]
    changer.compute({B: "CPX"}, ())
    assert (world.acts, changer.said) == ([f"compute CPX {B}"] * TRIES, {B: "AMDSMI_STATUS_NOT_SUPPORTED"})


def test_a_mode_that_the_gpu_does_not_offer_is_asked_once(world: World, changer: Changer) -> None:
    world.answers[B] = [RESET]
    changer.compute({B: "TPX"}, ())
    assert world.acts == [f"compute TPX {B}"]


def test_what_was_said_before_is_forgotten_once_a_call_succeeds(world: World, changer: Changer) -> None:
    world.answers[B] = [INVAL, (0, "")]
    changer.compute({B: "CPX"}, ())
    assert changer.said == {B: "AMDSMI_STATUS_INVAL"}
    changer.compute({B: "CPX"}, ())
    assert changer.said == {}


def test_gpus_that_are_so_already_are_not_asked(world: World, changer: Changer) -> None:
    changer.compute({A: "SPX", B: "DPX"}, ())
    assert (world.acts, changer.done) == ([f"compute DPX {B}"], ["set compute partition DPX on 1 GPU"])


def test_nothing_to_do_is_not_even_looked_at(world: World, changer: Changer) -> None:
    world.log.clear()
    changer.compute({A: "SPX"}, ())
    assert world.log == []


def test_fewest_devices_come_first(world: World, changer: Changer) -> None:
    changer.compute({A: "CPX", B: "DPX"}, ())
    assert world.acts == [f"compute DPX {B}", f"compute CPX {A}"]


def test_a_hive_that_took_a_memory_mode_is_told_though_another_did_not(world: World, changer: Changer) -> None:
    world.answers[B] = [INVAL]
    with pytest.raises(FleetError, match=f"gpu {B}: does not take NPS4"):
        changer.memory([Change("memory", (A, B), "NPS4", "NPS1", "set both"), RELOAD])
    assert (changer.done, changer.requested) == (["set memory partition NPS4 on 1 GPU"], "NPS4")


def test_what_nobody_took_was_not_done(world: World, changer: Changer) -> None:
    world.answers[B] = [INVAL]
    changer.compute({B: "CPX"}, ())
    assert (changer.done, changer.said) == ([], {B: "AMDSMI_STATUS_INVAL"})


def test_partitions_may_come_late(world: World, changer: Changer, monkeypatch: pytest.MonkeyPatch) -> None:
    world.fewer = {A: 3}
    looks = iter([lambda: None, world.fewer.clear])
    real = world.look

    def look(*asked: object) -> object:
        next(looks)()
        return real(*asked)  # type: ignore[arg-type]

    monkeypatch.setattr(eyes, "look", look)
    changer.compute({A: "CPX"}, ())
    assert len(changer.now.gpus[0].partitions) == 8


def test_partitions_that_do_not_come_are_counted(world: World, changer: Changer) -> None:
    world.fewer = {A: 3}
    changer.compute({A: "CPX"}, ())
    assert [changer.short(gpu) for gpu in changer.now.gpus] == ["KFD shows 3 of its 8 devices", ""]


def test_memory_and_the_reload_that_brings_it(world: World, changer: Changer) -> None:
    changer.memory([MEMORY, RELOAD])
    assert world.acts == [f"memory NPS4 {A} {B}", "reload amdgpu"]
    assert ([gpu.memory_partition for gpu in changer.now.gpus], changer.requested) == (["NPS4"] * 2, "")


def test_a_library_that_reloads_is_only_proved(world: World, changer: Changer) -> None:
    world.library = "25.5.1"
    changer.memory([MEMORY])
    assert (world.acts, [gpu.memory_partition for gpu in changer.now.gpus]) == ([f"memory NPS4 {A} {B}"], ["NPS4"] * 2)


def test_a_driver_that_would_not_come_back_is_not_taken_out(world: World) -> None:
    world.loaded = None
    with pytest.raises(FleetError, match="amdgpu: is not loaded"):
        Changer(Gpus(), None, KNOWN, 2).memory([MEMORY, RELOAD])
    assert world.acts == []


HINTS = {
    "as another user": ((10, "AMDSMI_STATUS_NO_PERM"), "run as root (become: true)", ""),
    "for any other reason": (INVAL, "read the kernel log (journalctl -k -g amdgpu)", ""),
    "by a library that could not reload": (
        (54, "AMDSMI_STATUS_AMDGPU_RESTART_ERR"), "read the kernel log (journalctl -k -g amdgpu)", "NPS4"),
}


@pytest.mark.parametrize(("answer", "hint", "requested"), HINTS.values(), ids=HINTS)
def test_memory_refused(world: World, changer: Changer, answer: tuple[int, str], hint: str, requested: str) -> None:
    world.answers = {A: [answer], B: [answer]}
    with pytest.raises(FleetError) as error:
        changer.memory([MEMORY, RELOAD])
    assert error.value.sentence == f"gpu {A}: does not take NPS4: {answer[1]}; {hint}"
    assert (changer.done, changer.requested) == ([], requested)


def test_a_reload_that_fails_leaves_a_request(world: World, changer: Changer) -> None:
    world.fails["reload amdgpu"] = "in use"
    with pytest.raises(FleetError, match="in use"):
        changer.memory([MEMORY, RELOAD])
    assert (changer.requested, changer.done) == ("NPS4", [MEMORY.words])


def test_a_driver_that_is_out_has_taken_the_request(world: World, changer: Changer) -> None:
    world.lost = {B}
    with pytest.raises(FleetError, match="KFD shows 1 of 2"):
        changer.memory([MEMORY, RELOAD])
    assert changer.requested == ""


def test_a_library_that_reloads_leaves_no_request(world: World, changer: Changer) -> None:
    world.library, world.answers[B] = "25.5.1", [INVAL]
    with pytest.raises(FleetError, match="does not take NPS4"):
        changer.memory([MEMORY])
    assert (changer.requested, changer.done) == ("", ["set memory partition NPS4 on 1 GPU"])


WORDS = {
    "name and words": (Said(A, 2, "AMDSMI_STATUS_NOT_SUPPORTED", "Feature not supported", None),
                       "AMDSMI_STATUS_NOT_SUPPORTED: Feature not supported"),
    "a code without a name": (Said(A, 77, "", "", None), "status 77"),
    "no code": (Said(A, None, "", "the library did not answer in 2 s", None), "the library did not answer in 2 s"),
    "nothing": (Said(A, None, "", "", None), "the library gave no answer"),
}


@pytest.mark.parametrize(("said", "text"), WORDS.values(), ids=WORDS)
def test_words(said: Said, text: str) -> None:
    assert words(said) == text
