# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What an eviction is asked, from the options of the module gpu_evict."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from .._core.errors import FleetError
from .._core.eviction.order import plan, refuse_classes
from .._core.eviction.protection import mixed_precision, read_samples
from .._core.eviction.rules import read_rules
from .._core.eviction.select import selected
from .._core.eviction.shape import TRESPASSERS, Plan, Request, Rules
from .._core.reservation.shape import Record
from .eyes import View

DAY = 24 * 60 * 60
Plain = t.Mapping[str, t.Any]


@dc.dataclass(frozen=True)
class Asked:
    """What is asked of any node.

    Attributes:
        options: of the module.
        rules: the numbers.
        recognised: ids of devices on which samples show a mixed precision job.
    """

    options: Plain
    rules: Rules
    recognised: frozenset[str]

    def decide(self, view: View) -> tuple[Request, Plan]:
        """What is asked of this node, and what is done there.

        Raises:
            FleetError: it does not have what is named, or P0 would be evicted.
        """
        given, record = self.options, view.record or Record()
        devices = selected(given["devices"], given["reservation"], given["tenant"], record, view.devices)
        if given["whom"] == TRESPASSERS and view.record is None:
            what = "was never told of reservations, so nobody trespasses"
            raise FleetError("this node", what, "reserve first, or evict with whom=all")
        request = Request(devices, given["whom"], tuple(given["classes"]), given["checkpoint"], given["grace"],
                          given["kill_allowed"], given["reset_allowed"], given["protection"])
        return request, plan(request, view.holders, record, self.rules, self.recognised)


def asked(options: Plain) -> Asked:
    """What can be told without a look.

    Raises:
        FleetError: the data of the controller is not there, or an option is not right.
    """
    if options["rules_data"] is None:
        hint = "call it by its full name: its action plugin brings them"
        raise FleetError("gpu_evict", "does not know its rules", hint)
    refuse_classes(options["classes"], options["grace"])
    times = {name: options[name] for name in ("lock_timeout", "sample_seconds")}
    for name, value in {**times, **options["grace"]}.items():
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= DAY:
            raise FleetError(name, f"is {value!r}", f"give 0 to {DAY} whole seconds")
    rules = read_rules(options["rules_data"])
    samples = read_samples(options["samples"])
    return Asked(options, rules, frozenset(one.device for one in samples if mixed_precision(one, rules)))
