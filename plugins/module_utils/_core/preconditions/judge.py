# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Judge a look against what its host must give the GPUs."""

from __future__ import annotations

import typing as t

from ..findings import NODE, Cause, Check, Finding
from ..look.shape import Look
from .catalogue import Documents, Precondition, Preconditions
from .judges import JUDGES
from .view import Known, Result, UnseenError, View

VERDICTS = {"info": "warn", "warning": "warn", "error": "fail", "critical": "fail"}  # of what is not as wanted
_NOTHING = Known()


def check(
    look: Look, documents: Documents, host_profiles: t.Iterable[str], known: Known = _NOTHING,
) -> tuple[Check, ...]:
    """Hold a look against the preconditions. What was not seen is unknown, with the reason.

    Args:
        look: sections that were not looked at are None.
        documents: files of kind preconditions, as plugin_utils/diagnosis_files.py reads them, or what they hold.
        host_profiles: what the host is for: bare_metal, rdma, hpc, passthrough, or those of the site.
        known: what else is known of the node.

    Raises:
        FleetError: two host profiles want opposites.
        DataError: a file is not right, or there is no such host profile.
    """
    catalogue = Preconditions.of(documents)
    profiles = catalogue.choose(host_profiles)
    view = View(look, known)
    meant = [r for r in catalogue.by_id.values() if not r.profiles or set(r.profiles) & set(profiles)]
    return tuple(one for record in meant for one in _judged(view, record, profiles))


def _judged(view: View, record: Precondition, profiles: tuple[str, ...]) -> t.Iterator[Check]:
    judge = JUDGES[record.check]
    of_node, of_gpu = judge.of_node, judge.of_gpu
    for_all, why = record.wanted(profiles, view.all_names), record.cause(profiles, view.all_names)
    if of_node and for_all.complete(judge.kinds):
        yield from _answer(record, why, NODE, lambda: of_node(view, for_all))
    if not of_gpu:
        return
    try:
        gpus = view.gpus
    except UnseenError as unseen:
        if for_all.complete(judge.kinds):
            yield _check(record, why, NODE, Result(None, "", str(unseen)))
        return
    for gpu in gpus:
        want = record.wanted(profiles, view.names(gpu))
        if want.complete(judge.kinds):
            why = record.cause(profiles, view.names(gpu))
            yield from _answer(record, why, gpu.bdf,
                               lambda gpu=gpu, want=want: of_gpu(view, gpu, want))  # type: ignore[misc]


def _answer(record: Precondition, why: Cause, subject: str,
            judge: t.Callable[[], Result | None]) -> t.Iterator[Check]:
    try:
        result = judge()
    except UnseenError as unseen:
        result = Result(None, "", str(unseen))
    if result:
        yield _check(record, why, subject, result)


def _check(record: Precondition, why: Cause, subject: str, result: Result) -> Check:
    verdict = "unknown" if result.good is None else "pass" if result.good else VERDICTS[record.severity]
    return Check(record.id, subject, verdict, result.wanted, result.seen, why, record.domain)


def findings(checks: t.Iterable[Check], documents: Documents) -> tuple[Finding, ...]:
    """What is not as wanted, as findings; the rest of each stands in its record."""
    by_id = Preconditions.of(documents).by_id
    return tuple(
        Finding(one.id, "precondition", by_id[one.id].severity, one.domain, one.subject,
                f"{one.seen} (wanted: {one.wanted})", one.why, (one.seen,),
                explains=by_id[one.id].explains, scope=by_id[one.id].scope)
        for one in checks if one.id in by_id and one.verdict in ("warn", "fail"))
