# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What a run is asked, from the options of the module gpu_partition or from the agent's files."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from .._core.errors import FleetError
from .._core.partition.capabilities import Capabilities
from .._core.partition.claims import Claim, read_claims
from .._core.partition.profile import Profile
from .._core.partition.reading import read_capabilities
from .._core.partition.wording import counted
from .._core.records import document
from .._core.release.products import DeviceIds, device_ids
from .._core.strict import Reader

DAY = 24 * 60 * 60
APPLIED, ASSERTED, EXPORTED = "applied", "asserted", "exported"
Plain = t.Mapping[str, t.Any]


@dc.dataclass(frozen=True)
class Known:
    """What is known of products: what they can be, and the PCI ids by which GPUs are named that no driver names."""

    capabilities: Capabilities
    products: tuple[DeviceIds, ...]


@dc.dataclass(frozen=True)
class Request:
    """What is asked.

    Attributes:
        state: applied, asserted, exported.
        known: of products.
        profile: what the GPUs should be; None: they are only looked at.
        accept: standings of pairs that may be taken.
        stop_units: that may be stopped for the change, as the caller wrote them.
        reload_allowed: whether the driver may be reloaded.
        claims: what was promised to tenants.
        timeout: seconds that a set, a reload and the appearance of all GPUs may each take.
        lock_timeout: seconds to wait for another run.
        actor: who asks.
        name: of the profile that is exported.
        check: only say what would be done.
        wait_for_units: for units that are started again; not from within a unit that they themselves wait for.
    """

    state: str
    known: Known
    profile: Profile | None = None
    accept: tuple[str, ...] = ("documented",)
    stop_units: tuple[str, ...] = ()
    reload_allowed: bool = True
    claims: tuple[Claim, ...] = ()
    timeout: int = 300
    lock_timeout: int = 30
    actor: str = "gpu_partition"
    name: str = EXPORTED
    check: bool = False
    wait_for_units: bool = True


def from_options(options: Plain, check: bool) -> Request:
    """The request of the module.

    Raises:
        FleetError: the data of the controller is not there or not right, or an option is not.
    """
    if options["capability_data"] is None:
        raise FleetError("gpu_partition", "does not know what products can be",
                         "call it by its full name: its action plugin brings it")
    profile = None if options["state"] == EXPORTED else profile_of(options["profile_data"], options["gpus"])
    return Request(
        options["state"], known(options["capability_data"], "capability_data"), profile, tuple(options["accept"]),
        tuple(options["stop_units"]), options["reload_allowed"], read_claims(options["reservations"], "reservations"),
        seconds(options["timeout"], "timeout"), seconds(options["lock_timeout"], "lock_timeout", 0),
        options["actor"] or "gpu_partition", options["name"], check)


def known(raw: object, where: str) -> Known:
    """What the controller brings of products: documents of the catalogue and PCI ids.

    Raises:
        DataError: it is not of its form.
    """
    reader = Reader(raw, f"{where}:")
    documents = reader.records("documents", document)
    products = reader.records("products", device_ids)
    reader.done()
    return Known(read_capabilities(documents), products)


def profile_of(document: Plain | None, rules: t.Sequence[Plain]) -> Profile:
    """The profile, from its document or from rules.

    Raises:
        FleetError: neither or both are given, or it is not of its form.
    """
    if document is None:
        if not rules:
            raise FleetError("gpu_partition", "neither profile nor gpus is given", "give one of them")
        return Profile.inline(list(rules), "gpus")
    if rules:
        raise FleetError("gpu_partition", "both profile and gpus are given", "give one of them")
    reader = Reader(document, "profile:")
    path, data = reader.text("path"), reader.anything("data")
    reader.count("layer")
    reader.done()
    return Profile.from_document(data, path)


def seconds(value: int, where: str, least: int = 1) -> int:
    """A time to wait.

    Raises:
        FleetError: nobody waits so long, or so short.
    """
    if value < least:
        raise FleetError(where, f"{value} is too short", f"give at least {counted(least, 'second')}")
    if value > DAY:
        raise FleetError(where, f"{value} is too long", f"give at most {DAY} seconds, which are a day")
    return value
