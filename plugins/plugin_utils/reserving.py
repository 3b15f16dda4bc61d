# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What each host of a play asks to be reserved: its variables, and the look at it."""

from __future__ import annotations

import itertools
import json
import typing as t

from ansible.errors import AnsibleError

from ..module_utils._core.errors import DataError, FleetError
from ..module_utils._core.health import history, quarantine
from ..module_utils._core.look.files import Files
from ..module_utils._core.look.gpus import Gpus
from ..module_utils._core.partition.layout import layout, refuse_unknown
from ..module_utils._core.partition.reading import read_capabilities
from ..module_utils._core.plan.managed import HEALTH, QUARANTINE, RESERVATION_RECORD
from ..module_utils._core.reservation import record, wish
from ..module_utils._core.reservation.demand import Demand
from ..module_utils._core.reservation.device import devices
from ..module_utils._core.reservation.shape import FLEET, Record
from . import partition_files, role_specs
from .plain import from_plain

ROLE = "gpu_reservation"
TENANTS, LIST, SPARES = (f"{ROLE}_{name}" for name in ("tenants", "list", "spares"))
Given = t.Mapping[str, t.Any]
T = t.TypeVar("T")


def refuse_misspelt(names: t.Iterable[str], look: str) -> None:
    """Refuse variables of the role that it does not have. ``look``: the variable that the looks are in.

    Raises:
        FleetError: names the variable.
    """
    role_specs.refuse_misspelt(ROLE, (name for name in names if name != look and name not in _lists([name])))


def demand(host: str, values: Given, look: Given) -> Demand | None:
    """What a host asks for; None where it asks for nothing and has nothing.

    Args:
        host: its name.
        values: its variables, each templated when it is asked for.
        look: what gpu_node_info said of it, with the sections gpus and files.

    Raises:
        FleetError: a variable is wrong, or the look does not tell what it takes.
    """
    wishes = tuple(wish.wish(raw, f"{name}[{place}]") for name in _lists(values)
                   for place, raw in enumerate(_list(name, _value(values, name, []))))
    files = _section(Files, look, "files")
    spares, before = _spares(_value(values, SPARES, None)), _before(files)
    if not wishes and not spares and before is None:
        return None
    gpus = _section(Gpus, look, "gpus")
    refuse_unknown(gpus)
    known = read_capabilities(partition_files.capabilities(_value(values, partition_files.VARIABLE, [])))
    tenants = wish.tenants(_value(values, TENANTS, {}), TENANTS)
    return Demand(host, devices(gpus, layout(gpus, known)), tenants, wishes, spares, before, _aside(gpus, files))


def refuse_parts(demands: t.Iterable[Demand], others: t.Mapping[str, Given]) -> None:
    """Refuse to fulfil a wish of the fleet by a part of its nodes: the others may have it already.

    Args:
        demands: of the hosts of the play.
        others: variables of the hosts that are not of it, as they are written.

    Raises:
        FleetError: names the wish and the first such host.
    """
    names = {wish.name for one in demands for wish in one.wishes if wish.scope == FLEET}
    for host, variables in sorted(others.items()):
        lists = [variables[name] for name in _lists(variables)]
        for item in itertools.chain.from_iterable(items for items in lists if isinstance(items, list)):
            if isinstance(item, dict) and item.get("scope") == FLEET and item.get("name") in names:
                what = f"is one of the fleet, and {host}, which asks for it too, is not in this play"
                raise FleetError(f"reservation {item['name']}", what, "run it without --limit")


def _value(values: Given, name: str, default: t.Any) -> t.Any:
    """A variable as plain data, without the tags that Ansible puts on what it read."""
    try:
        given = values.get(name)
    except (AnsibleError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise FleetError(name, f"cannot be templated: {' '.join(str(error).split()).rstrip('.')}",
                         "correct it in the inventory") from error
    return default if given is None else json.loads(json.dumps(given, default=str))


def _lists(names: t.Iterable[str]) -> list[str]:
    """The variables that hold wishes: of what a variable says in several groups, Ansible takes the last alone."""
    return sorted(name for name in names if name == LIST or name.startswith(f"{LIST}_"))


def _list(name: str, given: t.Any) -> list[t.Any]:
    if not isinstance(given, list):
        raise DataError(name, "is not a list", "write it as [{name: serving, tenant: chat, priority: P0, gpus: 2}]")
    return given


def _spares(given: t.Any) -> int | None:
    number = int(given) if isinstance(given, str) and given.isascii() and given.isdigit() else given
    if number is not None and (isinstance(number, bool) or not isinstance(number, int) or number < 0):
        raise DataError(SPARES, f"is {given!r}", "write how many GPUs of the node are kept out of all work, or 0")
    return number


def _section(kind: type[t.Any], look: Given, name: str) -> t.Any:
    if look.get(name) is None:
        raise DataError("look", f"has no section {name}", "ask gpu_node_info for it")
    return from_plain(kind, look[name], f"look.{name}")


def _before(files: Files) -> Record | None:
    """What the node was told last. A record that cannot be read is no reason to believe that there is none."""
    text = _text(files, RESERVATION_RECORD)
    return None if text is None else record.read(text, RESERVATION_RECORD)


def _aside(gpus: Gpus, files: Files) -> dict[str, str]:
    """The GPUs that take nothing new: all of a node in quarantine, else those that failed at the last gate."""
    now = _kept(files, QUARANTINE, quarantine.read)
    if now:
        return {gpu.bdf: f"set aside (quarantine {now.words})" for gpu in gpus.gpus}
    last = (_kept(files, HEALTH, history.read) or history.History()).latest
    failed = [gpu for gpu, verdict in last[1].gpus.items() if verdict == "fail"] if last else []
    return dict.fromkeys(failed, f"set aside (failed the gate {last[0]} at {last[1].when})") if last else {}


def _kept(files: Files, path: str, read: t.Callable[[object, str], T]) -> T | None:
    """What the gate keeps on the node. A file that is torn is no sign of health."""
    text = _text(files, path)
    try:
        return None if text is None else read(json.loads(text), path)
    except ValueError as error:
        raise DataError(path, "is not JSON", "let instinct-gate say what is wrong with it") from error


def _text(files: Files, path: str) -> str | None:
    """What a file says; None where there is none."""
    found = next((file for file in files.files if file.path == path), None)
    why = files.unknown.get(f"files.{path}")
    if found is None or why:
        raise DataError(path, why or "is not in the look", "look at the node again")
    return None if found.sha256 is None else found.text or ""
