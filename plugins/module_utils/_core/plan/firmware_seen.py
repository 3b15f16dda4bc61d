# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Firmware of a node held against the sets of its release and of the site, and against itself."""

from __future__ import annotations

import collections
import dataclasses as dc
import typing as t

from ..look.firmware import GpuFirmware, NicFirmware
from ..look.whole import WholeLook
from .firmware_match import fulfils

if t.TYPE_CHECKING:
    from ..look.gpus import Gpu
    from ..release.firmware import FirmwareVersion
    from ..release.resolved import Resolved, ResolvedFirmware, ResolvedGpu

# Kind of a version -> the field of GpuFirmware that tells it. Nothing inside the node tells the others.
READ = {"pldm": "bundle", "vbios": "vbios_part"}
VALIDATED, OTHER, UNKNOWN = "validated", "other", "unknown"
_VERDICTS = {True: VALIDATED, False: OTHER, None: UNKNOWN}
_MOST = 3  # differences of one GPU that are spelt out


@dc.dataclass(frozen=True)
class NicSet:
    """Versions that a site wants on NICs of one family; ``board`` is empty for all boards of the family."""

    family: str
    board: str
    versions: tuple[FirmwareVersion, ...]


@dc.dataclass(frozen=True)
class Verdict:
    """What is to be said of one kind of firmware of one device.

    Attributes:
        device: PCI address.
        product: MI300X; for a NIC its family and board.
        kind: as the release calls it, nic, or empty where the release lists nothing for the product.
        verdict: validated, other, unknown.
        seen: the version that was read, if any.
        wanted: any one of these will do.
        why: why it is unknown.
        confidence: of the set.
        source: where the set was read.
    """

    device: str
    product: str
    kind: str
    verdict: str
    seen: str | None
    wanted: tuple[str, ...]
    why: str = ""
    confidence: str = "documented"
    source: str = ""


def gpu_verdicts(look: WholeLook, wanted: Resolved) -> tuple[Verdict, ...]:
    """One verdict for each GPU of the node and each kind of firmware that the release lists for it."""
    gpus = {gpu.bdf: gpu for gpu in look.gpus.gpus}
    return tuple(verdict for gpu in wanted.gpus for verdict in _of_gpu(look, wanted, gpu, gpus[gpu.bdf]))


def _of_gpu(look: WholeLook, wanted: Resolved, gpu: ResolvedGpu, seen: Gpu) -> t.Iterator[Verdict]:
    names = gpu.product.split(" or ")
    rows = [row for row in wanted.firmware if row.gpu in names]
    if not rows:
        yield Verdict(gpu.bdf, gpu.product, "", UNKNOWN, None, (), f"{wanted.name} lists no set for it")
    found = next((f for f in look.firmware.gpus if f.bdf == gpu.bdf), None)
    told = found if found and not seen.virtual_function else None
    have = {kind: getattr(told, field) for kind, field in READ.items()} if told else {}
    for kind in dict.fromkeys(row.kind for row in rows):
        of_kind = [row for row in rows if row.kind == kind]
        answers = {fulfils(row.versions, have) for row in of_kind}
        # Where the device id leaves open which product it is, all that it may be must agree.
        answer = answers.pop() if len(answers) == 1 and len(of_kind) == len(names) else None
        kinds = _kinds(of_kind)
        version = next((have[kind] for kind in kinds if have.get(kind)), None)
        texts = tuple(dict.fromkeys(v.text for row in of_kind for v in row.versions))
        why = "" if answer is not None else _why(look, seen, kinds, version)
        yield Verdict(gpu.bdf, gpu.product, kind, _VERDICTS[answer], version, texts, why, of_kind[0].confidence,
                      of_kind[0].source)


def _kinds(rows: t.Sequence[ResolvedFirmware]) -> tuple[str, ...]:
    """Kinds that the versions speak of, each once."""
    versions = [version for row in rows for version in row.versions]
    return tuple(dict.fromkeys(kind for v in versions for kind in (v.kind, *(part.kind for part in v.also))))


