# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who holds GPUs that are to change."""

from __future__ import annotations

import dataclasses as dc
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.gpus import Process
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.busy import holders, refuse_busy
from ansible_collections.instinct.fleet.tests.unit.support.partitions import BDFS

A, B, C = BDFS[:3]
TRAINING = Process(4177, "python3", unit="container:0123456789ab", gpus=(A, B))
EXPORTER = Process(911, "gpuagent", unit="amd-metrics-exporter.service", gpus=(A, B, C))
SHELL = Process(5000, "rocminfo", unit="session-3.scope", gpus=(C,))
ANYWHERE = Process(6000, "hipcc")
GONE = Process(7000, gpus=(B,))


def sentence(touched: t.Collection[str], *processes: Process, **other: t.Any) -> str:
    """The refusal; empty if there is none."""
    try:
        refuse_busy(touched, processes, **other)
    except FleetError as error:
        return error.sentence
    return ""


@pytest.mark.parametrize(("touched", "processes", "said"), [
    ((A,), (), ""), ((A,), (SHELL,), ""), ((), (TRAINING, ANYWHERE), ""),
    ((A, B, C), (TRAINING,),
     f"gpus {A}, {B}: are held by pid 4177 (python3, container 0123456789ab); drain the node first"),
    ((C,), (SHELL,), f"gpu {C}: is held by pid 5000 (rocminfo, session-3.scope); drain the node first"),
    ((B, C), (TRAINING, EXPORTER),
     f"gpus {B}, {C}: are held by pid 911 (gpuagent, amd-metrics-exporter.service), pid 4177 (python3, container 0123456789ab); "
     "drain the node first, or list what may be stopped meanwhile in gpu_partition_stop_units: amd-metrics-exporter.service"),
    # Of which no GPU is known, it may hold any.
    ((A, C), (ANYWHERE,), f"gpus {A}, {C}: are held by pid 6000 (hipcc); drain the node first"),
    ((A, B), (GONE,), f"gpu {B}: is held by pid 7000 (gone, and KFD still has it); drain the node first"),
    ((A, B), (dc.replace(GONE, state="S"),), f"gpu {B}: is held by pid 7000 (without a name); drain the node first"),
    ((C,), (dc.replace(SHELL, command="x\n\x1b[31m"),), f"gpu {C}: is held by pid 5000 (x??[31m, session-3.scope); drain the node first"),
    # The same process as two lists have it.
    ((A,), (TRAINING, TRAINING), f"gpu {A}: is held by pid 4177 (python3, container 0123456789ab); drain the node first"),
])
def test_processes_hold_gpus(touched: tuple[str, ...], processes: tuple[Process, ...], said: str) -> None:
    assert sentence(touched, *processes) == said


def test_units_that_will_be_stopped_hold_nothing() -> None:
    units = ("amd-metrics-exporter.service",)
    assert sentence((A,), EXPORTER, stop_units=units) == ""
    assert "pid 4177" in sentence((A,), EXPORTER, TRAINING, stop_units=units)
    assert holders((A, B), (TRAINING, EXPORTER, SHELL), units) == (TRAINING,)


def test_what_is_not_known_is_not_free() -> None:
    assert sentence((A, B), unknown="no permission") == (
        f"gpus {A}, {B}: whether processes hold them is unknown: no permission; mend that on the node")
    assert sentence((), unknown="no permission") == ""
