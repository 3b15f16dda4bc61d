# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The vendor's library as a source of readings, called in a child process that may hang or crash."""

from __future__ import annotations

import dataclasses as dc
import inspect
import json
import os
import signal
import sys
import typing as t

from .._core.look import smi, smi_health
from .._core.look.shape import Health, Smi
from .._node import driver
from .._node.apart import UnreadableError
from .._node.command import Running, SlowError
from .._node.machine import Machine
from .._node.pci import Function
from . import amdsmi, binding, health_calls
from .port import Answer

# Where another Python may be, if ours cannot import the binding.
_PYTHONS = ("/usr/bin/python3", "/usr/libexec/platform-python", "/usr/local/bin/python3")
# How the simulated library of the test nodes marks its version.
_SIMULATED = "simulated"


class Library:
    """Readings from libamd_smi through the vendor's binding. The child starts at once and is waited for later."""

    def __init__(self, machine: Machine, functions: t.Sequence[Function], health: bool = False) -> None:
        self._machine = machine
        self._functions = functions
        self._health = health_calls.CALLS if health else {}
        self._problem: str | None = None
        self._known = Smi()
        try:
            self._found = binding.find(machine)
            self._known = Smi(binding_path=f"{self._found.folder}/amdsmi", binding_version=self._found.binding_version,
                              library_path=self._found.library)
            self._refusal = self._why_not()
            self._child = self._start(sys.executable)
        except UnreadableError as error:
            self._problem = str(error)

    def answer(self, seconds: float) -> Answer:
        """Return what the library says, or in ``smi.error`` why it was not or could not be asked."""
        if self._problem:
            return _silent(dc.replace(self._known, error=self._problem))
        return self._judge(self._listen(seconds))

    def _accept(self) -> tuple[tuple[int, ...], ...]:
        return smi.acceptable(self._found.binding_version, self._found.rocm_version, self._found.same_tree)

    def _start(self, python: str) -> Running:
        outside = self._machine.outside
        request = {"binding": outside(self._found.folder), "library": outside(self._found.library),
                   "accept": self._accept(), "call": self._refusal is None, "health": self._health}
        return self._machine.start(python, "-I", "-c", inspect.getsource(amdsmi), json.dumps(request))

    def _judge(self, said: dict[str, t.Any]) -> Answer:
        library, known = said.get("library"), self._known
        if library is not None:
            fits = any(tuple(library[:len(line)]) == line for line in self._accept())
            known = dc.replace(known, library_version=".".join(map(str, library)), mismatch=not fits,
                               simulated=_SIMULATED in said.get("build", ""))
            if not fits:
                words = smi.mismatch_words(self._found.binding_version, library, self._found.rocm_version)
                return _silent(dc.replace(known, error=words))
        if said.get("mismatch"):
            known = dc.replace(known, mismatch=True)
        problem = said.get("error") or self._refusal
        if "gpus" not in said or self._refusal:
            return _silent(dc.replace(known, error=problem or "the library gave no answer"))
        bdfs = [function.bdf for function in self._functions]
        readings = smi.by_gpu(said["gpus"], bdfs)
        return Answer(dc.replace(known, source="amdsmi"), readings, self._judge_health(said, bdfs))

    def _judge_health(self, said: dict[str, t.Any], bdfs: t.Sequence[str]) -> Health:
        """Return the health as far as the child came; what it did not come to is unknown with the reason."""
        error = said.get("error")
        items = said.get("health", {})
        for item in items.values() if error else ():
            for part in ("throttling", "cper"):  # said after the rest
                if part not in item:
                    item["unknown"].setdefault(part, error)
        found = smi_health.health(items, bdfs, self._machine.root_user)
        return dc.replace(found, unknown={**found.unknown, "gpus": error}) if error else found

    def _why_not(self) -> str | None:
        """Return why the library must not be called now; None if it may.

        Without a live driver some versions loop or crash in amdsmi_init (seen with 24.7).
        """
        state = driver.initstate(self._machine)
        if state != "live":
            return f"amdgpu is not loaded (initstate {state or 'absent'}), the library is not called"
        asleep = [function.bdf for function in self._functions if function.asleep]
        if asleep:
            return f"{', '.join(asleep)} suspended: the library would wake it, so it is not called"
        return None

    def _listen(self, seconds: float) -> dict[str, t.Any]:
        """Return all that the child said; another Python is tried if ours cannot import the binding."""
        said = _hear(self._child, seconds)
        for python in _PYTHONS:
            if said.get("other_python") and self._machine.exists(python) and not _same(python, sys.executable):
                try:
                    said = _hear(self._start(self._machine.outside(python)), min(seconds, self._machine.left()))
                except UnreadableError as error:
                    said["error"] = f"{said['error']}; {error}"
        return said


def _silent(known: Smi) -> Answer:
    """Return the answer of a library that said nothing of any GPU."""
    return Answer(known, health=Health(unknown={"gpus": known.error or ""}))


def _hear(child: Running, seconds: float) -> dict[str, t.Any]:
    """Return all that a child said; ``error`` names the step at which it hung or crashed."""
    try:
        ran = child.wait(seconds)
    except SlowError as error:
        return _failed(error.stdout, f"the library did not answer in {seconds:.0f} s")
    if ran.code < 0:
        return _failed(ran.stdout, f"the library crashed with {signal.Signals(-ran.code).name}")
    if ran.code:
        return _failed(ran.stdout, (ran.stderr.strip().splitlines() or [f"exit code {ran.code}"])[-1])
    return _said(ran.stdout)


def _failed(stdout: str, reason: str) -> dict[str, t.Any]:
    said = _said(stdout)
    return {**said, "error": f"{reason} (at: {said.get('step', 'start')})"}


def _said(text: str) -> dict[str, t.Any]:
    said: dict[str, t.Any] = {}
    for line in text.splitlines():
        if line.endswith("}"):  # the last line of a child that was killed may be cut off
            _add(said, json.loads(line))
    return said


def _add(said: dict[str, t.Any], line: dict[str, t.Any]) -> None:
    """Add one line; health comes in parts."""
    for bdf, part in line.pop("health", {}).items():
        item = said.setdefault("health", {}).setdefault(bdf, {"unknown": {}})
        item["unknown"].update(part.pop("unknown"))
        item.update(part)
    said.update(line)


def _same(one: str, other: str) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)
