# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From facts in prose to catalogue records. Every phrase that is understood stands in a table; any other is an error.

A fact keeps its source, and its confidence where it has one; a record without one has that of the fact around it.
"""

from __future__ import annotations

import re
from typing import Any

Fact = dict[str, Any]

OS_IDS = {
    "Azure Linux": "azurelinux", "CentOS": "centos", "Debian": "debian", "Oracle Linux": "ol", "RHEL": "rhel",
    "Rocky Linux": "rocky", "SLES": "sles", "Ubuntu": "ubuntu",
}
# Phrase of user_kernel_compat.per_gpu_notes -> the rule as data. The last one is AMD's for its Kubernetes operator,
# and names GPUs that are not Instinct; MI350P's own first ROCm says the same.
GPU_RULES: dict[str, Fact] = {
    "oldest driver listed with ROCm 7.2.1+ is 6.3.3 (7.2.0 listed 6.3.2-6.3.3)":
        {"name": "mi325x-driver-6.3.3", "rocm_from": "7.2.1", "driver_min": "6.3.3"},
    "driver 30.10 or newer only": {"name": "mi350-driver-30.10", "driver_min": "30.10"},
    "do not use amdgpu 30.20.0": {"name": "mi325x-sriov-not-30.20.0", "virtual": True, "driver_not": ["30.20.0"]},
    "ROCm 7.13+ (amdgpu 6.19+)": {"name": "mi350p-rocm-7.13", "rocm_min": "7.13.0"},
}
FIRST_ROCM: dict[str | None, tuple[str | None, str | None, str]] = {
    None: (None, None, "AMD's support matrices do not name it"),
    "<=5.5": ("5.5.0", None, "ROCm 5.5 or earlier"),
    "7.0.0 (driver 30.10)": ("7.0.0", "30.10", ""),
    "7.13.0 preview / 7.14.0": ("7.13.0", None, "7.13.0 is a preview, 7.14.0 the first production release"),
}
# Reports that do not tell which driver they are about: no record can be made of them.
VAGUE_EVIDENCE = {"7.2.1 installer driver"}


def numbers(version: str) -> tuple[int, ...]:
    """The numbers of a version, for sorting."""
    return tuple(int(part) for part in re.findall(r"\d+", version))


def three(version: str) -> str:
    """6.4.0 for 6.4."""
    return version if version.count(".") == 2 else f"{version}.0"


def os_version(text: str) -> str:
    """15.7 for "15 SP7"."""
    return text.replace(" SP", ".")


def provenance(fact: Fact, default: str = "documented", extra: str = "") -> Fact:
    """The last keys of every record."""
    note = "; ".join(part for part in (fact.get("note", ""), extra) if part)
    confidence = {"confidence": fact.get("confidence", default)}
    return confidence | ({"note": note} if note else {}) | {"source": fact["source"]}


def product(fact: Fact) -> Fact | None:
    """A record of products; None for a GPU whose PCI ids are not known: no node could be seen to have it."""
    if not fact["pci_device_ids"]:
        return None
    first = fact["first_rocm"]
    rocm, driver, extra = FIRST_ROCM.get(first, (first, None, ""))
    return {
        "name": fact["name"], "llvm_target": fact["llvm_target"], "arch": fact["arch"], "series": fact["series"],
        "pci_ids": sorted(fact["pci_device_ids"]), "vf_ids": sorted(fact["vf_pci_device_ids"]),
        "first_rocm": rocm, "first_driver": driver,
    } | provenance(fact, extra=extra)


def gpu_rule(fact: Fact) -> Fact:
    """A record of gpu_limits."""
    names = re.findall(r"\bMI\d+[A-Z]?\b", fact["gpu"])
    return {"name": GPU_RULES[fact["rule"]]["name"], "gpus": names} | GPU_RULES[fact["rule"]] | {
        key: None for key in ("rocm_from", "rocm_min", "driver_min") if key not in GPU_RULES[fact["rule"]]
    } | provenance({"note": fact["rule"], "source": fact["source"]})


def windows(facts: list[Fact]) -> list[Fact]:
    """Records of driver_rocm, one for each line of drivers and confidence."""
    found: dict[tuple[str, str], Fact] = {}
    for fact in facts:
        record = {"driver": fact["driver"], "rocm": fact["rocm"]} | provenance(fact)
        first = found.setdefault((record["driver"], record["confidence"]), record)
        if first is not record:
            first |= {key: [*first[key], *record[key]] for key in ("rocm", "source")}
    return sorted(found.values(), key=lambda w: numbers(w["driver"]))


def evidence(fact: Fact) -> list[Fact]:
    """Records of dkms_evidence: one per kernel of a report."""
    if fact["driver"] in VAGUE_EVIDENCE:
        return []
    driver = re.fullmatch(r"\d+\.\d+\.\d+(?:-(?P<build>\d+))? \((?P<release>[\d.]+)(?: docs)?\)", fact["driver"])
    result = re.fullmatch(r"(ok|fail)(?: \(.*\))?", fact["result"])
    if not driver or not result:
        raise ValueError(f"dkms_build_evidence: not understood: {fact['driver']}, {fact['result']}")
    kernels = re.sub(r" \(.*\)| mainline", "", fact["kernel"]).split(" / ")
    return [{"driver": three(driver["release"]), "build": driver["build"], "kernel": kernel, "result": result[1]}
            | provenance(fact) for kernel in kernels]


def os_rows(fact: Fact, abis: Fact, known: set[str]) -> list[Fact]:
    """The operating systems of a release, each with the GPUs, of those known, that it may have."""
    rows = []
    for row in fact["os"]:
        limits, label = fact.get("gpu_os_limits", {}), f"{row['os']} {row['version']}"
        barred = [*row.get("gpus_except", ()), *_barred(limits, label)]
        kernels, odd = [], ""
        for kernel in row["kernels"]:
            flavour = {"flavour": kernel["flavour"]} if kernel.get("flavour") else {}
            except_ = _barred(limits, f"{label} [{kernel['series']} {kernel.get('flavour')}]")
            series = _series(kernel["series"], abis.get(row["os"], {}).get(row["version"]))
            odd = odd or (f"AMD prints {kernel['series']}, the kernel of another minor release"
                          if series != kernel["series"] else "")
            kernels.append({"series": series} | flavour | ({"gpus_except": except_} if except_ else {}))
        note = "; ".join(text for text in (row.get("note", ""), odd) if text)
        rows.append({"id": OS_IDS[row["os"]], "version": os_version(row["version"]), "kernels": kernels,
                     "gpus": [g for g in row.get("gpus_only", fact["gpus"])
                              if g in fact["gpus"] and g in known and g not in barred]}
                    | provenance({key: fact[key] for key in ("source", "confidence")} | {"note": note}))
    return sorted(rows, key=lambda row: (row["id"], [-n for n in numbers(row["version"])]))


def _series(printed: str, own: str | None) -> str:
    """The series as printed, without what it says of another minor release than this one, whose own series is given."""
    abi = printed.partition("-")[2]
    return printed.partition("-")[0] if own and abi and abi.split(".")[0] != own.partition("-")[2] else printed


def _barred(limits: Fact, label: str) -> list[str]:
    """GPUs that ``gpu_os_limits`` bars from an operating system, or (label with a series) from one of its kernels."""
    barred = []
    for gpus, allowed in limits.items():
        if allowed[0].startswith("all listed except "):
            is_barred = label in allowed[0].removeprefix("all listed except ").split(" and ")
        else:
            is_barred = "[" not in label and label not in allowed
        if is_barred:
            barred += gpus.split("/")
    return barred


def release(fact: Fact, pin: Fact, firmware: list[Fact], abis: Fact, known: set[str]) -> Fact:
    """The record ``release``; ``pin`` is its record ``driver``."""
    name = fact["rocm"]
    kind = " (preview)" if fact["stream"] == "preview" else ""
    return {
        "name": f"rocm-{name}", "title": f"ROCm {name}{kind} with amdgpu {pin['release']}",
        "released": fact["released"], "stream": "legacy" if numbers(name) < (7, 9) else "therock", "rocm": name,
        "driver": pin, "gpus": [gpu for gpu in fact["gpus"] if gpu in known], "os": os_rows(fact, abis, known),
        "firmware": firmware,
    } | provenance(fact)
