# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Who took a node out of work: only a drain that carries the mark of the same purpose is ours to lift."""

from __future__ import annotations

import typing as t

from ..errors import DataError, FleetError
from ..formats.slurm import Job

PREFIX = "instinct.fleet: "
ANNOTATION = "instinct.fleet/out-of-work"  # of a node in Kubernetes; its value is the mark
OPEN, OURS, FOREIGN = "open", "ours", "foreign"
_LONGEST = 200  # characters of a reason: a table of sinfo is read by people
_NAMED = 5  # jobs that are named before the rest is counted


def mark(purpose: str, words: str = "") -> str:
    """The reason that a drain is given: instinct.fleet: partition: what for. One line without double quotes."""
    text = " ".join(f"{PREFIX}{purpose}: {words}".replace('"', "'").split()).rstrip(": ")
    return text if len(text) <= _LONGEST else text[:_LONGEST - 3].rstrip() + "..."


def standing(out: bool, reason: str, purpose: str) -> str:
    """OPEN, OURS or FOREIGN: of a person, of Slurm itself, of another purpose of this collection."""
    if not out:
        return OPEN
    begin = mark(purpose)
    return OURS if reason == begin or reason.startswith(f"{begin}: ") else FOREIGN


def to_mark(found: str, reason: str, purpose: str, words: str) -> bool:
    """Whether a node of this standing and reason is to be marked: one that is open, and ours for another reason."""
    return found == OPEN or (found == OURS and words != "" and reason != mark(purpose, words))


def refuse_jobs(where: str, left: t.Sequence[Job], seconds: int) -> None:
    """Refuse to go on while jobs are on the node.

    Raises:
        FleetError: names jobs and users.
    """
    if left:
        still = "job is" if len(left) == 1 else "jobs are"
        after = f" after {seconds} s" if seconds else ""
        raise FleetError(where, f"{len(left)} {still} still on it{after} ({_names(left)})",
                         "it stays drained: wait longer (node_maintenance_drain_timeout), or end them, then run again")


def refuse_open(where: str, found: str) -> None:
    """Refuse to go on with a node that somebody gave back while its jobs were waited for: it takes new ones.

    Raises:
        FleetError: it is open.
    """
    if found == OPEN:
        what = "was given back by somebody while its jobs were waited for"
        raise FleetError(where, what, "ask who did, then run again")


def waiting(jobs: t.Sequence[Job]) -> str:
    """Jobs that are waited for, as is said meanwhile: 2 jobs (7 of alice, 8 of bob). Empty without one."""
    return f"{len(jobs)} {'job' if len(jobs) == 1 else 'jobs'} ({_names(jobs)})" if jobs else ""


def _names(jobs: t.Sequence[Job]) -> str:
    named = ", ".join(f"{job.id} of {job.user}" for job in jobs[:_NAMED])
    return f"{named} and {len(jobs) - _NAMED} more" if len(jobs) > _NAMED else named


def cordon(node: object, purpose: str) -> dict[str, t.Any]:
    """Standing and reason of a node as Kubernetes describes it, by our annotation; and whether that is stale: it
    outlives a cordon that somebody else lifted.

    Raises:
        DataError: it is no description of a node.
    """
    spec = node.get("spec") if isinstance(node, dict) else None
    metadata = node.get("metadata") if isinstance(node, dict) else None
    if not isinstance(spec, dict) or not isinstance(metadata, dict):
        raise DataError("kubernetes node", "has no spec or no metadata", "give it as k8s_info returns it")
    out = spec.get("unschedulable") is True
    marked = str((metadata.get("annotations") or {}).get(ANNOTATION, ""))
    reason = marked if out and _set_at_once(metadata) else ""
    return {"standing": standing(out, reason, purpose), "reason": reason, "stale": marked != "" and not out}


def _set_at_once(metadata: t.Mapping[str, t.Any]) -> bool:
    """Whether who set our annotation also cordoned the node, as kubernetes_mark does both. True where nobody tells.

    source: https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
    """
    owned: list[dict[str, t.Any]] = [entry.get("fieldsV1") or {} for entry in metadata.get("managedFields") or ()]
    cordons = [fields for fields in owned if "f:unschedulable" in (fields.get("f:spec") or {})]
    marks = [(fields.get("f:metadata") or {}).get("f:annotations") or {} for fields in cordons]
    return not cordons or any(f"f:{ANNOTATION}" in mark for mark in marks)
