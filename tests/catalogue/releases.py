# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From facts to releases: each ROCm with the driver that AMD pairs it with, and what sites measured."""

from __future__ import annotations

import re
from typing import Any

import drivers
import firmware
import translate
from translate import numbers, provenance, three

Fact = dict[str, Any]

SAME = "same number as ROCm"  # what AMD's tables amount to before ROCm 7.0


def exact(facts: Fact) -> list[Fact]:
    """The ROCm releases that are one version: 10.2.x is the mention of a line."""
    return [fact for fact in facts["rocm_releases"] if re.fullmatch(r"[\d.]+", fact["rocm"])]


def records(facts: Fact) -> list[Fact]:
    """All releases: AMD's, then those that sites measured."""
    return [_release(facts, fact) for fact in exact(facts)] + [_site(facts, site) for site in facts["site_releases"]]


def _release(facts: Fact, fact: Fact) -> Fact:
    driver, note = pair(facts, fact)
    pin = drivers.pin(driver, facts)
    if note:
        pin |= {"confidence": "derived", "note": note}
    rows = [firmware.row(row, fact["confidence"]) for row in fact["firmware"]]
    known = {gpu["name"] for gpu in facts["gpus"] if gpu["pci_device_ids"]}
    return translate.release(fact, pin, rows, facts["kernel_abis"], known)


def pair(facts: Fact, fact: Fact) -> tuple[Fact, str]:
    """The driver of a ROCm release, and a note where AMD does not settle it."""
    known = {three(driver["driver"]): driver for driver in facts["drivers"] if "x" not in driver["driver"]}
    for choice in facts["pairs"]:
        if choice["rocm"] == fact["rocm"]:
            return known[choice["driver"]], choice["note"]
    if fact["driver"] == SAME:
        own = {"driver": fact["rocm"], "module_version": None, "deb_version_core": None, "confidence": "documented",
               "source": fact["source"]}
        return known.get(fact["rocm"], own), ""
    paired = [d for d in known.values() if fact["rocm"] in map(three, re.findall(r"\d+(?:\.\d+)+", d["paired_rocm"]))]
    if not paired:
        raise ValueError(f"no driver is paired with ROCm {fact['rocm']}")
    return max(paired, key=lambda d: (d["confidence"] == "documented", bool(drivers.build(d, facts)),
                                      [-n for n in numbers(d["driver"])])), ""


def _site(facts: Fact, site: Fact) -> Fact:
    """A release that operators measured: what is AMD's in it stands for what they had."""
    fact = next(f for f in exact(facts) if f["rocm"] == site["rocm"])
    base, system = _release(facts, fact), site["os"]
    own = provenance(site, "third_party")
    pin = base["driver"] | {"confidence": "third_party"}
    pin["packages"] = [package | {"confidence": "third_party"} for package in pin["packages"]]
    series = {"series": system["series"]} | ({"flavour": system["flavour"]} if "flavour" in system else {})
    row = {"id": translate.OS_IDS[system["os"]], "version": system["version"], "kernels": [series],
           "gpus": site["gpus"]} | own
    return base | {"name": site["name"], "title": f"{base['title']} as measured on {system['os']} {system['version']}",
                   "released": None, "driver": pin, "gpus": site["gpus"], "os": [row], "firmware": []} | own
