# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What update-alternatives, or another hand, makes of ROCm: which links lead where, and whether the linker knows."""

from __future__ import annotations

import typing as t

from .._core.formats.alternatives import parse_group
from .._core.look.shape import Alternative
from .._core.plan.managed import LD_SO_CONF
from .machine import Machine

# dpkg's own folder; that of chkconfig and of SUSE's packages.
_FOLDERS = ("/var/lib/dpkg/alternatives", "/var/lib/alternatives")
_ROCM = ("/opt/rocm/", "/opt/rocm-")
_CHOSEN = "/etc/alternatives"
_CACHE = "/etc/ld.so.cache"


def groups(machine: Machine, prefixes: t.Sequence[str]) -> tuple[Alternative, ...]:
    """Return the groups that offer something of ROCm, also of one that is gone, or whose link is /opt/rocm or in it."""
    found = []
    for folder in _FOLDERS:
        for name in machine.names(folder):
            group = parse_group(machine.text(f"{folder}/{name}") or "")
            if group and any(f"{path}/".startswith(_ROCM) for path in (group.link, *group.choices)):
                ours = machine.link(group.link) == f"{_CHOSEN}/{name}"
                chosen = machine.link(f"{_CHOSEN}/{name}") if ours else None
                programs = (f"{prefix}/bin/{group.link.rpartition('/')[2]}" for prefix in sorted(prefixes))
                others = tuple(p for p in programs if p not in group.choices and machine.exists(p))
                found.append(Alternative(name, group.link, group.choices, chosen, others))
    return tuple(found)


def linker_stale(machine: Machine, libraries: str) -> bool | None:
    """Return whether something that the linker's cache is made from has changed since; None if ROCm is not part of it.

    The folder's own times are set by package managers, but not the time of its last change; a new link has one too.
    """
    configured = machine.changed(LD_SO_CONF)
    if configured is None:
        return None
    # /opt/rocm/lib, and every link on the way from it to the libraries
    places = ("/opt/rocm", libraries, f"{_CHOSEN}/rocm", f"{_CHOSEN}/rocm-lib", machine.real(libraries))
    changes = [configured, *(machine.changed(place) or 0.0 for place in places)]
    cache = machine.stat(_CACHE)
    return cache is None or cache.st_mtime < max(changes)
