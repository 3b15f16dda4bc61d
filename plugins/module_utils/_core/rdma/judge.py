# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Whether RDMA of a node works, each thing by itself. What was not seen is unknown, with the reason."""

from __future__ import annotations

import re
import typing as t

from ..findings import NODE, Check
from . import fabric, plan, versions
from .catalogue import Catalogue
from .family import Family
from .seen import Nic, Port, Seen
from .shape import VerbsDevice
from .versions import Result
from .wish import Wish

_UNLIMITED = -1
# Names as rdma_rename gives them. source: linux-rdma/rdma-core:kernel-boot/rdma_rename.c
_BY_PCI = re.compile(r"^(?:ib|roce|iw|opa|rdma)(?:P\d+)?p\d+s\d+")
_BY_GUID = re.compile(r"^(?:ib|roce|iw|opa|rdma)x[0-9a-f]{12,16}$")


def checks(catalogue: Catalogue, seen: Seen, wish: Wish) -> tuple[Check, ...]:
    """Everything that is judged of a node. A node without a NIC and without Soft-RoCE has nothing to be judged.

    Raises:
        FleetError: a name is none of the catalogue.
    """
    state = fabric.state(catalogue, seen)
    if state == fabric.NONE:
        return ()
    found = [("rdma-mixture", NODE, _mixture(catalogue, seen, wish))]
    found += [("rdma-package", name, result) for name, result in _packages(catalogue, seen, wish)]
    for nic, family in fabric.nics(catalogue, seen):
        found += [("rdma-module", nic.bdf, _modules(family, seen)), ("rdma-verbs", nic.bdf, _verbs(nic, seen))]
    found += [("rdma-driver", name, result) for name, result in versions.drivers(catalogue, seen, wish)]
    found += [("rdma-firmware", name, result) for name, result in versions.firmware(catalogue, seen, wish)]
    for device in seen.devices:
        family_or_none = fabric.family_of(catalogue, device)
        found += [("rdma-abi", device.name, _abi(device, family_or_none, seen, catalogue)),
                  ("rdma-opens", device.name, _opens(device, seen))]
        if family_or_none and family_or_none.pci and wish.names:
            found.append(("rdma-name", device.name, _name(device, wish.names)))
    for port in seen.ports:
        found += [(ident, port.name, result) for ident, result in _port(port, seen, wish)]
    if state == fabric.HARDWARE:
        found.append(("rdma-direct", NODE, _direct(seen)))
    found += [("rdma-memlock", name, _memlock(limit)) for name, limit in seen.memlock.items()]
    return tuple(_check(catalogue, ident, subject, result) for ident, subject, result in found)


def _check(catalogue: Catalogue, ident: str, subject: str, result: Result) -> Check:
    good, wanted, seen = result
    text = catalogue.texts[ident]
    verdict = "unknown" if good is None else "pass" if good else text.verdict
    return Check(ident, subject, verdict, wanted, seen, text.cause, text.domain)


def _mixture(catalogue: Catalogue, seen: Seen, wish: Wish) -> Result:
    wanted = "user space and kernel side from one hand"
    if seen.packages is None:
        return None, wanted, seen.unknown.get("packages", "packages are not known")
    against = plan.mixture(catalogue, seen, wish)
    return (False, wanted, against.what) if against else (True, wanted, "nothing is mixed")


def _packages(catalogue: Catalogue, seen: Seen, wish: Wish) -> t.Iterator[tuple[str, Result]]:
    pinned, stack = plan.packages(catalogue, seen, wish), catalogue.stack(wish.stack)
    names = pinned or {name: "" for of in stack.offered(seen.manager, seen.system).values() for name in of}
    for name, version in names.items():
        wanted = version or "installed"
        if seen.packages is None:
            yield name, (None, wanted, seen.unknown.get("packages", "packages are not known"))
            continue
        there = seen.packages.get(name)
        if version and there == version and name not in seen.holds:
            yield name, (False, f"{version}, held", f"{version}, not held")
        else:
            yield name, (there == version if version else there is not None, wanted, there or "not installed")


def _modules(family: Family, seen: Seen) -> Result:
    absent = [name for name in family.modules if name not in seen.modules]
    wanted = f"{', '.join(family.modules)} loaded"
    return not absent, wanted, f"{', '.join(absent)} not loaded" if absent else "loaded"


def _verbs(nic: Nic, seen: Seen) -> Result:
    of = {port.bdf: port.device for port in seen.ports}
    bonded = [of[one.bdf] for one in seen.nics if one.bond and one.bond == nic.bond and one.bdf in of]
    words = f"{bonded[0]}, by {nic.bond}" if bonded else "none"
    return nic.bdf in of or bool(bonded), "a verbs device", of.get(nic.bdf, words)


