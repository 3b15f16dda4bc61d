# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""A program that calls the vendor's library, in a child process: it may hang or crash, and never takes us with it."""

from __future__ import annotations

import dataclasses as dc
import json
import os
import signal
import sys
import typing as t

from .._core.look import smi
from .._core.look.shape import Smi
from .._node import driver, pci
from .._node.apart import UnreadableError
from .._node.command import Running, SlowError
from .._node.machine import Machine
from .._node.pci import Function
from . import amdsmi, binding

if t.TYPE_CHECKING:
    import types

# Where another Python may be, if ours cannot import the binding.
_PYTHONS = ("/usr/bin/python3", "/usr/libexec/platform-python", "/usr/local/bin/python3")
# Held by one program that sets something at a time; a request names it. Not in /run/lock: everybody may write there,
# and a tenant who holds the lock would stop every change.
LOCK = "/run/instinct-smi.lock"
# How the simulated library of the test nodes marks its version.
_SIMULATED = "simulated"
# Makes modules of the sources that are its first argument, and lets the last of them work. They find each other by the
# relative imports that they have here.
_START = """
import json, sys, types
sources, request = map(json.loads, sys.argv[1:])
package = sys.modules["programs"] = types.ModuleType("programs")
package.__path__ = []
for name, source in sources.items():
    module = sys.modules["programs." + name] = types.ModuleType("programs." + name)
    module.__package__ = "programs"
    setattr(package, name, module)
    exec(compile(source, name + ".py", "exec"), module.__dict__)
package.amdsmi.serve(request, module.work)
"""


class Heard(t.NamedTuple):
    """What a program said. ``problem``: why it said nothing, or not all."""

    smi: Smi
    said: dict[str, t.Any]
    problem: str | None


class Child:
    """A program with the binding and the library of this machine. It starts at once and is waited for later."""

    def __init__(self, machine: Machine, functions: t.Iterable[Function],
                 programs: t.Sequence[types.ModuleType], **request: t.Any) -> None:
        self._machine = machine
        self._problem: str | None = None
        self._known = Smi()
        try:
            found = binding.find(machine)
            self._found = found
            self._known = Smi(binding_path=f"{found.folder}/amdsmi", binding_version=found.binding_version,
                              library_path=found.library)
            self._refusal = _why_not(machine, functions)
            outside = machine.outside
            self._arguments = arguments(programs, {
                "binding": outside(found.folder), "library": outside(found.library), "accept": self._accept(),
                "call": self._refusal is None, **request})
            self._running = machine.start(sys.executable, *self._arguments)
        except UnreadableError as error:
            self._problem = str(error)

    def answer(self, seconds: float) -> Heard:
        """Return what it says, and what is known of binding and library."""
        if self._problem:
            return Heard(self._known, {}, self._problem)
        said = self._listen(seconds)
        library, known = said.get("library"), self._known
        if library is not None:
            fits = any(tuple(library[:len(line)]) == line for line in self._accept())
            known = dc.replace(known, library_version=".".join(map(str, library)), mismatch=not fits,
                               simulated=_SIMULATED in said.get("build", ""))
            if not fits:
                words = smi.mismatch_words(self._found.binding_version, library, self._found.rocm_version)
                return Heard(known, {}, words)
        if said.get("mismatch"):
            known = dc.replace(known, mismatch=True)
        problem = said.get("error") or self._refusal
        return Heard(known, {} if self._refusal else said, problem)

    def _accept(self) -> tuple[tuple[int, ...], ...]:
        return smi.acceptable(self._found.binding_version, self._found.rocm_version, self._found.same_tree)

    def _listen(self, seconds: float) -> dict[str, t.Any]:
        """Return all that the child said; another Python is tried if ours cannot import the binding."""
        said = _hear(self._running, seconds)
        for python in _PYTHONS:
            if said.get("other_python") and self._machine.exists(python) and not _same(python, sys.executable):
                try:
                    again = self._machine.start(self._machine.outside(python), *self._arguments)
                    said = _hear(again, min(seconds, self._machine.left()))
                except UnreadableError as error:
                    said["error"] = f"{said['error']}; {error}"
        return said


def heard(machine: Machine, seconds: float, programs: t.Sequence[types.ModuleType], **request: t.Any) -> Heard:
    """Return what programs say of the GPUs that are on the bus within so many seconds."""
    try:
        functions = pci.read(machine)
    except UnreadableError as error:
        return Heard(Smi(), {}, str(error))
    if not functions:  # some versions of the library loop then (seen with 24.7)
        return Heard(Smi(), {}, "no AMD accelerator on the PCI bus")
    return Child(machine, functions, programs, **request).answer(seconds)


def arguments(programs: t.Sequence[types.ModuleType], request: dict[str, t.Any]) -> tuple[str, ...]:
    """Return the arguments with which a Python runs the last of some programs; each may import those before it."""
    sources = {module.__name__.rpartition(".")[2]: _source(module) for module in (amdsmi, *programs)}
    return "-I", "-S", "-c", _START, json.dumps(sources), json.dumps(request)


def _source(module: types.ModuleType) -> str:
    """Return the source of a module, which may lie in an archive. Ansible's own loader returns bytes."""
    loader: t.Any = module.__loader__
    source: str | bytes = loader.get_source(module.__name__)
    return source.decode() if isinstance(source, bytes) else source


def _why_not(machine: Machine, functions: t.Iterable[Function]) -> str | None:
    """Return why the library must not be called now; None if it may.

    Without a live driver some versions loop or crash in amdsmi_init (seen with 24.7).
    """
    state = driver.initstate(machine)
    if state != "live":
        return f"amdgpu is not loaded (initstate {state or 'absent'}), the library is not called"
    asleep = [function.bdf for function in functions if function.asleep]
    if asleep:
        return f"{', '.join(asleep)} suspended: the library would wake it, so it is not called"
    return None


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
    """Add one line; what is told of GPUs comes in parts."""
    for bdf, part in line.pop("told", {}).items():
        item = said.setdefault("told", {}).setdefault(bdf, {"unknown": {}})
        item["unknown"].update(part.pop("unknown", {}))
        item.update(part)
    said.update(line)


def _same(one: str, other: str) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)
