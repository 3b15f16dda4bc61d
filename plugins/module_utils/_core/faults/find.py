# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What is wrong with a node, as its logs tell it: hits of known lines held against what else is known."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..findings import NODE, Finding
from ..look import shape as lk
from ..look.log import Hit
from ..release.products import DeviceIds
from .catalogue import ABOUT_DEVICE, PLACE, Fault, FaultCatalogue, Mark
from .context import Context

_Case = tuple[Fault, Hit]


def find(look: lk.Look, catalogue: FaultCatalogue, products: t.Sequence[DeviceIds] = ()) -> tuple[Finding, ...]:
    """The faults that logs show and that the rest of the look does not rule out, in the order of the logs.

    Args:
        look: without section ``log`` nothing is found.
        catalogue: what the lines mean.
        products: PCI device ids, for GPUs whose product nothing names.
    """
    hits = _placed(look, catalogue)
    context = Context(look, hits, catalogue, products)
    cases = [(fault, hit) for fault, hit in _cases(hits, catalogue)
             if context.concerns(fault.products, fault.not_products, hit)
             and (not context.foreign(hit) or any(rule.kind == "instinct" for rule in fault.when))
             and all(context.holds(rule, hit) for rule in fault.when)]
    special = [(catalogue.superseded(fault.id), hit.subject) for fault, hit in cases if fault.supersedes]
    # What is about the node or a process may have been seen at several GPUs.
    found: dict[tuple[str, str], Hit] = {}
    for fault, hit in cases:
        if not any(fault.id in ids and _same(hit.subject, subject) for ids, subject in special):
            key = (fault.id, _subject(fault, hit))
            found[key] = _both(found[key], hit) if key in found else hit
    ordered = sorted(found.items(), key=lambda item: (item[1].where, item[1].origin, item[1].first, item[0]))
    return tuple(_finding(catalogue.faults[ident], subject, hit, context) for (ident, subject), hit in ordered)


def _placed(look: lk.Look, catalogue: FaultCatalogue) -> list[Hit]:
    """All hits of known records. Lines that name no GPU are of the only one that there is, or that the log names.

    What is about the node is so whichever device its line names: a port has errors, and a GPU below it fails.
    """
    records: dict[str, Fault | Mark] = {**catalogue.faults, **catalogue.marks}
    hits = [hit if records[hit.id].subject != NODE else dc.replace(hit, subject=NODE)
            for hit in (look.log.hits if look.log else ()) if hit.id in records]
    about = {hit.subject for hit in hits if hit.where == "kernel" and records[hit.id].subject == "gpu"} - {NODE}
    listed = {gpu.bdf for gpu in look.gpus.gpus} if look.gpus else set()
    named = (about & listed) or about
    only = listed if len(listed) == 1 else named
    if len(only) != 1:
        return hits
    (gpu,) = only
    return [dc.replace(hit, subject=gpu) if hit.subject == NODE and _of_gpu(hit, catalogue) else hit for hit in hits]


def _of_gpu(hit: Hit, catalogue: FaultCatalogue) -> bool:
    return hit.where == "kernel" and hit.id in catalogue.faults and catalogue.faults[hit.id].subject == "gpu"


def _cases(hits: t.Iterable[Hit], catalogue: FaultCatalogue) -> list[_Case]:
    """Each fault once for each subject, and for each process or package of it."""
    cases = [(catalogue.faults[hit.id], hit) for hit in hits if hit.id in catalogue.faults]
    by_log: dict[tuple[str, str, str, str], _Case] = {}
    for fault, hit in cases:
        place = (fault.id, hit.subject, _subject(fault, hit), hit.origin)
        by_log[place] = (fault, _both(by_log[place][1], hit) if place in by_log else hit)
    found: dict[tuple[str, str, str], _Case] = {}
    for fault, hit in by_log.values():
        key = (fault.id, hit.subject, _subject(fault, hit))
        found[key] = (fault, _both(found[key][1], hit) if key in found else hit)
    return list(found.values())


def _both(one: Hit, two: Hit) -> Hit:
    """Two hits as one: of one log they are added up, of two that tell the same the fuller one counts."""
    if one.origin != two.origin:
        return one if one.count >= two.count else two
    first, last = (one, two) if one.first <= two.first else (two, one)
    sums = {name: one.sums.get(name, 0) + two.sums.get(name, 0) for name in (*one.sums, *two.sums)}
    followed = {ident: min(lines.get(ident, other) for lines in (one.followed, two.followed))
                for ident, other in (*one.followed.items(), *two.followed.items())}
    return dc.replace(
        first, count=one.count + two.count, last=max(one.last, two.last), groups={**first.groups, **last.groups},
        sums=sums, sample=tuple(dict.fromkeys((*first.sample[:1], *last.sample[-1:]))), last_time=last.last_time,
        followed=followed)


def _same(one: str, two: str) -> bool:
    """Whether two lines can be about the same GPU: many lines name none."""
    return one == two or NODE in (one, two)


def _finding(fault: Fault, subject: str, hit: Hit, context: Context) -> Finding:
    said = {"bdf": hit.subject, **hit.groups, "count": str(hit.count),
            **{name: str(number) for name, number in hit.sums.items()}}
    return Finding(
        id=fault.id, kind="fault", severity=fault.severity, domain=fault.domain, subject=subject,
        summary=PLACE.sub(lambda place: said.get(place[1], "unknown"), fault.title), why=fault.why, evidence=hit.sample,
        count=hit.count, first=context.begun(fault, hit), last=hit.last,
        explains=(*fault.explains, fault.id) if fault.echoes or fault.together else fault.explains, scope=fault.scope,
        origin=hit.origin, together=fault.together, announced_by=fault.announced_by)


def _subject(fault: Fault, hit: Hit) -> str:
    """What the fault is about, in the words of ``Finding.subject``."""
    if fault.subject in ABOUT_DEVICE:
        return hit.subject
    if fault.subject != "process":
        return hit.groups.get(fault.subject, NODE)
    pid, name = hit.groups.get("pid"), hit.groups.get("process")
    if pid:
        return f"pid {pid} ({name})" if name else f"pid {pid}"
    # Never the GPU alone: a process did it, and nothing is wrong with the hardware.
    return name or ("a process" if hit.subject == NODE else f"a process on {hit.subject}")
