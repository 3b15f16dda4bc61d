# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""DKMS and the module builds it knows."""

from __future__ import annotations

from .._core.formats.dkms import Status, parse_status
from .._core.look.shape import Dkms, DkmsModule
from . import dkms_tree
from .apart import UnreadableError
from .command import Running
from .dkms_tree import TREE
from .machine import Machine
from .notes import Notes

_PROGRAMS = ("/usr/sbin/dkms", "/sbin/dkms", "/usr/bin/dkms")
_MOST = 20.0  # seconds
_NO_MODULE = frozenset({"mok.key", "mok.pub", "dkms_dbversion"})


def links(machine: Machine) -> tuple[str, ...]:
    """Return the links that mark which build of amdgpu is installed for a kernel: kernel-<release>-<architecture>."""
    return tuple(name for name in machine.names(f"{TREE}/amdgpu") if name.startswith("kernel-"))


def _sources(machine: Machine) -> tuple[str, ...]:
    """Versions of amdgpu that could be built: their source is there, whether DKMS knows of it or not."""
    return tuple(sorted(name[len("amdgpu-"):] for name in machine.names("/usr/src")
                        if name.startswith("amdgpu-") and machine.exists(f"/usr/src/{name}/dkms.conf")))


class Question:
    """What DKMS knows. Where its tree is not as usual the program is asked: a slow shell script, which starts at once
    and is waited for later.
    """

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._notes = Notes()
        self._program = next((path for path in _PROGRAMS if machine.exists(path)), None)
        self._command: Running | None = None
        self._modules: tuple[DkmsModule, ...] = ()
        self._sources = self._notes.attempt("sources", None, _sources, machine)
        if not set(self._notes.attempt("modules", (), machine.names, TREE)) - _NO_MODULE:
            return
        try:
            self._modules = dkms_tree.read(machine)
        except (dkms_tree.OddError, UnreadableError) as odd:
            if self._program is None:
                self._notes["modules"] = f"{TREE} is odd and dkms is not installed: {odd}"
            else:
                self._command = self._notes.attempt("modules", None, machine.start, self._program, "status")

    def answer(self) -> Dkms:
        """Return the DKMS section."""
        notes = self._notes
        if self._command is None:
            return Dkms(self._program is not None, self._modules, (), self._sources, notes)
        status = notes.attempt("modules", Status(), self._status, self._command)
        if status.strange:
            notes["modules"] = f"dkms status printed lines that are not understood: {status.strange[0]!r}"
        return Dkms(True, status.modules, status.errors, self._sources, notes)

    def _status(self, command: Running) -> Status:
        ran = command.wait(min(_MOST, self._machine.left()))
        status = parse_status(ran.stdout, ran.stderr)
        if ran.code and not status.modules and not status.errors:
            raise UnreadableError(f"dkms status ended with {ran.code}: {ran.stderr.strip()[:200]}")
        return status
