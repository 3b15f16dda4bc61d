# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The one ROCm that programs find: what update-alternatives must do so that /opt/rocm leads to it.

Until 7.2 /opt/rocm is a link to an installation. From 7.13 on it is a folder: installations lie in it, and beside them
links to the parts of one of them. AMD's packages make those links only with all of the GPU libraries, so they are
made here in any case (ROCm/ROCm#6632, ROCm/TheRock:docs/rfcs/RFC0009-OS-Packaging-Requirements.md).
"""

from __future__ import annotations

import typing as t

from ..look.shape import Rocm

PLACE = "/opt/rocm"
TOOL = "update-alternatives"
GROUP = "rocm"  # the group of the link; those of parts are rocm-lib, rocm-bin, ...
PRIORITY = "1"  # the choice is set by hand, as the tool calls it, so that no package moves it
Commands = tuple[tuple[str, ...], ...]


def is_folder(rocm: Rocm, prefixes: t.Iterable[str]) -> bool:
    """True if /opt/rocm must be a folder: an installation lies in it, or something that is nobody's here."""
    inside = f"{PLACE}/"
    return any(path.startswith(inside) for path in (*prefixes, *(p.path for p in rocm.prefixes))) or (
        rocm.place == "folder" and bool(rocm.content))


def clearing(rocm: Rocm) -> Commands:
    """Commands that take the link /opt/rocm away: packages would be unpacked through it, into another release."""
    if rocm.place != "link":
        return ()
    ours = [a.name for a in rocm.alternatives if a.link == PLACE]
    return (*((TOOL, "--remove-all", name) for name in ours), ("rm", "-f", PLACE))


def activation(rocm: Rocm, prefix: str) -> Commands:
    """Commands after which /opt/rocm leads to the installation; none if it does."""
    have = next((p for p in rocm.prefixes if p.path == prefix), None)
    if have is None:
        return ()
    if not is_folder(rocm, (prefix,)):
        return (*_link(rocm, prefix), *_groups(rocm, prefix))
    commands: list[tuple[str, ...]] = []
    for part in sorted({*rocm.parts, *have.parts}):
        name, link = f"{GROUP}-{part}", f"{PLACE}/{part}"
        if part not in have.parts:
            commands += [(TOOL, "--remove-all", name), ("rm", "-f", link)]
        elif rocm.parts.get(part) != have.parts[part]:
            commands += _choose(rocm, link, name, f"{prefix}/{part}")
    return (*commands, *_groups(rocm, prefix))


def _link(rocm: Rocm, prefix: str) -> Commands:
    """Commands that make /opt/rocm the link; a folder that holds nothing but links goes first."""
    if rocm.place == "link" and rocm.active == prefix:
        return ()
    inner = [a.name for a in rocm.alternatives if a.link.startswith(f"{PLACE}/")]
    emptied = (*((TOOL, "--remove-all", name) for name in inner),
               ("find", PLACE, "-mindepth", "1", "-maxdepth", "1", "-type", "l", "-delete"),
               ("rmdir", PLACE)) if rocm.place == "folder" else ()
    return (*emptied, *_choose(rocm, PLACE, GROUP, prefix))


def _choose(rocm: Rocm, link: str, name: str, path: str) -> Commands:
    """Commands that set a group to a path, which is offered first if no package offers it."""
    offered = any(path in group.choices for group in rocm.alternatives if group.name == name)
    offer = () if offered else ((TOOL, "--install", link, name, path, PRIORITY),)
    return (*offer, (TOOL, "--set", name, path))


def _groups(rocm: Rocm, prefix: str) -> Commands:
    """Commands for all other groups, as that of /usr/bin/rocminfo, if the installation has their program.

    Packages of one stream offer programs there that those of the other do not offer, but have.
    """
    found: list[tuple[str, ...]] = []
    for group in rocm.alternatives:
        if f"{group.link}/".startswith(f"{PLACE}/"):
            continue
        program = next((c for c in (*group.choices, *group.others) if c.startswith(f"{prefix}/")), None)
        if program and group.chosen != program:
            found += _choose(rocm, group.link, group.name, program)
    return tuple(found)
