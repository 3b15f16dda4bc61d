# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What a gate on a node needs of the catalogue: profiles and faults as plain data."""

from __future__ import annotations

import typing as t

from ..module_utils._core.health.inherit import resolve
from ..module_utils._gate.data import plain
from . import diagnosis_files
from .node_data import product_ids, short, shortened

VARIABLE = "gpu_health_profile"


def profile(directories: t.Sequence[str], name: str) -> dict[str, t.Any]:
    """One profile, whole.

    Raises:
        FleetError: there is no such profile, or a file is not right.
    """
    data = diagnosis_files.read(tuple(directories))
    return resolve([(document["path"], document["data"]) for document in data.profiles], name, VARIABLE)


def faults(directories: t.Sequence[str]) -> dict[str, t.Any]:
    """The documents of faults that hold on a node, the ids that they may name besides, and PCI ids of products.

    Raises:
        FleetError: a file is not right.
    """
    data = diagnosis_files.read(tuple(directories))
    return {"documents": [shortened(document) for document in data.logs], "also": sorted(data.also),
            "products": product_ids()}


def agent(
    directories: t.Sequence[str], name: str, wanted: t.Mapping[str, t.Any], quarantine: bool | None,
) -> dict[str, t.Any]:
    """All profiles and faults for the agent, with the profile that it uses. Errors as of ``profile``."""
    data, known = diagnosis_files.read(tuple(directories)), faults(directories)
    profile(directories, name)
    profiles = [(short(document["path"]), document["data"]) for document in data.profiles]
    return plain(profiles, known, name, wanted, quarantine)
