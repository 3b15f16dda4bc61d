# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What could not be read, in words, and what of it a diagnosis cannot do without."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.diagnosis import unseen as subject
from ansible_collections.instinct.fleet.plugins.module_utils._core.diagnosis.unseen import NOT_LOOKED_AT, Unseen, unseen
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk

WHOLE = lk.Look(
    os=lk.Os(), kernel=lk.Kernel(), packages=lk.Packages(), repositories=lk.Repositories(), dkms=lk.Dkms(), driver=lk.Driver(),
    boot=lk.Boot(), firmware=lk.Firmware(), rocm=lk.Rocm(), smi=lk.Smi(), gpus=lk.Gpus(), devices=lk.Devices(),
    processes=lk.Processes(), host=lk.Host(), log=lk.Log(), health=lk.Health(), settings=lk.Settings())
A, B = "0000:05:00.0", "0000:26:00.0"
DENIED = "permission denied"

CASES = {
    "nothing": (WHOLE, ()),
    "files are not asked for": (dc.replace(WHOLE, files=None), ()),
    "the kernel log": (dc.replace(WHOLE, log=lk.Log(unknown={"kernel": DENIED})), (Unseen("the kernel log", DENIED, True),)),
    "another log": (dc.replace(WHOLE, log=lk.Log(unknown={"dkms": "no"})), (Unseen("log: dkms", "no"),)),
    "a section that is needed": (dc.replace(WHOLE, health=None), (Unseen("the health of the GPUs", NOT_LOOKED_AT, True),)),
    "a section that is not": (dc.replace(WHOLE, rocm=None), (Unseen("section rocm", NOT_LOOKED_AT),)),
    "fields for one reason": (
        dc.replace(WHOLE, host=lk.Host(unknown={"clock": "no", "lockdown": "no", "cpus": DENIED})),
        (Unseen("host: clock, lockdown", "no"), Unseen("host: cpus", DENIED))),
    "many fields": (dc.replace(WHOLE, host=lk.Host(unknown=dict.fromkeys("abcde", "no"))), (Unseen("host: a, b, c, 2 more", "no"),)),
    "a GPU": (dc.replace(WHOLE, gpus=lk.Gpus(unknown={f"{A}.uuid": "no"})), (Unseen("gpus: uuid of 1 GPU", "no"),)),
    "the same of several GPUs": (
        dc.replace(WHOLE, health=lk.Health((lk.GpuHealth(A, unknown={"pages": "no"}), lk.GpuHealth(B, unknown={"pages": "no"})))),
        (Unseen("health: pages of 2 GPUs", "no"),)),
    "GPUs as they are named in a list": (
        dc.replace(WHOLE, health=lk.Health(unknown={f"gpus.{A}.clocks": "no", f"gpus.{B}": "no"})),
        (Unseen("health: clocks of 2 GPUs", "no"),)),
    "GPUs alone": (dc.replace(WHOLE, health=lk.Health(unknown={f"gpus.{B}": "no"})), (Unseen("section health of 1 GPU", "no"),)),
}  # fmt: skip


@pytest.mark.parametrize(("look", "said"), CASES.values(), ids=CASES)
def test_unseen(look: lk.Look, said: tuple[Unseen, ...]) -> None:
    assert unseen(look) == said


def test_an_empty_look_sees_nothing() -> None:
    said = unseen(lk.Look())
    assert [item.what for item in said if item.needed] == list(subject.NEEDED.values())
    assert {item.why for item in said} == {NOT_LOOKED_AT}
    assert len(said) == len(subject.SECTIONS)


def test_sections_are_those_of_a_look() -> None:
    assert set(lk.ALL_SECTIONS) - set(subject.SECTIONS) == {"files"}
