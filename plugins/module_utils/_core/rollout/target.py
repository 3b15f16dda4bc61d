# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What a node is to become, as one text: failures of a roll-out count as long as the inventory still wants the same."""

from __future__ import annotations

import json
import typing as t

Given = t.Mapping[str, t.Any]


def target(release: Given, partitions: t.Any = "") -> str:
    """The target of a node, for people and to compare.

    Args:
        release: the resolved release as plain data.
        partitions: what the inventory wants of the GPUs' partitions, in any form; empty for nothing.
    """
    driver = release["driver"]
    packages = " ".join(f"{name}={version}" for name, version in sorted(driver["packages"].items()))
    rocm = " and ".join(sorted({rocm["version"] for rocm in (release["rocm"], *release.get("beside", ()))}))
    parts = [
        release["name"], f"kernel {release['kernel']['wanted'] or 'as it is'}",
        f"driver {packages or driver['source']}", f"ROCm {rocm}"]
    if partitions:
        words = partitions if isinstance(partitions, str) else json.dumps(partitions, sort_keys=True)
        parts.append(f"partitions {words}")
    return ", ".join(parts)
