# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From facts about packages to the catalogue's components of ROCm."""

from __future__ import annotations

from typing import Any

Fact = dict[str, Any]


def deb(name: str) -> str:
    """The name in the world of apt. source: ROCm/TheRock:build_tools/packaging/linux/packaging_utils.py"""
    return f"{name.removesuffix('-devel')}-dev" if name.endswith("-devel") else name


def records(facts: list[Fact]) -> list[Fact]:
    """All components, sorted by stream and name."""
    per_gpu = {name for fact in facts for name in fact.get("per_gpu", ())}
    found = []
    for fact in facts:
        names = {name: name for name in (*fact.get("names", ()), *fact.get("per_gpu", ()))} | fact.get("part_of", {})
        for name, package in names.items():
            record = {"name": deb(name), "stream": fact["stream"], "deb": deb(package), "rpm": package}
            flag = {"per_gpu": True} if package in per_gpu else {}
            found.append(record | flag | {"confidence": "documented", "source": fact["source"]})
    return sorted(found, key=lambda r: (r["stream"], r["name"]))
