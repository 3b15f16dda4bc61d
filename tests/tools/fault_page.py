# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/faults.md: every fault that is known by its lines in logs, by who has to act."""

from __future__ import annotations

import typing as t
from pathlib import Path

import yaml
from pages import DATA, Record, cell

HEAD = """\
# Faults that logs show

<!-- Written by `make docs` from {data}/faults: change those, not this page. -->

{count} faults, known by their lines in the kernel log and in those of DKMS, package managers, containers, libraries and
tools. A line alone is not enough: rules of context say what else must hold (*if*), what is a consequence is told under
its cause, and a fault of a workload never takes a GPU out of work.

`info` changes nothing, `warning` is for the next maintenance, `error` takes the GPU or node out of work, `critical`
says that it may not come back without hands. *Gate* is what the health gate makes of the fault in this boot.

A site adds faults, or replaces one by its id, in a file of the same form in a directory of `gpu_health_catalogue_dirs`.
"""
# Domain -> heading, those of the machine first.
DOMAINS = {
    "hardware": "Hardware", "pcie": "PCIe and BIOS", "fabric": "Links and NICs", "firmware": "Firmware",
    "driver": "Driver", "packages": "Packages", "configuration": "Configuration", "container": "Containers",
    "workload": "Workload",
}
COLUMNS = ("fault", "shows in", "if", "severity", "gate", "cause", "remedy", "sources")


def rule(record: Record) -> str:
    """A rule of context: not followed by `gpu-ready`."""
    kind, value = next((kind, value) for kind, value in record.items() if kind not in ("unknown", "within"))
    said = f"{kind.replace('_', ' ')} `{str(value).lower()}`"
    said += f" within {record['within']} lines" if "within" in record else ""
    return f"{said} or not known" if "unknown" in record else said


def row(fault: Record) -> str:
    """The row of a fault."""
    rules = [f"on {', '.join(fault['products'])}"] if "products" in fault else []
    rules += [f"not on {', '.join(fault['not_products'])}"] if "not_products" in fault else []
    rules += map(rule, fault.get("when", ()))
    cells = (f"`{fault['id']}` {fault['title']}", fault["where"], ", ".join(rules) or "-", fault["severity"],
             fault["gate"], fault["cause"], fault["remedy"], f"{'; '.join(fault['sources'])} ({fault['confidence']})")
    return f"| {' | '.join(map(cell, cells))} |\n"


def page(faults: t.Sequence[Record]) -> str:
    """The whole page."""
    lines = [HEAD.format(data=DATA, count=len(faults))]
    for domain, title in DOMAINS.items():
        lines.append(f"\n## {title}\n\n| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}\n")
        lines += [row(fault) for fault in faults if fault["domain"] == domain]
    return "".join(lines)


def pages(root: Path) -> dict[Path, str]:
    """The page as it must be."""
    files = sorted((root / DATA / "faults").glob("*.yml"))
    faults = [fault for path in files for fault in yaml.safe_load(path.read_text(encoding="utf-8"))["faults"]]
    return {root / "docs" / "faults.md": page(faults)}
