# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What each host of a play asks to be reserved: its variables, and the look at it."""

from __future__ import annotations

import json
import typing as t

from ansible.errors import AnsibleError

from ..module_utils._core.errors import DataError, FleetError
from ..module_utils._core.look.files import Files
from ..module_utils._core.look.gpus import Gpus
from ..module_utils._core.partition.layout import layout, refuse_unknown
from ..module_utils._core.partition.reading import read_capabilities
from ..module_utils._core.plan.managed import RESERVATION_RECORD
from ..module_utils._core.reservation import record, wish
from ..module_utils._core.reservation.demand import Demand
from ..module_utils._core.reservation.device import devices
from ..module_utils._core.reservation.shape import FLEET, Record
from . import partition_files, role_specs
from .plain import from_plain

ROLE = "gpu_reservation"
TENANTS, LIST, SPARES = (f"{ROLE}_{name}" for name in ("tenants", "list", "spares"))
Given = t.Mapping[str, t.Any]


def refuse_misspelt(names: t.Iterable[str], look: str) -> None:
    """Refuse variables of the role that it does not have. ``look``: the variable that the looks are in.

    Raises:
        FleetError: names the variable.
    """
    role_specs.refuse_misspelt(ROLE, (name for name in names if name != look))


def demand(host: str, values: Given, look: Given) -> Demand | None:
    """What a host asks for; None where it asks for nothing and has nothing.

    Args:
        host: its name.
        values: its variables, each templated when it is asked for.
        look: what gpu_node_info said of it, with the sections gpus and files.

    Raises:
        FleetError: a variable is wrong, or the look does not tell what it takes.
    """
    wishes = tuple(wish.wish(raw, f"{LIST}[{place}]") for place, raw in enumerate(_list(_value(values, LIST, []))))
    spares, before = _spares(_value(values, SPARES, None)), _before(_section(Files, look, "files"))
    if not wishes and not spares and before is None:
        return None
    gpus = _section(Gpus, look, "gpus")
    refuse_unknown(gpus)
    known = read_capabilities(partition_files.capabilities(_value(values, partition_files.VARIABLE, [])))
    tenants = wish.tenants(_value(values, TENANTS, {}), TENANTS)
    return Demand(host, devices(gpus, layout(gpus, known)), tenants, wishes, spares, before)


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
        items = variables.get(LIST)
        for item in items if isinstance(items, list) else []:
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


def _list(given: t.Any) -> list[t.Any]:
    if not isinstance(given, list):
        raise DataError(LIST, "is not a list", "write it as [{name: serving, tenant: chat, priority: P0, gpus: 2}]")
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
    found = next((file for file in files.files if file.path == RESERVATION_RECORD), None)
    why = files.unknown.get(f"files.{RESERVATION_RECORD}")
    if found is None or why:
        raise DataError(RESERVATION_RECORD, why or "is not in the look", "look at the node again")
    return None if found.sha256 is None else record.read(found.text or "", RESERVATION_RECORD)
