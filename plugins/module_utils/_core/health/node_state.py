# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What belongs together on a node: its GPUs, their driver and library, firmware, partitions, and what logs say."""

from __future__ import annotations

import collections
import json
import typing as t

from ..findings import NODE, Finding
from ..look.shape import GpuFirmware, Look
from ..plan.managed import RELEASE_RECORD
from .sample import NOT_LOOKED_AT, Sample, Seen, node, reason_of

DRIVER = "amdgpu"
WORKLOAD = "workload"


def count(seen: Seen) -> t.Iterator[Sample]:
    """GPUs on the bus, against what was declared or recorded."""
    section = seen.look.gpus
    if section is None:
        yield node(reason=f"section gpus {NOT_LOOKED_AT}")
        return
    reason = reason_of(section.unknown, "gpus")
    if reason:
        yield node(reason=reason)
        return
    kinds = collections.Counter(gpu.product or "GPU" for gpu in section.gpus)
    words = ", ".join(f"{many} x {kind}" for kind, many in sorted(kinds.items()))
    named = recorded(seen.look) if seen.wanted.gpus is None else seen.wanted.gpus
    yield node(len(section.gpus), named=named, seen=words or "none")


def recorded(look: Look) -> int | None:
    """The number of GPUs in the node's record; None where there is none, or it tells nothing."""
    files = look.files.files if look.files else ()
    text = next((file.text for file in files if file.path == RELEASE_RECORD), None)
    try:
        raw = json.loads(text or "{}")
    except ValueError:
        return None
    number = raw.get("gpus") if isinstance(raw, dict) else None
    return number if isinstance(number, int) and not isinstance(number, bool) else None


def product(seen: Seen) -> str | None:
    """The product of all GPUs of the node; None if they are none or not of one kind."""
    products = {gpu.product for gpu in seen.gpus}
    return products.pop() if len(products) == 1 else None


def driver_bound(seen: Seen) -> t.Iterator[Sample]:
    """1 for a GPU that amdgpu does not drive."""
    unknown = seen.look.gpus.unknown if seen.look.gpus else {}
    for gpu in seen.gpus:
        reason = reason_of(unknown, f"{gpu.bdf}.driver")
        if reason:
            yield Sample(gpu.bdf, reason=reason)
            continue
        bound = gpu.driver == DRIVER
        yield Sample(gpu.bdf, int(not bound), seen=f"driver {gpu.driver}" if gpu.driver else "no driver is bound")


def library(seen: Seen) -> t.Iterator[Sample]:
    """0 if the vendor's library answers; no answer is no data."""
    smi = seen.look.smi
    if smi is None:
        yield node(reason=f"section smi {NOT_LOOKED_AT}")
    elif smi.error:
        yield node(reason=smi.error)
    else:
        yield node(0, seen=f"answers, version {smi.library_version or 'not told'}")


def firmware(seen: Seen) -> t.Iterator[Sample]:
    """For each GPU how many blocks of its firmware differ from what most GPUs of its product have."""
    section = seen.look.firmware
    told: dict[str, GpuFirmware] = {item.bdf: item for item in section.gpus} if section else {}
    of_product: dict[str | None, list[GpuFirmware]] = {}
    for gpu in seen.gpus:
        if gpu.bdf in told:
            of_product.setdefault(gpu.product or gpu.device_id, []).append(told[gpu.bdf])
    for gpu in seen.gpus:
        if gpu.bdf not in told:
            reason = reason_of(section.unknown, gpu.bdf) if section else f"section firmware {NOT_LOOKED_AT}"
            yield Sample(gpu.bdf, reason=reason or "tells no firmware")
            continue
        usual = _usual(of_product[gpu.product or gpu.device_id], told[gpu.bdf].source)
        own = _versions(told[gpu.bdf])
        other = [f"{name} {own.get(name, 'missing')} (others {version})"
                 for name, version in sorted(usual.items()) if own.get(name) != version]
        yield Sample(gpu.bdf, len(other), seen=", ".join(other) or "as the others")


def _versions(item: GpuFirmware) -> dict[str, str]:
    named = {"VBIOS": item.vbios, "bundle": item.bundle}
    return {**item.blocks, **{name: version for name, version in named.items() if version}}


def _usual(items: t.Sequence[GpuFirmware], source: str | None) -> dict[str, str]:
    """The version of each block that most have. Sources print versions differently, so only one source is compared."""
    same = [_versions(item) for item in items if item.source == source]
    names = sorted({name for versions in same for name in versions})
    found = {}
    for name in names:
        versions = collections.Counter(item[name] for item in same if name in item)
        version, many = min(versions.items(), key=lambda pair: (-pair[1], pair[0]))
        if many * 2 > len(same):
            found[name] = version
        elif len(versions) > 1:
            found[name] = min(versions)  # no majority: somebody differs, and who is not known
    return found


def partition(kind: str) -> t.Callable[[Seen], t.Iterator[Sample]]:
    """1 for a GPU whose compute or memory partition is not as declared."""
    def take(seen: Seen) -> t.Iterator[Sample]:
        wanted = getattr(seen.wanted, kind)
        for gpu in seen.gpus:
            now = getattr(gpu, kind)
            if wanted is None:
                yield Sample(gpu.bdf, reason="nothing is declared", supported=False)
            elif now is not None:
                yield Sample(gpu.bdf, int(now != wanted), seen=f"{now}, declared {wanted}")
            else:
                unknown = seen.look.gpus.unknown if seen.look.gpus else {}
                reason = reason_of(unknown, f"{gpu.bdf}.{kind}")
                yield Sample(gpu.bdf, reason=reason) if reason else Sample(gpu.bdf, 1, seen=f"none, declared {wanted}")
    return take


def logged(gate: str) -> t.Callable[[Seen], t.Iterator[Sample]]:
    """How many faults with this gate the logs of this boot tell of each GPU and of the node. Work is not to blame."""
    def take(seen: Seen) -> t.Iterator[Sample]:
        log = seen.look.log
        reason = f"section log {NOT_LOOKED_AT}" if log is None else log.unknown.get("kernel", "")
        known = [gpu.bdf for gpu in seen.gpus]
        found: dict[str, list[Finding]] = {subject: [] for subject in (NODE, *known)}
        for finding, word in seen.faults:
            if word == gate and finding.domain != WORKLOAD:
                found[finding.subject if finding.subject in known else NODE].append(finding)
        for subject, faults in found.items():
            if faults or not reason:
                yield _told(subject, faults)
            else:
                yield Sample(subject, reason=reason)
    return take


def _told(subject: str, faults: t.Sequence[Finding]) -> Sample:
    if not faults:
        return Sample(subject, 0, seen="none")
    words = "; ".join(f"{fault.summary} ({fault.id}, {fault.count} times)" for fault in faults)
    return Sample(subject, len(faults), seen=words, why=faults[0].why, domain=faults[0].domain)
