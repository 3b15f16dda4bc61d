# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""A node as its record says: groups, files, permissions of device nodes, and those who read the files. One way for
the module, the service at boot, and the timer of windows."""

from __future__ import annotations

import contextlib
import dataclasses as dc
import functools
import time
import typing as t

from .._act.clock import ticks
from .._act.files import replace_all, see
from .._act.lock import node_lock
from .._act.outcome import Outcome
from .._act.process import uninterrupted
from .._core.act.fileset import Change, changes
from .._core.errors import FleetError
from .._core.look.shape import Gpus
from .._core.partition.capabilities import Capabilities
from .._core.partition.layout import layout, refuse_unknown
from .._core.reservation import (
    text_access,
    text_foreign,
    text_groups,
    text_kubernetes,
    text_marks,
    text_set,
    text_slurm,
)
from .._core.reservation.device import devices
from .._core.reservation.shape import Record
from .._core.reservation.text_access import Access, Node
from .._core.reservation.text_names import DROP_IN
from .._core.reservation.text_now import devices_of, located, standing
from .._core.reservation.text_set import Settings
from .._look.sight import Sight
from .._node.apart import UnreadableError
from .._node.machine import Machine
from . import accounts, doors, managers
from .facts import seen as seen_facts

_LOOK = 60  # seconds
_MANY = 5


@dc.dataclass(frozen=True)
class Request:
    """What is asked.

    Attributes:
        record: what the node is told; None: nothing is reserved on it.
        settings: what the site chose, and what the last set brought.
        render_gid: number of the render group; None: what it is.
        check: nothing is changed.
        lock_timeout: seconds to wait for another run.
        wait: seconds to wait for devices that are not there, as at a boot; then it is done for those that are, and for
            users that the node knows. None: what is not there is refused.
        reload: systemd reads its files anew in any case, for a policy leaves out devices that are not there.
    """

    record: Record | None
    settings: Settings
    render_gid: int | None = None
    check: bool = False
    lock_timeout: float = 30
    wait: float | None = None
    reload: bool = False


@dc.dataclass(frozen=True)
class _Plan:
    here: Record
    now: Record
    before: tuple[text_groups.Step, ...]
    files: tuple[Change, ...]
    after: tuple[text_groups.Step, ...]
    access: t.Mapping[str, Access]
    doors: tuple[tuple[str, Access | None, Access], ...]
    commands: tuple[tuple[str, ...], ...]
    unknown_users: tuple[str, ...]

    @property
    def actions(self) -> tuple[str, ...]:
        """What is done, in words. Of many device nodes that become the same their number."""
        paths: dict[str, list[str]] = {}
        for path, _found, wanted in self.doors:
            paths.setdefault(wanted.text, []).append(path)
        doors_set = (f"set {' '.join(some) if len(some) < _MANY else f'{len(some)} device nodes'} to {text}"
                     for text, some in paths.items())
        return (*(step.words for step in self.before), *(change.words for change in self.files),
                *(step.words for step in self.after), *doors_set, *map(" ".join, self.commands))


def run(asked: t.Callable[[], Request]) -> Outcome:
    """Bring the node there, or say what that would take. What is asked is read again once no other acts on the node.

    Raises:
        FleetError: it is refused before the first change, or a step failed; a run that is repeated goes on from there.
    """
    request = asked()
    if request.check:
        return _told(request, _decided(request))
    for _gone in ticks(request.wait, 1.0) if request.wait else ():  # others may act on the node meanwhile
        with contextlib.suppress(FleetError):  # what is unknown is not there yet
            if not missing(_here(request)[0]):
                break
    with node_lock(request.lock_timeout):
        request = asked()
        plan = _decided(request)
        with uninterrupted():
            _carry_out(plan, request)
    return _told(request, plan)


def _decided(request: Request) -> _Plan:
    here, nodes = _here(request)
    at = time.time()
    now = standing(here, at, time.localtime(at).tm_gmtoff // 60)
    seen, settings = accounts.seen(text_groups.users(here)), request.settings
    before = text_groups.leaving(settings.groups, settings.users, here, seen)
    after: tuple[text_groups.Step, ...] = ()
    if request.record is None:
        access, wanted = text_access.released(nodes), text_set.nothing(settings)
    else:
        if request.wait is None:
            text_groups.refuse(here, seen, settings.groups)
        before += text_groups.making(here, seen, request.render_gid)
        after = text_groups.joining(here, seen)
        access, wanted = text_access.access(now, nodes), text_set.texts(request.record, here, now, settings, seen)
    there = {file.path: see(file.path) for file in wanted}
    files = changes(text_foreign.ours(wanted, there, request.wait is None), there)
    found = {path: doors.seen(path) for path in access}
    differ = tuple((path, found[path], one) for path, one in access.items() if found[path] != one)
    commands = managers.told({change.wanted.path for change in files},
                             {file.path for file in wanted if file.content is not None}, request.reload)
    return _Plan(here, now, before, files, after, access, differ, commands, text_groups.unknown(here, seen))


def _here(request: Request) -> tuple[Record, tuple[Node, ...]]:
    """The record with its devices where they are now, and the device nodes."""
    record = request.record or Record()
    machine = Machine(timeout=_LOOK)
    gpus = Sight(machine).take(("gpus",)).gpus or Gpus()
    refuse_unknown(gpus)
    here = located(record, devices(gpus, layout(gpus, Capabilities({}))))
    if request.wait is None and missing(here):
        raise FleetError(f"device {missing(here)[0]}", "is not there now", "look at the node, then plan anew")
    try:
        return here, doors.nodes(machine, [gpu.bdf for gpu in gpus.gpus])
    except UnreadableError as error:
        raise FleetError("device nodes", f"are unknown: {error}", "mend that on the node, then run again") from error


def missing(here: Record) -> tuple[str, ...]:
    """Devices that are not there."""
    return tuple(device.id for device in devices_of(here) if device.render_node is None)


def _carry_out(plan: _Plan, request: Request) -> None:
    """The command gives and takes devices even where files cannot be written, as on a full disk, for a window has
    turned."""
    with managers.until_told(plan.commands):
        failed = _failure(lambda: _write(plan))
        if failed and request.wait is None:
            raise failed
        puts = [functools.partial(doors.put, path, wanted) for path, _found, wanted in plan.doors]
        failures = [one for one in (failed, *map(_failure, puts)) if one]
        if failures:
            raise failures[0]
        managers.tell(plan.commands)
    if request.record is not None and any(command[0] == "udevadm" for command in plan.commands):
        managers.settle()
        for path, wanted in plan.access.items():
            if doors.seen(path) != wanted:
                doors.put(path, wanted)


def _write(plan: _Plan) -> None:
    """Who leaves goes first, and who is brought in comes once the settings tell of it, so a later run can go on."""
    accounts.carry_out(plan.before)
    replace_all(plan.files)
    accounts.carry_out(plan.after)


def _failure(act: t.Callable[[], None]) -> Exception | None:
    try:
        act()
    except (FleetError, OSError) as error:
        return error
    return None


def _told(request: Request, plan: _Plan) -> Outcome:
    written = [change.wanted.path for change in plan.files]
    settings, record = request.settings, request.record
    slurm = {settings.slurm.gres, settings.slurm.cgroup} & set(written)
    values: dict[str, t.Any] = {
        "settings": [], "slurm": {}, "kubernetes": {},
        "written": written,
        "restart": ["slurmd.service"] if slurm else [],
        "pending": _pending(plan.files),
        "holds": [grant.wish.name for grant in plan.now.grants],
        "missing": list(missing(plan.now)),
        "unknown_users": list(plan.unknown_users),
    }
    if record is not None:
        resources = text_slurm.resources(plan.here, settings.slurm.cores)
        facts = seen_facts(Machine(timeout=_LOOK), settings.slurm)
        values["settings"] = list(map(dc.asdict, text_marks.marks(plan.now, settings, facts)))
        values["slurm"] = {"gres": list(resources.lines), "definition": resources.definition}
        values["kubernetes"] = text_kubernetes.told(plan.now)
    diff = tuple(change.diff() for change in plan.files)
    if plan.doors:
        diff += ({"before_header": "device nodes", "after_header": "device nodes",
                  "before": "".join(f"{path} {_text(found)}\n" for path, found, _wanted in plan.doors),
                  "after": "".join(f"{path} {wanted.text}\n" for path, _found, wanted in plan.doors)},)
    return Outcome(plan.actions, diff, values)


def _pending(files: t.Iterable[Change]) -> list[str]:
    """Services whose slice and environment are new: they have them once they are started anew."""
    paths = (change.wanted.path for change in files)
    return sorted(path.split("/")[-2][:-2] for path in paths if path.endswith(f".service.d/{DROP_IN}"))


def _text(found: Access | None) -> str:
    return found.text if found else "something else"
