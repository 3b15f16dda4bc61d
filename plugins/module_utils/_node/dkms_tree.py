# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What ``dkms status`` would print, read from its tree: the program takes a tenth of a second to read a few links.

Whatever is not as usual (built modules that are gone, trees elsewhere, a dkms.conf that computes) is left to dkms. Only
of a tree without its source this says more than dkms 3.0, which leaves it out: it is broken, as later versions say.
source: dkms 3.0.10 and 3.2.2, functions module_status, is_module_built and module_status_built_extra
"""

from __future__ import annotations

import re
import typing as t

from .._core.formats.dkms import DIFFERS, ORIGINAL, module_names
from .._core.look.shape import DkmsModule
from .machine import Machine

TREE = "/var/lib/dkms"
_SETTINGS = "/etc/dkms"
# Settings of framework.conf that move what is read here. A module of that name may have its dkms.conf overridden.
_MOVED = re.compile(r"^\s*(?:source_tree|dkms_tree|install_tree|addon_modules_dir)=", re.MULTILINE)
# Where a distribution's DKMS installs to, whatever dkms.conf says.
_PLACES = ("updates/dkms", "extra", "updates")
_SUFFIXES = (".ko", ".ko.xz", ".ko.zst", ".ko.gz")


class OddError(Exception):
    """The tree is not as this reader knows it."""


def read(machine: Machine) -> tuple[DkmsModule, ...]:
    """Return the modules in the order of ``dkms status``.

    Raises:
        OddError: only dkms can tell.
        UnreadableError: a file is there but cannot be read.
    """
    names = _visible(machine, TREE)
    _refuse_settings(machine, names)
    return tuple(found for name in names for version in _visible(machine, f"{TREE}/{name}")
                 if version != "original_module" and not version.startswith("kernel-")
                 for found in _version(machine, name, version))


def _visible(machine: Machine, folder: str) -> list[str]:
    return [name for name in machine.names(folder)
            if not name.startswith(".") and machine.folder(f"{folder}/{name}")]


def _refuse_settings(machine: Machine, names: t.Collection[str]) -> None:
    more = [f"framework.conf.d/{name}" for name in machine.names(f"{_SETTINGS}/framework.conf.d")]
    for file in ["framework.conf", *more]:
        if _MOVED.search(machine.text(f"{_SETTINGS}/{file}") or ""):
            raise OddError(f"{file} moves the trees")
    for file in machine.names(_SETTINGS):
        if file.endswith(".conf") and file.startswith(tuple(names)):
            raise OddError(f"{file} may change a dkms.conf")
    for kernel in machine.names("/lib/modules"):
        if machine.names(f"/lib/modules/{kernel}/weak-updates"):
            raise OddError(f"{kernel} has weak modules")


def _version(machine: Machine, name: str, version: str) -> list[DkmsModule]:
    folder = f"{TREE}/{name}/{version}"
    if machine.link(f"{folder}/source") is None or not machine.folder(f"{folder}/source"):
        left = machine.link(f"{folder}/source") or machine.folder(f"/usr/src/{name}-{version}")
        return [DkmsModule(name, version, None, None, "broken")] if left else []
    builds = [(kernel, architecture) for kernel in _visible(machine, folder) if re.match(r"\d+\.", kernel)
              for architecture in _visible(machine, f"{folder}/{kernel}")
              if machine.folder(f"{folder}/{kernel}/{architecture}/module")]
    if not builds:
        return [DkmsModule(name, version, None, None, "added")]
    modules = module_names(machine.text(f"{folder}/source/dkms.conf") or "")
    if modules is None:
        raise OddError(f"dkms.conf of {folder} names no modules plainly")
    return [_build(machine, folder, kernel, architecture, modules) for kernel, architecture in builds]


def _build(machine: Machine, folder: str, kernel: str, architecture: str, modules: tuple[str, ...]) -> DkmsModule:
    above, _slash, version = folder.rpartition("/")
    link = f"{above}/kernel-{kernel}-{architecture}"
    place = f"{folder}/{kernel}/{architecture}"
    built = [_file(machine, [f"{place}/module"], module) for module in modules]
    installed = machine.link(link) is not None and machine.real(link) == place
    flags = [ORIGINAL] if machine.folder(f"{above}/original_module/{kernel}/{architecture}") else []
    if installed and not all(machine.same(file, _installed(machine, kernel, module))
                             for file, module in zip(built, modules)):
        flags.append(DIFFERS)
    return DkmsModule(above.rpartition("/")[2], version, kernel, architecture, "installed" if installed else "built",
                      tuple(flags))


def _installed(machine: Machine, kernel: str, module: str) -> str:
    return _file(machine, [f"/lib/modules/{kernel}/{place}" for place in _PLACES], module)


def _file(machine: Machine, folders: t.Sequence[str], module: str) -> str:
    for folder in folders:
        for suffix in _SUFFIXES:
            if machine.exists(f"{folder}/{module}{suffix}"):
                return f"{folder}/{module}{suffix}"
    raise OddError(f"{module} is not in {folders[0]}")
