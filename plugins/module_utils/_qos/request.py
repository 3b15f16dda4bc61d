# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What a run is asked, from the options of the module gpu_qos or from the files of its command."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from .._core.errors import FleetError
from .._core.qos.products import Products, read_products
from .._core.qos.profile import Profile
from .._core.qos.schedule import Entry, read_schedule
from .._core.records import document
from .._core.release.products import DeviceIds, device_ids
from .._core.strict import Reader

APPLIED, ASSERTED, RESTORED = STATES = ("applied", "asserted", "restored")
REFUSE, SAY = POLICIES = ("refuse", "say")
DAY = 24 * 60 * 60
Plain = t.Mapping[str, t.Any]


@dc.dataclass(frozen=True)
class Known:
    """What is known of products: what they take, and the PCI ids by which they are known."""

    products: Products
    ids: tuple[DeviceIds, ...]


@dc.dataclass(frozen=True)
class Request:
    """What is asked.

    Attributes:
        state: applied, asserted, restored.
        known: of products.
        profiles: all that base and schedule name.
        base: the name of the profile outside of all windows; empty: the state before profiles.
        schedule: profiles of windows.
        gpus: PCI addresses of the GPUs that are meant; none: all.
        refuse: what cannot be had is refused, and else said and left out.
        timeout: seconds that a look, and one in which is set, may take.
        lock_timeout: seconds to wait for another run.
        actor: who asks.
        check: only say what would be done.
    """

    state: str
    known: Known
    profiles: t.Mapping[str, Profile] = dc.field(default_factory=dict)
    base: str = ""
    schedule: tuple[Entry, ...] = ()
    gpus: tuple[str, ...] = ()
    refuse: bool = True
    timeout: int = 60
    lock_timeout: int = 30
    actor: str = "gpu_qos"
    check: bool = False


def from_options(options: Plain, check: bool) -> Request:
    """The request of the module.

    Raises:
        FleetError: the data of the controller is not there or not right, or an option is not.
    """
    if options["product_data"] is None:
        raise FleetError("gpu_qos", "does not know what products take",
                         "call it by its full name: its action plugin brings it")
    return request(options["state"], known(options["product_data"], "product_data"), options,
                   options["profile_data"], "", options["actor"] or "gpu_qos", check)


def request(state: str, known_: Known, options: Plain, documents: t.Sequence[Plain], where: str, actor: str,
            check: bool = False) -> Request:
    """A request from plain data; ``where`` stands before the names of options in messages."""
    profiles = [Profile.from_document(document["data"], document["path"]) for document in documents]
    found = Request(
        state, known_, {profile.name: profile for profile in profiles}, options["profile"],
        read_schedule(options["schedule"], f"{where}schedule"), tuple(gpu.lower() for gpu in options["gpus"]),
        options["unsupported"] == REFUSE, _seconds(options["timeout"], f"{where}timeout", 1),
        _seconds(options["lock_timeout"], f"{where}lock_timeout", 0), actor, check)
    for name in (found.base, *(entry.profile for entry in found.schedule)):
        if name and name not in found.profiles:
            raise FleetError(f"{where}profile", f"there is no profile {name!r} in what was given",
                             "call it by its full name: its action plugin brings it")
    return found


def known(raw: object, where: str) -> Known:
    """What the controller brings of products: documents of the catalogue and PCI ids.

    Raises:
        DataError: it is not of its form.
    """
    reader = Reader(raw, f"{where}:")
    documents = reader.records("documents", document)
    ids = reader.records("products", device_ids)
    reader.done()
    return Known(read_products(documents), ids)


def _seconds(value: int, where: str, least: int) -> int:
    if not least <= value <= DAY:
        raise FleetError(where, f"is {value}", f"give {least} to {DAY} seconds")
    return value
