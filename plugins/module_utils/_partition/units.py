# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Units of systemd that are stopped for a change, and noted first: whoever comes next starts them again."""

from __future__ import annotations

import dataclasses as dc
import json
import typing as t

from .._act.clock import ticks
from .._act.files import replace_all, see
from .._act.process import run
from .._core.act.fileset import Wanted, changes
from .._core.errors import DataError, FleetError
from .._core.partition.unit_names import unit_names
from .._core.strict import Reader

NOTE = "/var/lib/instinct/partition-units.json"
VERSION = "v1"
_UP = frozenset({"active", "reloading", "refreshing"})
_RUNS = _UP | {"activating"}
# By these a stop goes on to other units. source: systemd.unit(5), MAPPING OF UNIT PROPERTIES TO THEIR INVERSES
_TAKES = ("RequiredBy", "RequisiteOf", "BoundBy", "ConsistsOf", "PropagatesStopTo")
_ASKED = ("LoadState", "ActiveState", "Job", "Type", "Transient", "CanStart", *_TAKES)
_ASK = 30  # seconds for systemd to say what it knows


@dc.dataclass(frozen=True)
class Unit:
    """A unit as systemd knows it.

    Attributes:
        there: there is such a unit.
        runs: it is active, or about to be.
        failed: it has failed, and nothing will be tried again.
        up: it is active; one that runs once and ends is as soon as it has begun.
        lasts: it can be started again after a stop.
        takes: other units that a stop of it stops, too.
    """

    name: str
    there: bool
    runs: bool
    failed: bool = False
    up: bool = False
    lasts: bool = True
    takes: tuple[str, ...] = ()


@dc.dataclass(frozen=True)
class OwedDriver:
    """The module that is put in again, and how many GPUs it showed."""

    version: str
    srcversion: str
    gpus: int


@dc.dataclass(frozen=True)
class Note:
    """What a run owes the node.

    Attributes:
        boot: of which start of the node it speaks; the next one starts what is enabled by itself.
        units: to be started again.
        driver: that is taken out to be put in again; None if none is.
    """

    boot: str
    units: tuple[str, ...]
    driver: OwedDriver | None = None


def ask(units: t.Sequence[str]) -> tuple[Unit, ...]:
    """What systemd knows of units, in their order.

    Raises:
        FleetError: systemd does not answer.
    """
    if not units:
        return ()
    done = run(["systemctl", "show", f"--property={','.join(_ASKED)}", "--", *units], _ASK)
    blocks = [dict(line.split("=", 1) for line in block.splitlines() if "=" in line)
              for block in done.out.strip().split("\n\n")]
    if done.code or len(blocks) != len(units):
        raise FleetError("systemctl show", _why(done.err, done.code), "list no units where systemd does not run")
    return tuple(_unit(name, block) for name, block in zip(units, blocks))


def _unit(name: str, block: t.Mapping[str, str]) -> Unit:
    state = block.get("ActiveState", "")
    takes = {other for key in _TAKES for other in block.get(key, "").split()}
    return Unit(
        name, block.get("LoadState") != "not-found", state in _RUNS, state == "failed" and not block.get("Job"),
        state in _UP or (state == "activating" and block.get("Type") == "oneshot"),
        block.get("Transient") != "yes" and block.get("CanStart") != "no", tuple(sorted(takes - {name})))


def refuse_losing(listed: t.Sequence[Unit]) -> None:
    """Refuse to stop units that would not come back, or that would take others with them that nobody has listed.

    Raises:
        FleetError: names the units.
    """
    seen = {unit.name: unit for unit in listed}
    lost = [unit.name for unit in listed if unit.runs and not unit.lasts]
    if lost:
        raise FleetError(f"unit {lost[0]}", "could not be started again once it is stopped: it is transient or masked",
                         "end it yourself")
    while more := sorted({name for unit in seen.values() if unit.runs for name in unit.takes} - set(seen)):
        seen.update({unit.name: unit for unit in ask(more)})
    names_listed = {unit.name for unit in listed}
    dragged = sorted(unit.name for unit in seen.values() if unit.runs and unit.name not in names_listed)
    if dragged:
        raise FleetError(", ".join(dragged), "would be stopped by systemd together with the units that may be stopped",
                         "list them in gpu_partition_stop_units too")


def stop(units: t.Sequence[str], timeout: float) -> None:
    """Stop units and wait for their end.

    Raises:
        FleetError: systemd could not, in time.
    """
    done = run(["systemctl", "stop", "--", *units], timeout)
    if done.code:
        why = f"did not end within {timeout:.0f} s" if done.timed_out else _why(done.err, done.code)
        raise FleetError("systemctl stop " + " ".join(units), why, "find out why they do not end")


def start(units: t.Sequence[str], timeout: float, wait: bool) -> dict[str, str]:
    """Start units, each by itself. Returns those that did not come, with the reason."""
    failed = {}
    for name in units:
        done = run(["systemctl", "start", "--no-block", "--", name], _ASK)
        if done.code:
            failed[name] = _why(done.err, done.code)
    left = [name for name in units if name not in failed]
    for _gone in ticks(timeout) if wait and left else ():
        said = ask(left)
        failed.update({unit.name: "failed; read its log (journalctl -u)" for unit in said if unit.failed})
        left = [unit.name for unit in said if not unit.failed and not unit.up]
        if not left:
            break
    return {**failed, **(dict.fromkeys(left, f"is not active after {timeout:.0f} s") if wait else {})}


def _why(err: str, code: int) -> str:
    return " ".join(err.split()).rstrip(".") or f"ended with {code}"


def read() -> Note | None:
    """What an earlier run still owes; None if nothing.

    Raises:
        FleetError: the file cannot be read, or is not of its form.
    """
    seen = see(NOTE)
    if seen.kind == "absent":
        return None
    try:
        reader = Reader(json.loads(seen.content), f"{NOTE}:")
        reader.choice("version", (VERSION,))
        driver = reader.record("driver", _driver) if reader.has("driver") else None
        note = Note(reader.text("boot", ""), unit_names(reader.texts("units")), driver)
        reader.done()
    except (ValueError, RecursionError, DataError) as error:
        raise DataError(NOTE, "is not what a run writes there",
                        "start the units that it names by hand, then remove it") from error
    return note


def _driver(reader: Reader) -> OwedDriver:
    return OwedDriver(reader.text("version", ""), reader.text("srcversion", ""), reader.count("gpus") or 0)


def write(note: Note) -> None:
    """Note what is owed, on the disk when this returns.

    Raises:
        FleetError: it cannot be written.
    """
    data: dict[str, t.Any] = {"version": VERSION, "boot": note.boot, "units": list(note.units)}
    if note.driver:
        data["driver"] = dc.asdict(note.driver)
    _replace((json.dumps(data, sort_keys=True) + "\n").encode())


def settle(left: Note) -> None:
    """Note what is still owed; nothing is noted where that is nothing. Errors as of ``write``."""
    if left.units or left.driver:
        write(left)
    else:
        _replace(None)


def _replace(content: bytes | None) -> None:
    replace_all(changes((Wanted(NOTE, content),), {NOTE: see(NOTE)}))
