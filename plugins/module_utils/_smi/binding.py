# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Where the vendor binding and its library are, and which versions they are."""

from __future__ import annotations

import dataclasses as dc
import re

from .._node import rocm
from .._node.apart import UnreadableError
from .._node.machine import Machine

# The folder that ROCm ships counts first: it belongs to the library beside it. Since 7.14 there is one in the system's
# Python too. source: ROCm/rocm-systems:projects/amdsmi/CHANGELOG.md
_SYSTEM = ("/usr/share/amd_smi", "/usr/lib/python3/dist-packages", "/usr/local/lib/python3/dist-packages")
_SYSTEM_PARENTS = ("/usr/local/lib", "/usr/lib", "/usr/lib64")
_SYSTEM_LIBRARIES = ("/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib")
_LIBRARY = re.compile(r"^libamd_smi\.so(\.\d+)*$")
_VERSION_LINE = re.compile(r"__version__\s*=\s*['\"]([^'\"]+)['\"]")


@dc.dataclass(frozen=True)
class Found:
    """A binding and a library that could be used together."""

    folder: str  # that holds the package amdsmi
    binding_version: str | None
    library: str
    rocm_version: str | None
    same_tree: bool


def find(machine: Machine) -> Found:
    """Return the binding and the library of this machine.

    Raises:
        UnreadableError: one of them is not there.
    """
    prefix = rocm.active(machine)
    folder = next((path for path in _folders(machine, prefix) if machine.exists(f"{path}/amdsmi/__init__.py")), None)
    if folder is None:
        where = f"{prefix}/share/amd_smi" if prefix else "any Python of the system, and there is no ROCm"
        raise UnreadableError(f"no amdsmi binding in {where}")
    library = _library(machine, prefix)
    if library is None:
        raise UnreadableError(f"the amdsmi binding is in {folder}, but there is no libamd_smi.so")
    return Found(
        folder=folder, binding_version=_version(machine, folder), library=library,
        rocm_version=rocm.version(machine, prefix) if prefix else None,
        same_tree=prefix is not None and folder.startswith(f"{prefix}/"),
    )


def _folders(machine: Machine, prefix: str | None) -> list[str]:
    folders = [f"{prefix}/share/amd_smi"] if prefix else []
    folders += _SYSTEM
    for parent in _SYSTEM_PARENTS:
        for name in reversed(machine.names(parent)):
            if re.match(r"^python3\.\d+$", name):
                folders += [f"{parent}/{name}/dist-packages", f"{parent}/{name}/site-packages"]
    return folders


def _library(machine: Machine, prefix: str | None) -> str | None:
    for directory in ([f"{prefix}/lib", f"{prefix}/lib64"] if prefix else []) + list(_SYSTEM_LIBRARIES):
        names = [name for name in machine.names(directory) if _LIBRARY.match(name)]
        if names:
            return machine.real(f"{directory}/{min(names, key=len)}")
    return None


def _version(machine: Machine, folder: str) -> str | None:
    for file in ("_version.py", "__init__.py"):
        match = _VERSION_LINE.search(machine.text(f"{folder}/amdsmi/{file}") or "")
        if match:
            return match[1]
    return next((name.split("-")[1].rpartition(".dist")[0] or None for name in machine.names(folder)
                 if re.match(r"^amdsmi-[^-]+\.dist-info$", name)), None)
