# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From facts about drivers to the record ``driver`` of a release: each package in the version of each format."""

from __future__ import annotations

import re
from typing import Any

from translate import numbers, provenance, three

Fact = dict[str, Any]

# Package, format -> the facts that tell its version where it was seen, and its form elsewhere.
SEEN = {
    ("amdgpu-dkms-firmware", "deb"): ("firmware_packages", "firmware_forms"),
    ("amdgpu-dkms", "rpm"): ("driver_rpms", "driver_rpm_forms"),
    ("amdgpu-dkms-firmware", "rpm"): ("firmware_rpms", "firmware_rpm_forms"),
}


def pin(fact: Fact, facts: Fact) -> Fact:
    """The record ``driver`` of a release."""
    release, seen, number = three(fact["driver"]), _core(fact, facts), build(fact, facts)
    module = fact["module_version"]
    if not module and "." in seen["core"]:
        module = ".".join(seen["core"].split(".")[:3])
    packages = []
    if number and module:
        words = {"release": release, "module": module, "code": code(release), "build": number}
        packages = [_deb(seen, words), *(_package(name, form, facts, words) for name, form in SEEN)]
    return {"release": release, "module": module, "build": number, "packages": packages} | provenance(fact)


def build(fact: Fact, facts: Fact) -> str | None:
    """The build number of a driver, if it is known."""
    found = re.search(r"\b\d{6,7}\b", _core(fact, facts)["core"])
    return found[0] if found else None


def _core(fact: Fact, facts: Fact) -> Fact:
    """The version of the driver's package as deb, as far as it was seen."""
    seen = next((b for b in facts["driver_builds"] if three(b["driver"]) == three(fact["driver"])), None)
    return seen or {"core": fact["deb_version_core"] or "", "confidence": fact["confidence"], "source": fact["source"]}


def _deb(seen: Fact, words: dict[str, str]) -> Fact:
    full, core = "{module}.{code}-{build}".format(**words), seen["core"]
    if core != full:
        seen = seen | {"confidence": "derived", "note": f"composed from {core}, the module version and the release"}
    return {"name": "amdgpu-dkms", "format": "deb", "version": f"1:{full}{{dist}}"} | provenance(seen)


def _package(name: str, form: str, facts: Fact, words: dict[str, str]) -> Fact:
    seen, forms = (facts[section] for section in SEEN[name, form])
    record = {"name": name, "format": form}
    for fact in seen:
        if fact["driver"] == words["release"]:
            return record | {"version": fact["version"]} | provenance(fact)
    like = next(f for f in forms if numbers(words["release"]) < numbers(f["before"]))
    return record | {"version": like["form"].format(**words) + "{dist}", "confidence": "derived",
                     "note": f"has the form of {like['example']}", "source": like["source"]}


def code(release: str) -> str:
    """60401 for 6.4.1, 30300300 for 30.30.3."""
    major, minor, patch = numbers(release)
    return f"{major}{minor:02d}{patch:02d}" + ("" if major < 10 else "00")
