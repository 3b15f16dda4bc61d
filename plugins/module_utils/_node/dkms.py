# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""DKMS and the module builds it knows."""

from __future__ import annotations

from .._core.dkms import Status, parse_status
from .._core.look import Dkms
from .apart import UnreadableError
from .machine import Machine
from .notes import Notes

_TREE = "/var/lib/dkms"
_PROGRAMS = ("/usr/sbin/dkms", "/sbin/dkms", "/usr/bin/dkms")
_NO_MODULE = frozenset({"mok.key", "mok.pub", "dkms_dbversion"})


def links(machine: Machine) -> tuple[str, ...]:
    """Return the links that mark which build of amdgpu is installed for a kernel: kernel-<release>-<architecture>."""
    return tuple(name for name in machine.names(f"{_TREE}/amdgpu") if name.startswith("kernel-"))


def read(machine: Machine) -> Dkms:
    """Read the DKMS section. The program is only asked when its tree holds a module: it is a slow shell script."""
    notes = Notes()
    program = next((path for path in _PROGRAMS if machine.exists(path)), None)
    tree = notes.attempt("modules", (), machine.names, _TREE)
    if not set(tree) - _NO_MODULE:
        return Dkms(present=program is not None, unknown=notes)
    if program is None:
        notes["modules"] = f"{_TREE} holds {', '.join(tree)} but dkms is not installed"
        return Dkms(present=False, unknown=notes)
    status = notes.attempt("modules", Status(), _status, machine, program)
    if status.strange:
        notes["modules"] = f"dkms status printed lines that are not understood: {status.strange[0]!r}"
    return Dkms(present=True, modules=status.modules, errors=status.errors, unknown=notes)


def _status(machine: Machine, program: str) -> Status:
    ran = machine.run(program, "status")
    status = parse_status(ran.stdout, ran.stderr)
    if ran.code and not status.modules and not status.errors:
        raise UnreadableError(f"dkms status ended with {ran.code}: {ran.stderr.strip()[:200]}")
    return status