def _abi(device: VerbsDevice, family: Family | None, seen: Seen, catalogue: Catalogue) -> Result:
    wanted = "a provider that speaks " + ("the ABI of the driver" if device.abi is None else f"ABI {device.abi}")
    if seen.said is None:
        return None, wanted, seen.unknown.get("said", "ibv_devinfo was not asked")
    taken, unserved = device.name in (*seen.said.devices, *seen.said.taken), seen.said.unserved
    serving = ", ".join(catalogue.serving(family.name, seen.manager)) if family else ""
    others = f" (stacks for {family.name}: {serving})" if family and serving else ""
    for one in seen.said.complaints:
        its = one.provider == family.provider if family else not taken
        if its and one.device in ("", device.name):
            sure = family is not None or device.name in (one.device, *unserved)
            words = f"{one.provider} speaks {one.low} to {one.high}, and the driver {one.abi}{others}"
            return (False if sure else None), wanted, words
    if family and any(name.rpartition("/")[2].startswith(f"lib{family.provider}-") for name in seen.said.unloaded):
        return False, wanted, f"the library of {family.provider} does not load"
    if device.name in unserved:
        return False, wanted, f"no provider is there{others}"
    if not taken:
        return None, wanted, "ibv_devinfo does not list it"
    return True, wanted, f"{family.provider} does" if family else "one does"


def _opens(device: VerbsDevice, seen: Seen) -> Result:
    wanted = "a device that libibverbs opens"
    if seen.said is None:
        return None, wanted, seen.unknown.get("said", "ibv_devinfo was not asked")
    listed = seen.said.devices.get(device.name)
    if listed is None:
        taken = device.name in seen.said.taken
        return False, wanted, "libibverbs cannot open it" if taken else "ibv_devinfo does not list it"
    return True, wanted, f"firmware {listed.fields.get('fw_ver', 'of no version')}"


def _name(device: VerbsDevice, rule: str) -> Result:
    by_pci, by_guid = bool(_BY_PCI.match(device.name)), bool(_BY_GUID.match(device.name))
    good = {"pci": by_pci, "guid": by_guid, "kernel": not by_pci and not by_guid}[rule]
    return good, f"a name by {rule}", device.name


def _port(port: Port, seen: Seen, wish: Wish) -> t.Iterator[tuple[str, Result]]:
    active = port.state == fabric.ACTIVE
    yield "rdma-port", (None if port.state is None else active, fabric.ACTIVE, port.state or "its state is not known")
    if not active or port.link_layer != fabric.ETHERNET:
        return
    found = fabric.gid(port)
    words = f"{found.value} at {found.index}" if found else "none"
    yield "rdma-gid", (found is not None and fabric.routed(found), f"a GID of {fabric.V2} that is routed", words)
    roce, there = wish.roce, f"{port.interface or 'its interface'}: "
    if roce.mtu is not None:
        mtu = None if port.mtu is None else port.mtu == roce.mtu
        yield "rdma-mtu", (mtu, f"MTU {roce.mtu}", f"{there}{port.mtu or 'not known'}")
    dcb, why = seen.dcb.get(port.interface or ""), seen.unknown.get("dcb", "dcb says nothing of it")
    if roce.pfc is not None:
        yield "rdma-pfc", (dcb.pfc == roce.pfc if dcb else None, f"flow control of priorities {_list(roce.pfc)}",
                           there + (_list(dcb.pfc) if dcb else why))
    if roce.dscp is not None:
        wrong = {dscp: dcb.dscp.get(dscp) for dscp, priority in roce.dscp.items()
                 if dcb.dscp.get(dscp) != priority} if dcb else {}
        yield "rdma-dscp", (not wrong if dcb else None, f"priorities of DSCP {_map(roce.dscp)}",
                            there + ((_map(wrong) if wrong else "as wanted") if dcb else why))


def _list(numbers: t.Iterable[int]) -> str:
    return ", ".join(map(str, numbers)) or "none"


def _map(priorities: t.Mapping[int, int | None]) -> str:
    return ", ".join(f"{dscp}: {'none' if one is None else one}" for dscp, one in sorted(priorities.items()))


def _direct(seen: Seen) -> Result:
    wanted = "peer memory, or a kernel with dma-buf between devices"
    if seen.peer:
        return True, wanted, "peer memory of the NIC's driver"
    absent = fabric.lacking(seen)
    if absent is None:
        return None, wanted, seen.unknown.get("options", "the kernel's configuration is not known")
    return not absent, wanted, f"no peer memory, and no {', '.join(absent)}" if absent else "dma-buf"


def _memlock(limit: int | None) -> Result:
    if limit is None:
        return None, "unlimited", "not known"
    return limit == _UNLIMITED, "unlimited", "unlimited" if limit == _UNLIMITED else f"{limit} bytes"
