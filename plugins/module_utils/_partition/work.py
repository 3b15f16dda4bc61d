# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""One change of a node under its lock: make room, change, verify, roll back, put back what was stopped."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from .._act import journal
from .._act.process import uninterrupted
from .._core.errors import FleetError
from .._core.look.shape import Gpu, Gpus, Look
from .._core.partition import verify
from .._core.partition.shape import COMPUTE_CHANGE, MEMORY_CHANGE, RELOAD, Change, GpuWanted, Transition
from .._core.partition.unit_names import unit_names
from .._core.partition.wording import counted, grouped
from . import holders, reload, units
from .changer import Changer
from .request import Request


@dc.dataclass
class Ended:
    """What became of a change.

    Attributes:
        actions: what was done, in words.
        results: of each GPU.
        gpus: as seen last.
        stopped, started: units.
        failed: units that did not come back, with the reason.
        notes: what a person should know.
        error: why it did not succeed; None if it did.
    """

    actions: list[str] = dc.field(default_factory=list)
    results: tuple[verify.GpuResult, ...] = ()
    gpus: Gpus | None = None
    stopped: tuple[str, ...] = ()
    started: list[str] = dc.field(default_factory=list)
    failed: dict[str, str] = dc.field(default_factory=dict)
    notes: list[str] = dc.field(default_factory=list)
    error: FleetError | None = None


class Work:
    """Brings a node from what is seen to what is planned. Call ``run`` once, with the node's lock held."""

    def __init__(self, request: Request, seen: Look, plan: Transition) -> None:
        self._request, self._plan = request, plan
        self._before = seen.gpus or Gpus()
        self._boot = (seen.kernel.boot_id if seen.kernel else None) or ""
        self._driver = reload.ready() if plan.reload else None
        self._changer = Changer(self._before, self._driver, request.known, request.timeout)
        self._targets = targets(self._before, plan)
        self._judged = False  # it failed because GPUs were looked at

    def run(self) -> Ended:
        """Carry it out.

        Raises:
            FleetError: it is refused, and nothing was touched.
        """
        request, ended = self._request, Ended()
        known = units.ask(unit_names(request.stop_units))
        units.refuse_losing(known)
        ended.notes += [f"there is no unit {unit.name} to stop" for unit in known if not unit.there]
        running = tuple(unit.name for unit in known if unit.runs)
        holders.refuse(self._plan.touched, running)
        owed = units.Note(self._boot, running, self._driver.owed if self._driver else None)
        if running or self._driver:
            units.write(owed)
        try:
            self._free(running, ended)
            self._change(ended)
        except FleetError as error:
            ended.error = error
            self._take_back(ended)
        except BaseException:
            ended.error = FleetError("gpu_partition", "was ended before it was done", "run it again")
            raise
        finally:
            with uninterrupted():
                self._put_back(owed, ended)
        return ended

    def _free(self, running: tuple[str, ...], ended: Ended) -> None:
        """Stop what may be stopped, and look again who holds GPUs."""
        if running:
            ended.stopped = running
            ended.actions += [f"stop {name}" for name in running]
            units.stop(running, self._request.timeout)
            holders.refuse(self._plan.touched, (), holders.PATIENCE)

    def _change(self, ended: Ended) -> None:
        """Memory, reload, compute, and a look at every GPU.

        Raises:
            FleetError: some GPU is not as wanted.
        """
        self._record("started")
        changes, changer = self._plan.changes, self._changer
        memory = [change for change in changes if change.action in (MEMORY_CHANGE, RELOAD)]
        if memory:
            changer.memory(memory)
            self._refuse_failed(self._results(memory=True), memory=True)
        compute = {one.bdf: one.compute for one in self._targets}
        changer.compute(compute, [change for change in changes if change.action == COMPUTE_CHANGE])
        ended.results = self._results()
        self._refuse_failed(ended.results)

    def _results(self, memory: bool = False) -> tuple[verify.GpuResult, ...]:
        """What became of each GPU. ``memory``: only of its memory mode, since the compute mode is still to come."""
        now = self._changer.now
        aim = self._targets
        if memory:
            compute = {gpu.bdf: gpu.compute_partition or one.compute for gpu in now.gpus
                       for one in self._targets if one.bdf == gpu.bdf}
            aim = tuple(dc.replace(one, compute=compute.get(one.bdf, one.compute)) for one in aim)
        found = verify.verify(aim, self._before, now, self._changer.said)
        seen = {gpu.bdf: gpu for gpu in now.gpus}
        return tuple(one if memory else self._complete(one, seen.get(one.bdf)) for one in found)

    def _complete(self, result: verify.GpuResult, gpu: Gpu | None) -> verify.GpuResult:
        """A GPU that has its modes and not all of its devices did not become what was wanted."""
        short = self._changer.short(gpu) if gpu and result.result == verify.APPLIED else ""
        return dc.replace(result, result=verify.FAILED, reason=short) if short else result

    def _refuse_failed(self, results: t.Sequence[verify.GpuResult], memory: bool = False) -> None:
        failed = [one for one in results if one.result == verify.FAILED]
        if failed:
            self._judged = True
            first = failed[0]
            more = f" (and {counted(len(failed) - 1)} more)" if len(failed) > 1 else ""
            wanted = first.wanted.partition("/")[2] if memory else first.wanted
            raise FleetError(f"gpu {first.bdf}{more}", f"is not {wanted}: {first.reason}",
                             "read the kernel log (journalctl -k -g amdgpu)")

    def _take_back(self, ended: Ended) -> None:
        """After a failure: the modes seen before, as far as it goes. Says of each GPU what became of it."""
        changer = self._changer
        self._judge(ended)
        if changer.done:
            try:
                self._set_back(ended)
            except FleetError as trouble:
                ended.notes.append(f"rolling back: {trouble.sentence}")
            ended.results = verify.rolled_back(ended.results, changer.look())
        ended.notes += self._came()
        if changer.requested:
            ended.notes.append(f"memory partition {changer.requested} stays requested: the driver takes it when it is "
                               "next taken out, and forgets it at a reboot")

    def _came(self) -> tuple[str, ...]:
        """Who holds GPUs now, where a call said that they are busy: somebody came after the look."""
        if not any("AMDSMI_STATUS_BUSY" in said for said in self._changer.said.values()):
            return ()
        try:
            holders.refuse(self._plan.touched)
        except FleetError as held:
            return (held.sentence,)
        return ()

    def _judge(self, ended: Ended) -> None:
        """What became of each GPU after something went wrong, by a fresh look."""
        ended.gpus = self._changer.look()
        ended.results = tuple(self._blamed(one, ended.error) for one in self._results())

    def _blamed(self, result: verify.GpuResult, error: FleetError | None) -> verify.GpuResult:
        """A GPU failed for what went wrong with the whole, where it is not for what it showed or what a call said."""
        if self._judged or error is None or result.result != verify.FAILED or result.bdf in self._changer.said:
            return result
        return dc.replace(result, reason=error.sentence)

    def _set_back(self, ended: Ended) -> None:
        before = {gpu.bdf: gpu for gpu in self._before.gpus}
        there = verify.told(self._changer.now)
        now = {gpu.bdf: gpu for gpu in self._changer.now.gpus if there[gpu.bdf]}
        memory = [(bdf, before[bdf].memory_partition or "") for bdf, gpu in now.items()
                  if gpu.memory_partition != before[bdf].memory_partition]
        if memory and len(now) < len([gpu for gpu in self._before.gpus if verify.modes(gpu)]):
            ended.notes.append("memory partitions are not rolled back: not all GPUs are there")
            return
        if memory:
            changes = [_again(mode, tuple(bdfs)) for mode, bdfs in grouped(memory).items()]
            reloads = [change for change in self._plan.changes if change.action == RELOAD]
            self._changer.memory([*changes, *reloads])
        touched = {one.bdf for one in self._targets}
        self._changer.compute({bdf: gpu.compute_partition for bdf, gpu in before.items()
                               if gpu.compute_partition and bdf in touched and bdf in now}, ())

    def _put_back(self, owed: units.Note, ended: Ended) -> None:
        """The driver and the units, whatever happened."""
        ended.gpus = self._changer.now
        ended.actions += self._changer.done
        if put_back(owed, self._request, ended):
            self._judge(ended)
        try:
            self._record("failed" if ended.error else "done")
        except FleetError as error:
            ended.error = ended.error or error

    def _record(self, result: str) -> None:
        journal.append({"who": self._request.actor, "what": "partition", "from": summary(self._before),
                        "to": summary_wanted(self._plan.wanted), "result": result})


