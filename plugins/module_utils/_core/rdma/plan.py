# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What is to be done so that a node has its RDMA: packages, files, modules; and what keeps it from that."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from ..act.fileset import Change, Wanted, changes
from ..errors import FleetError
from ..plan.aptfiles import HEADER
from ..plan.steps import spec
from . import fabric
from .catalogue import Catalogue
from .environment import environment
from .seen import Seen
from .wish import RULES, Wish

ENVIRON = "/etc/instinct/rdma.env"
MODULES = "/etc/modules-load.d/90-instinct-rdma.conf"
# It replaces the file of that name in /usr/lib. source: udev(7)
NAMES = "/etc/udev/rules.d/60-rdma-persistent-naming.rules"
PATHS = (ENVIRON, MODULES, NAMES)
_RULE = 'ACTION=="add", SUBSYSTEM=="infiniband", PROGRAM="rdma_rename %k {}"\n'


@dc.dataclass(frozen=True)
class Plan:
    """What is to be done.

    Attributes:
        install: packages with their versions, as the package manager is asked for them.
        hold: names of packages that are held afterwards.
        files: written and removed as one set.
        load: modules of the kernel, in this order.
    """

    install: tuple[str, ...] = ()
    hold: tuple[str, ...] = ()
    files: tuple[Change, ...] = ()
    load: tuple[str, ...] = ()

    @property
    def actions(self) -> tuple[str, ...]:
        """What the module itself does, in words. Packages are the role's."""
        return (*(change.words for change in self.files), *(f"load {name}" for name in self.load))


def plan(catalogue: Catalogue, seen: Seen, wish: Wish) -> Plan:
    """What is to be done. A node without a device and without a NIC needs nothing.

    Raises:
        FleetError: a name is none of the catalogue; the node's packages are not known or have no version.
    """
    pinned = packages(catalogue, seen, wish)
    if fabric.state(catalogue, seen) == fabric.NONE:
        return Plan(files=_none_of_ours(seen))
    modules = tuple(dict.fromkeys(name for _nic, family in fabric.nics(catalogue, seen) for name in family.modules))
    return Plan(
        install=tuple(spec(seen.manager, name, version) for name, version in pinned.items()
                      if (seen.packages or {}).get(name) != version),
        hold=tuple(pinned),
        files=changes(_files(environment(catalogue, seen, wish), modules, wish.names), seen.files),
        load=tuple(name for name in modules if name not in seen.modules),
    )


def removal(catalogue: Catalogue, seen: Seen, wish: Wish) -> Plan:
    """What is to be done so that none of our files is there. ``hold``: what is held no more, whatever NICs are there.

    Raises:
        FleetError: as plan.
    """
    return Plan(hold=tuple(packages(catalogue, seen, wish)), files=_none_of_ours(seen))


def _none_of_ours(seen: Seen) -> tuple[Change, ...]:
    return changes(_files({}, (), ""), seen.files)


def packages(catalogue: Catalogue, seen: Seen, wish: Wish) -> dict[str, str]:
    """Every package of the stack with its version; empty where packages are left as they are.

    Raises:
        FleetError: the stack has none for the node, or a source of it has no version.
    """
    stack = catalogue.stack(wish.stack)
    if not wish.versions:
        return {}
    offered = stack.offered(seen.manager, seen.system)
    if not offered:
        raise FleetError(f"stack {stack.name}", f"has no packages for {seen.manager or 'an unknown package manager'}",
                         "name another stack in rdma_stack_stack, or leave rdma_stack_versions empty")
    for source in wish.versions:
        if source not in offered:
            raise FleetError("rdma_stack_versions", f"the stack {stack.name} has no source {source!r}",
                             f"it has {', '.join(offered)}")
    for source in offered:
        if source not in wish.versions:
            raise FleetError("rdma_stack_versions", f"has no version of {source}, of which the stack {stack.name} has "
                             f"{', '.join(offered[source])}", f"add {source}: <version>")
    return {name: wish.versions[source] for source, names in offered.items() for name in names}


def refusal(catalogue: Catalogue, seen: Seen, wish: Wish) -> FleetError | None:
    """Why nothing of RDMA may be changed on a node: its NICs are not known, or its user space is mixed."""
    lost = unread(seen)
    if lost:
        return FleetError("RDMA of the node", f"cannot be read: {lost}", "mend that on the node; nothing was changed")
    return mixture(catalogue, seen, wish)


def unread(seen: Seen) -> str:
    """Why it is not known what NICs the node has; empty: it is."""
    return "; ".join(seen.unknown[part] for part in ("nics", "devices", "ports") if part in seen.unknown)


def mixture(catalogue: Catalogue, seen: Seen, wish: Wish) -> FleetError | None:
    """What is there is mixed, or of another hand than what is wanted."""
    for known in catalogue.mixtures.values():
        one, other = (side.found(seen.packages or {}, seen.paths) for side in (known.one, known.other))
        if one and other:
            why = known.cause.cause.rstrip(".")
            return FleetError("RDMA stack", f"{', '.join(one)} beside {', '.join(other)}: {why}", known.cause.remedy,
                              "; ".join(known.cause.sources))
    strange = foreign(catalogue, seen, wish) if wish.versions else ()
    if strange:
        return FleetError("RDMA stack", f"{', '.join(strange)} is not of the stack {wish.stack}",
                          "name the stack that the node has in rdma_stack_stack, or remove its packages first")
    return None


def foreign(catalogue: Catalogue, seen: Seen, wish: Wish) -> tuple[str, ...]:
    """Installed packages of the stack that are of another hand, by the marks in their versions."""
    stack = catalogue.stack(wish.stack)
    others = [other.mark for other in catalogue.stacks.values() if other.mark and other.name != stack.name]
    names = [name for of in stack.offered(seen.manager, seen.system).values() for name in of]
    there = {name: (seen.packages or {})[name] for name in names if name in (seen.packages or {})}
    return tuple(f"{name} {version}" for name, version in there.items()
                 if any(re.search(mark, version) for mark in others))


def _files(variables: t.Mapping[str, str], modules: t.Sequence[str], names: str) -> tuple[Wanted, ...]:
    texts = {
        ENVIRON: "".join(f"{name}={value}\n" for name, value in sorted(variables.items())),
        MODULES: "".join(f"{name}\n" for name in modules),
        NAMES: _RULE.format(RULES[names]) if names else "",
    }
    return tuple(Wanted(path, (HEADER + text).encode() if text else None, "root", "root")
                 for path, text in texts.items())
