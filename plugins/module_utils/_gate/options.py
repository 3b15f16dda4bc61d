# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""From the options of the module gpu_health_gate to what it asks."""

from __future__ import annotations

import typing as t

from .._core.errors import FleetError
from .._core.faults.catalogue import FaultCatalogue
from .._core.health.profile import Profile
from .._core.health.sample import Wanted
from .._core.release.products import device_ids
from .._core.strict import Reader
from .gate import Request


def request(options: t.Mapping[str, t.Any]) -> Request:
    """What is asked.

    Raises:
        FleetError: the data of the controller is not there or not right, or a time is none.
    """
    if options["profile_data"] is None or options["fault_data"] is None:
        raise FleetError("gpu_health_gate", "has no profile", "call it by its full name: its action plugin brings it")
    profile = Profile.from_document(options["profile_data"], options["profile"])
    if options["timeout"] < 1:
        raise FleetError("timeout", f"{options['timeout']} is too short", "give at least 1 second")
    faults = options["fault_data"]
    wait = options["wait"]
    settle = profile.settle_seconds if wait and wait["timeout"] is None else (wait or {"timeout": 0})["timeout"]
    return Request(
        profile, FaultCatalogue.from_documents(faults["documents"], faults["also"], proved=True),
        options["actor"] or "gpu_health_gate", Wanted(**(options["wanted"] or {})), wait=max(settle, 0),
        interval=wait["interval"] if wait else 5, timeout=options["timeout"], baseline=options["baseline"],
        active=options["active"], record=options["record"], quarantine=options["quarantine"],
        products=Reader(faults, "fault_data").records("products", device_ids),
    )
