# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Changing modes: asking the library, reloading the driver, looking what came of it. No return code is believed."""

from __future__ import annotations

import time
import typing as t

from .._act.clock import ticks
from .._act.process import uninterrupted
from .._core.errors import FleetError
from .._core.look.shape import Gpu, Gpus
from .._core.partition.shape import COMPUTE, MEMORY_CHANGE, RELOAD, Change
from .._core.partition.wording import counted, grouped
from .._smi import partition
from . import eyes
from .reload import Driver, prove, ready, reload
from .request import Known

TRIES = 5
PAUSE = 3.0  # seconds before a GPU is asked again that was being reset, or whose last process had just ended
SETTLING = 10.0  # seconds for KFD to show all partitions of a mode that is set
_SPARE = 5  # seconds for the child to say what it has before its machine runs out of time
# A reset of a GPU reads as "not supported", since the driver answers EPERM meanwhile (rocm_smi_utils.cc, and amd-gfx on
# requests while in reset).
_PASSING = ("AMDSMI_STATUS_NOT_SUPPORTED", "AMDSMI_STATUS_BUSY", "AMDSMI_STATUS_RETRY")
_NOT_RELOADED = "AMDSMI_STATUS_AMDGPU_RESTART_ERR"
Modes = t.Mapping[str, str]


class Changer:
    """Carries changes out, and knows what the library said and what was done.

    Attributes:
        done: in words, in order.
        said: PCI address -> what went wrong, as the last call for it said.
        now: the GPUs as last seen.
        requested: a memory mode that the driver was asked for and has not taken; empty if there is none.
    """

    def __init__(self, seen: Gpus, driver: Driver | None, known: Known, timeout: float) -> None:
        self.now = seen
        self.done: list[str] = []
        self.said: dict[str, str] = {}
        self.requested = ""
        self._driver = driver
        self._known = known
        self._timeout = timeout

    def look(self) -> Gpus:
        """A fresh look, which counts from now on."""
        seen = eyes.look(eyes.AFTER, self._known.products).gpus
        self.now = seen if seen is not None else Gpus()
        return self.now

    def memory(self, changes: t.Sequence[Change]) -> None:
        """Memory modes, and the reload that brings them: by the library where no change says it, else by us.

        Raises:
            FleetError: the library did not take it, the driver did not go or come, or GPUs did not come back.
        """
        driver = self._driver or ready()
        ours = any(change.action == RELOAD for change in changes)
        with uninterrupted():
            for change in changes:
                if change.action == MEMORY_CHANGE:
                    self._memory(change, ours)
            if ours:
                self._reload(driver)
            else:
                prove(driver, self._timeout)
        self.look()

    def _reload(self, driver: Driver) -> None:
        try:
            reload(driver, self._timeout)
        except FleetError as error:
            if not error.where.startswith("modprobe -r"):  # it was taken out, and so has taken the mode
                self.requested = ""
            raise
        self.requested = ""
        self.done.append("reload amdgpu")

    def _memory(self, change: Change, ours: bool) -> None:
        said = self._ask("memory", change.mode, change.gpus)
        failed = [one for one in said if one.code != 0]
        taken = [one for one in said if one.code == 0]  # a hive may take it that another does not
        if (taken and ours) or any(one.status == _NOT_RELOADED for one in failed):
            self.requested = change.mode
        if failed:
            if taken:
                self.done.append(f"set memory partition {change.mode} on {counted(len(taken))}")
            what = f"does not take {change.mode}: {words(failed[0])}"
            raise FleetError(f"gpu {failed[0].bdf}", what, _hint(failed[0]))
        self.done.append(change.words)

    def compute(self, target: Modes, planned: t.Sequence[Change]) -> None:
        """Compute modes of the GPUs that are not so by now. What a GPU does not take is in ``said``."""
        todo = [(gpu.bdf, target[gpu.bdf]) for gpu in self.now.gpus
                if gpu.bdf in target and gpu.compute_partition != target[gpu.bdf]]
        groups = grouped(todo)
        for mode in sorted(groups, key=COMPUTE.index):
            with uninterrupted():
                said = self._ask("compute", mode, groups[mode])
            if any(one.code == 0 for one in said):
                self.done.append(_planned(mode, groups[mode], planned))
        if todo:
            self.look()
        self._settle(target)

    def _settle(self, bdfs: t.Collection[str]) -> None:
        """Look until KFD shows all partitions: it makes them one after the other."""
        for number, _gone in enumerate(ticks(SETTLING, 1.0)):
            if number:
                self.look()
            if not any(self.short(gpu) for gpu in self.now.gpus if gpu.bdf in bdfs):
                return

    def short(self, gpu: Gpu) -> str:
        """How many devices a GPU shows, if it shows fewer than its mode makes; empty if all, or nobody knows."""
        product = self._known.capabilities.products.get(gpu.product or "")
        wanted = product.devices(gpu.compute_partition or "") if product else None
        if wanted is None or "partitions" in self.now.unknown or len(gpu.partitions) >= wanted:
            return ""
        return f"KFD shows {len(gpu.partitions)} of its {wanted} devices"

    def _ask(self, kind: str, mode: str, bdfs: t.Sequence[str]) -> tuple[partition.Said, ...]:
        """Ask, and ask those again whose refusal passes by itself."""
        able = {gpu.bdf for gpu in self.now.gpus if mode in _offered(gpu, kind)}
        answers: dict[str, partition.Said] = {}
        left = list(bdfs)
        for number in range(TRIES):
            if number:
                time.sleep(PAUSE)
            said = partition.change(eyes.machine(self._timeout + _SPARE), kind, mode, left, self._timeout)
            answers.update({one.bdf: one for one in said})
            left = [one.bdf for one in said if one.status in _PASSING and one.bdf in able]
            if not left:
                break
        for bdf, one in answers.items():
            self.said.pop(bdf, None)
            if one.code != 0 or one.words:
                self.said[bdf] = words(one)
        return tuple(answers.values())


def words(said: partition.Said) -> str:
    """What the library said, as it would be searched for."""
    code = said.status or ("" if said.code is None else f"status {said.code}")
    return ": ".join(filter(None, (code, said.words))) or "the library gave no answer"


def _hint(said: partition.Said) -> str:
    if said.status == "AMDSMI_STATUS_NO_PERM":
        return "run as root (become: true)"
    return "read the kernel log (journalctl -k -g amdgpu)"


def _offered(gpu: Gpu, kind: str) -> tuple[str, ...]:
    return gpu.available_compute if kind == "compute" else gpu.available_memory


def _planned(mode: str, bdfs: t.Sequence[str], planned: t.Sequence[Change]) -> str:
    """The words of the plan where it is what was planned."""
    same = (change.words for change in planned if (change.mode, set(change.gpus)) == (mode, set(bdfs)))
    return next(same, f"set compute partition {mode} on {counted(len(bdfs))}")
