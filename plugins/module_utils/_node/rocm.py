# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""ROCm installations side by side."""

from __future__ import annotations

import re

from .._core.look.shape import Rocm, RocmPrefix
from . import alternatives
from .machine import Machine
from .notes import Notes

_OPT = "/opt"
_ACTIVE = "/opt/rocm"
# /opt/rocm-7.0.2 until 7.2, /opt/rocm/core-7.14 since.
# source: https://rocm.docs.amd.com/en/docs-10.0.0/_sources/about/transition-guide-TheRock.md
_LEGACY = re.compile(r"^rocm-\d")
_CORE = re.compile(r"^core-\d+\.\d+$")
# What update-alternatives links into one of them since 7.13.
# source: ROCm/TheRock:build_tools/packaging/linux/template/scripts/amdrocm-core-postinst.j2 @release/therock-7.14
PARTS = ("amdgcn", "bin", "include", "lib", "libexec", "llvm", "share")


def read(machine: Machine) -> Rocm:
    """Read the ROCm section."""
    notes = Notes()
    legacy, names = (notes.attempt("prefixes", (), machine.names, folder) for folder in (_OPT, _ACTIVE))
    link = notes.attempt("place", None, machine.link, _ACTIVE)
    cores = () if link else tuple(name for name in names if _CORE.match(name))
    paths = [f"{_OPT}/{name}" for name in legacy if _LEGACY.match(name)]
    paths += [f"{_ACTIVE}/{name}" for name in cores]
    whole = notes.attempt("active", None, active, machine)
    if whole and whole not in paths:
        paths.append(whole)
    prefixes = {notes.attempt("prefixes", path, machine.real, path): path for path in paths}  # links to one count once
    inside = () if link else tuple(name for name in names if name not in cores)
    links = {name for name in inside if machine.link(f"{_ACTIVE}/{name}")}
    return Rocm(
        prefixes=tuple(RocmPrefix(path, notes.attempt("prefixes", None, version, machine, path),
                                  notes.attempt("prefixes", {}, _parts, machine, path)) for path in sorted(prefixes)),
        active=whole,
        place="link" if link else "folder" if names else None,
        parts=notes.attempt("parts", {}, _parts, machine, _ACTIVE) if links else {},
        content=tuple(name for name in inside if name not in links),
        alternatives=notes.attempt("alternatives", (), alternatives.groups, machine, paths)
        if paths or link or names else (),
        linker_stale=notes.attempt("linker_stale", None, alternatives.linker_stale, machine, f"{_ACTIVE}/lib")
        if whole else None,
        unknown=notes,
    )


def _parts(machine: Machine, prefix: str) -> dict[str, str]:
    """Return the parts of an installation that it has, and where each is."""
    return {part: machine.real(f"{prefix}/{part}") for part in PARTS if machine.exists(f"{prefix}/{part}")}


def active(machine: Machine) -> str | None:
    """Return the installation that programs find: where /opt/rocm leads, or where its bin directory leads.

    From 7.14 on /opt/rocm is a directory and update-alternatives links its parts into one of its core-* directories.
    """
    if not machine.exists(_ACTIVE):
        return None
    for part in ("lib", "bin"):
        whole = machine.real(f"{_ACTIVE}/{part}")
        if whole.endswith(f"/{part}") and machine.exists(whole) and whole != f"{_ACTIVE}/{part}":
            return whole[:-len(part) - 1]
    real = machine.real(_ACTIVE)
    if machine.exists(f"{real}/.info/version") or machine.exists(f"{real}/lib"):
        return real
    cores = [name for name in machine.names(_ACTIVE) if _CORE.match(name)]
    return machine.real(f"{_ACTIVE}/{cores[0]}") if len(cores) == 1 else None


def version(machine: Machine, prefix: str) -> str | None:
    """Return the version in .info/version without the build number that some releases append: 7.0.2-56."""
    text = machine.word(f"{prefix}/.info/version")
    return text.partition("-")[0] if text else None