def _why(look: WholeLook, gpu: Gpu, kinds: tuple[str, ...], version: str | None) -> str:
    if gpu.virtual_function:
        return "it is a virtual function, and the firmware is the host's"
    untold = " and ".join(kind.upper() for kind in kinds if kind not in READ)
    if untold:
        return f"nothing inside the node tells {untold}; the BMC does"
    if version:
        return f"nothing says whether {version} will do"
    reasons = look.firmware.unknown
    return reasons.get(f"{gpu.bdf}.{READ[kinds[0]]}") or reasons.get(gpu.bdf) or "it was not read"


def nic_verdicts(look: WholeLook, sets: t.Sequence[NicSet]) -> tuple[Verdict, ...]:
    """One verdict for each NIC for which the site names a set; one that names the board counts before the others."""
    found = []
    for nic in look.firmware.nics:
        fits = [s for s in sets if s.family == nic.family and (s.board in ("", nic.board) or nic.board is None)]
        if fits:
            found.append(_of_nic(look, nic, max(fits, key=lambda s: s.board != "")))
    return tuple(found)


def _of_nic(look: WholeLook, nic: NicFirmware, wanted: NicSet) -> Verdict:
    answer, why = fulfils(wanted.versions, {"nic": nic.version}), ""
    if wanted.board and nic.board is None:
        answer, why = None, "the driver states no board"
    elif answer is None:
        told = f"nothing says whether {nic.version} will do" if nic.version else "it was not read"
        why = look.firmware.unknown.get(f"{nic.bdf}.version", told)
    texts = tuple(v.text for v in wanted.versions)
    return Verdict(nic.bdf, _model(nic), "nic", _VERDICTS[answer], nic.version, texts, why)


def _model(nic: NicFirmware) -> str:
    return " ".join(filter(None, (nic.family, nic.board)))


def differences(look: WholeLook, wanted: Resolved) -> tuple[str, ...]:
    """One line for each product whose GPUs, and each model whose NICs, have not the same firmware: the odd ones out."""
    products = {gpu.bdf: gpu.product for gpu in wanted.gpus}
    groups: dict[tuple[str, str], dict[str, dict[str, str]]] = {}
    for gpu in look.firmware.gpus:
        groups.setdefault((products.get(gpu.bdf, ""), gpu.source), {})[gpu.bdf] = _versions(gpu)
    for nic in look.firmware.nics:
        if nic.version and nic.family:
            groups.setdefault((_model(nic), ""), {})[nic.bdf] = {"firmware": nic.version}
    odd = ((f"{len(devices)} x {name}", _odd(devices)) for (name, _source), devices in groups.items() if name)
    return tuple(f"firmware differs among {which}: {'; '.join(what)}" for which, what in odd if what)


def _versions(gpu: GpuFirmware) -> dict[str, str]:
    named = {"PLDM bundle": gpu.bundle, "VBIOS": gpu.vbios, "VBIOS part": gpu.vbios_part}
    return {**{name: text for name, text in named.items() if text}, **gpu.blocks}


def _odd(devices: t.Mapping[str, t.Mapping[str, str]]) -> list[str]:
    """What each device has that most others have not; where there is no majority, all of them say what they have."""
    found: dict[str, list[str]] = {}
    for name in dict.fromkeys(name for versions in devices.values() for name in versions):
        have = {device: versions[name] for device, versions in devices.items() if name in versions}
        usual, times = collections.Counter(have.values()).most_common(1)[0]
        most = times * 2 > len(have)
        for device, version in have.items():
            if times < len(have) and not (most and version == usual):
                found.setdefault(device, []).append(f"{name} {version}" + (f" (others {usual})" if most else ""))
    return [f"{device} has {', '.join(what[:_MOST])}" + (f" and {len(what) - _MOST} more" if what[_MOST:] else "")
            for device, what in found.items()]