def _again(mode: str, bdfs: tuple[str, ...]) -> Change:
    return Change(MEMORY_CHANGE, bdfs, mode, "", f"set memory partition {mode} on {counted(len(bdfs))} again")


def put_back(owed: units.Note, request: Request, ended: Ended) -> bool:
    """What a run took: the driver, then the units, one failing or not. What does not come back stays noted.

    Returns whether the driver was loaded.
    """
    driver, loaded = owed.driver, False
    try:
        loaded = driver is not None and reload.bring_back(driver, request.timeout)
        if loaded:
            ended.actions.append("load amdgpu")
        driver = None
    except FleetError as error:
        ended.error = ended.error or error
        ended.notes.append(error.sentence)
    try:
        known = units.ask(owed.units)
        there = tuple(unit.name for unit in known if unit.there)
        gone = {unit.name: "is not there any more" for unit in known if not unit.there}
        ended.notes += [f"{name} was stopped for a change and {why}" for name, why in gone.items()]
        ended.failed = {**{name: why for name, why in gone.items() if name in ended.stopped},
                        **units.start(there, request.timeout, request.wait_for_units)}
        ended.started = [name for name in there if name not in ended.failed]
        ended.actions += [f"start {name}" for name in ended.started]
        units.settle(dc.replace(owed, units=tuple(ended.failed), driver=driver))
    except FleetError as error:
        ended.error = ended.error or error
    if ended.failed:
        name, why = next(iter(ended.failed.items()))
        ended.error = ended.error or FleetError(name, f"was stopped for the change and does not come back: {why}",
                                                "start it by hand")
    return loaded


def targets(seen: Gpus, plan: Transition) -> tuple[GpuWanted, ...]:
    """What every GPU should be in the end: the wanted ones, and those that a reload changes and nobody chose."""
    chosen = {one.bdf for one in plan.wanted}
    kept = (GpuWanted(gpu.bdf, gpu.compute_partition or "", gpu.memory_partition or "") for gpu in seen.gpus
            if plan.reload and gpu.bdf in plan.touched and gpu.bdf not in chosen and verify.modes(gpu))
    return (*plan.wanted, *kept)


def summary(gpus: Gpus) -> str:
    """8 x SPX/NPS1."""
    return _counted(verify.modes(gpu) or "unknown" for gpu in gpus.gpus)


def summary_wanted(wanted: t.Sequence[GpuWanted]) -> str:
    """8 x CPX/NPS4."""
    return _counted(one.text for one in wanted)


def _counted(modes: t.Iterable[str]) -> str:
    groups = grouped((number, mode) for number, mode in enumerate(modes))
    return ", ".join(f"{len(members)} x {mode}" for mode, members in groups.items())
