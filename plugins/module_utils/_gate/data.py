# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What the agent knows: profiles, faults and what was declared of the node, as the role wrote it."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from .._act.documents import read_json
from .._core.faults.catalogue import FaultCatalogue
from .._core.health.sample import Wanted
from .._core.records import document
from .._core.release.products import DeviceIds, device_ids
from .._core.strict import Reader

VERSION, KIND = "v1", "gate_data"
HINT = "let the role gpu_health write it anew"


@dc.dataclass(frozen=True)
class AgentData:
    """Attributes: profiles as (path, document), faults, the profile to use, what was declared, whether failing sets the
    node aside (None: as the profile says), and PCI device ids of products."""

    profiles: tuple[tuple[str, object], ...]
    faults: FaultCatalogue
    profile: str
    wanted: Wanted
    quarantine: bool | None
    products: tuple[DeviceIds, ...]


def read(path: str) -> AgentData:
    """The data of the agent.

    Raises:
        FleetError: the file is not there, or not of its form.
    """
    return parse(read_json(path, HINT), path)


def parse(raw: object, where: str) -> AgentData:
    """The same from plain data. Errors as of ``read``."""
    reader = Reader(raw, f"{where}:")
    reader.choice("version", (VERSION,))
    reader.choice("kind", (KIND,))
    profiles = reader.records("profiles", lambda r: (r.text("path"), r.anything("data")))
    documents = reader.records("faults", document)
    also, name = reader.texts("also", ()), reader.text("profile")
    wanted = reader.record("wanted", wishes)
    quarantine = reader.flag("quarantine", False) if reader.anything("quarantine") is not None else None
    products = reader.records("products", device_ids)
    reader.done()
    faults = FaultCatalogue.from_documents(documents, also, proved=True)
    return AgentData(profiles, faults, name, wanted, quarantine, products)


def wishes(reader: Reader) -> Wanted:
    """What was declared of the node."""
    return Wanted(reader.count("gpus"), reader.text("compute_partition", "") or None,
                  reader.text("memory_partition", "") or None)


def plain(
    profiles: t.Iterable[tuple[str, object]], known: t.Mapping[str, t.Any], profile: str, wanted: t.Mapping[str, t.Any],
    quarantine: bool | None,
) -> dict[str, t.Any]:
    """What ``parse`` takes. ``known``: documents of faults, the ids that they may name besides, and products."""
    return {
        "version": VERSION, "kind": KIND, "profile": profile, "quarantine": quarantine,
        "wanted": {name: value for name, value in wanted.items() if value is not None},
        "profiles": [{"path": path, "data": data} for path, data in profiles],
        "faults": known["documents"], "also": known["also"], "products": known["products"],
    }
