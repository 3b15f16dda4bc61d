# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What a node records about itself: its release, for the next look and for other plays."""

from __future__ import annotations

import json
import typing as t

from ..look.whole import WholeLook
from . import managed
from .plan import Plan, Step
from .steps import WantedFile, file_steps

if t.TYPE_CHECKING:
    from ..release.resolved import Resolved

ROLE = "gpu_release"


def plan_record(look: WholeLook, wanted: Resolved) -> Plan:
    """The plan of gpu_release: two small files that say what the node is."""
    record = {
        "version": "v1",
        "release": wanted.name,
        "kernel": wanted.kernel.wanted,
        "driver": {"source": wanted.driver.source, "release": wanted.driver.release,
                   "packages": dict(wanted.driver.packages)},
        "rocm": wanted.rocm.version,
    }
    facts = {"release": wanted.name, "driver": wanted.driver.release, "rocm": wanted.rocm.version}
    files = [WantedFile(path, json.dumps(data, indent=2, sort_keys=True) + "\n")
             for path, data in ((managed.RELEASE_RECORD, record), (managed.LOCAL_FACTS, facts))]
    return Plan(ROLE, tuple(file_steps(look, files)))


def plan_reboot(reason: str, allowed: bool) -> Plan:
    """The plan of node_maintenance: a reboot, if one is needed and allowed."""
    if not (reason and allowed):
        return Plan("node_maintenance", reboot=reason)
    return Plan("node_maintenance", (Step("reboot", f"reboot: {reason}", after="rebooted"),), reboot=reason)
