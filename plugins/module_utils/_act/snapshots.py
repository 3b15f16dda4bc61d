# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Taking a snapshot of a node that is what it recorded."""

from __future__ import annotations

import contextlib
import dataclasses as dc
import os
import typing as t

from .._core.act import recorded, snapshot
from .._core.act.snapshot import Snapshot
from .._core.errors import FleetError
from .._core.formats.dpkg import QUERY_FORMAT, Database, parse_database
from .._core.look.shape import Kernel
from .._core.plan import managed, record, rocm_packages
from .._core.plan.record import Record
from .._node import kernel
from .._node.machine import Machine
from . import apt_lists, partial_mirror, progress, snapshot_store
from .dpkg_lock import await_packages
from .files import see
from .lock import node_lock
from .outcome import Outcome
from .process import run

ROOT = "/"
RECORD = managed.RELEASE_RECORD
APT = "/usr/bin/apt-get"
NOT_KEPT = "packages are not kept on this system yet: the way back needs the repositories of the release"
_QUICK = 120


def told(found: Snapshot, actions: t.Sequence[str] = (), room: int = 0, fetch: t.Sequence[str] = (),
         there: bool = True) -> Outcome:
    """What the module returns of a snapshot; one that is not there is only foreseen."""
    return Outcome(tuple(actions), values={
        "id": found.id, "release": found.release, "kernel": found.kernel, "when": found.when, "room": room,
        "fetch": list(fetch), "notes": list(found.notes), "packages": len(found.packages),
        "kept": found.for_plan() if there else {},
        "snapshots": [{"id": s.id, "release": s.release, "when": s.when} for s in snapshot_store.all_of_them()]})


def take(check: bool, timeout: float, lock_timeout: float) -> Outcome:
    """Take a snapshot, or find that there is one of this node as it is.

    Raises:
        FleetError: the node has no record, is not what it says, or something cannot be kept.
    """
    with contextlib.nullcontext() if check else node_lock(lock_timeout):
        text = _record()
        known = record.parse(text, RECORD)
        there = snapshot_store.all_of_them()
        same = next((s for s in there if s.record == text and not snapshot_store.torn(s, read=not check)), None)
        if same:
            return _again(same, there, check)
        await_packages(lock_timeout)
        return _anew(text, known, check, timeout)


def _record() -> str:
    seen = see(RECORD)
    recorded.refuse_unrecorded(RECORD, seen.kind == "file")
    return seen.content.decode("utf-8", "replace")


def _again(same: Snapshot, there: t.Sequence[Snapshot], check: bool) -> Outcome:
    """One of the same record: it becomes the newest, if another is."""
    if same is there[0]:
        return told(same)
    newest = dc.replace(same, when=progress.later(there[0].when))
    if not check:
        snapshot_store.write(newest)
    return told(newest, [f"make {same.id} the newest snapshot"])


def _anew(text: str, known: Record, check: bool, timeout: float) -> Outcome:
    kernels = kernel.read(Machine(ROOT))
    when = progress.later(next((s.when for s in snapshot_store.all_of_them()), ""))
    name = _kernel(known, kernels)
    packages = _database() if os.path.exists(APT) else None
    draft = Snapshot(
        snapshot.named(when, known.release), when, known.release, name, tuple(k.release for k in kernels.installed),
        packages.holds if packages else (), text, notes=() if packages else (NOT_KEPT,))
    words = f"keep what {known.release} is on this node as {draft.id}"
    if packages is None:
        if not check:
            snapshot_store.write(draft)
            snapshot_store.prune(_newest(draft))
        return told(draft, [words], there=not check)
    needed = _needed(known, packages)
    with apt_lists.at_hand(timeout) as indexes:
        wanted = partial_mirror.want(indexes, packages.installed, needed, _keyrings(), read=not check)
        draft = dc.replace(draft, packages={a.name: a.version for a in wanted.archives.values()})
        fetch, room = [archive.asked for archive in wanted.fetch], wanted.room
        partial_mirror.refuse_room(wanted)
        if not check:
            draft = partial_mirror.make(wanted, draft, timeout)
            snapshot_store.prune(_newest(draft))
    return told(draft, [words], room, fetch, not check)


def _newest(draft: Snapshot) -> list[str]:
    return [s.id for s in snapshot_store.all_of_them()][:snapshot.KEEPS] or [draft.id]


def _kernel(known: Record, kernels: Kernel) -> str:
    """The kernel to go back to, which must be there whole."""
    name = known.kernel or kernels.running
    if not name:
        raise FleetError("kernel", "the running one is unknown, so nobody could say what to go back to")
    here = next((k for k in kernels.installed if k.release == name), None)
    recorded.refuse_kernel(name, bool(here and here.image), bool(here and here.headers), known.source == "dkms")
    return name


def _database() -> Database:
    done = run(["dpkg-query", "--show", f"--showformat={QUERY_FORMAT}"], _QUICK)
    if done.code:
        raise FleetError("dpkg-query", f"ended with {done.code}: {' '.join(done.err.split())}", "repair dpkg first")
    return parse_database(done.out, ("*",))


def _needed(known: Record, packages: Database) -> set[str]:
    """What must be kept: the driver, and ROCm of the release."""
    recorded.refuse_broken(packages.broken)
    found = [f for f in map(rocm_packages.of, packages.installed) if f]
    recorded.refuse_moved(known, {p.name: p for p in packages.installed}, {f.rocm for f in found})
    return {*known.packages, *(f.package.name for f in found)}


def _keyrings() -> list[str]:
    """The keyrings of our sources."""
    found: dict[str, None] = {}
    for path in (managed.AMDGPU_SOURCES, managed.ROCM_SOURCES):
        for line in see(path).content.decode("utf-8", "replace").splitlines():
            name, _colon, value = line.partition(":")
            if name == "Signed-By" and value.strip().startswith("/"):
                found[value.strip()] = None
    return list(found)
