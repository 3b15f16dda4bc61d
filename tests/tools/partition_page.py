# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/partitions.md: what each product can be, how well that is known, and the profiles with a name."""

from __future__ import annotations

import typing as t
from pathlib import Path

import yaml
from pages import Record, cell

DATA = "roles/gpu_partition/files/partitioning"
HEAD = """\
# What GPUs can be partitioned into

<!-- Written by `make docs` from {data}: change that, not this page. -->

A compute mode divides the XCDs of a GPU among logical devices, a memory mode divides its memory. Pairs that are not
listed here are refused. *Standing* is how well a pair is known, by version of the driver's module; the kernel's own
driver has no version and counts as the newest:

* `documented`: AMD lists the pair as supported, or tells how to set it;
* `allowed`: the kernel's code takes it, and no such list has it;
* `experimental`: AMD calls it a preview, it is older than the release that lists it, or firmware decides.

Only what is documented is set, unless `gpu_partition_accept` says more. What a GPU itself offers overrules this table,
and the disagreement is reported: modes depend on its firmware, too. A device has its even share of XCDs, compute units
and memory; in NPS1 all devices of a GPU reach all its memory, and the share is what the library tells.

A site adds products and profiles, or replaces one by its name, in files of the same form in a directory of
`gpu_partition_catalogue_dirs`: [the form]({readme}).
"""
OVERVIEW = ("product", "XCDs", "compute units", "memory (MiB)", "most devices", "memory mode changes")
PAIRS = ("pair", "devices", "XCDs", "compute units", "memory (MiB)", "standing", "note", "sources")
PROFILES = ("profile", "what", "GPUs", "products")
CHANGES = {"reload": "with a load of the driver, for all GPUs of a hive", "bios": "in the BIOS", "none": "never"}


def table(columns: t.Sequence[str], rows: t.Iterable[t.Sequence[object]]) -> str:
    """A table in Markdown."""
    lines = [f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}\n"]
    return "".join([*lines, *(f"| {' | '.join(map(cell, row))} |\n" for row in rows)])


def overview(products: t.Sequence[Record]) -> str:
    """All products, each in a row."""
    return table(OVERVIEW, ((f"[{p['name']}](#{p['name'].lower()})", p["xcds"], p["compute_units"], p["memory_mib"],
                             max((pair["devices"] for pair in p.get("pairs", ())), default=1),
                             CHANGES[p["memory_change"]]) for p in products))


def standing(pair: Record) -> str:
    """How well a pair is known: experimental, from 6.12.12 documented."""
    return ", ".join((f"from {period['driver_from']} " if period.get("driver_from") else "") + period["standing"]
                     for period in pair["periods"])


def row(product: Record, pair: Record, sources: Record) -> tuple[object, ...]:
    """The cells of a pair."""
    devices = pair["devices"]
    shares = (product[key] // devices for key in ("xcds", "compute_units", "memory_mib"))
    return (f"{pair['compute']}/{pair['memory']}", devices, *shares, standing(pair), pair.get("note", "-"),
            "; ".join(sources[key] for key in pair["sources"]))


def section(product: Record, sources: Record) -> str:
    """All of one product."""
    lines = [f"\n## {product['name']}\n\n"]
    if product.get("pairs"):
        lines += [table(PAIRS, (row(product, pair, sources) for pair in product["pairs"])), "\n"]
    if product.get("alternative"):
        lines.append(f"* Cannot be partitioned. Instead: {product['alternative']}\n")
    if product.get("automatic"):
        chosen = ", ".join(f"{compute} in {memory}" for memory, compute in product["automatic"].items())
        lines.append(f"* When it is loaded, the driver chooses {chosen}\n")
    if product.get("virtual"):
        given = "; ".join(f"{v['functions']} in {v['compute']}/{v['memory']}" for v in product["virtual"])
        lines.append(f"* Virtual functions that a host can give its guests: {given}\n")
    told = "; ".join(sources[key] for key in product["sources"])
    return "".join([*lines, f"* Sources ({product['confidence']}): {told}\n"])


def whom(rule: Record) -> str:
    """The GPUs of a rule and what they should be: 0, 1: SPX/NPS1."""
    gpus = rule["gpus"] if rule["gpus"] == "all" else ", ".join(map(str, rule["gpus"]))
    return f"{gpus}: {rule['compute']}/{rule['memory']}"


def profiles(records: t.Sequence[Record]) -> str:
    """Profiles, each in a row."""
    rows = ((f"`{p['name']}`", p["description"], "; ".join(map(whom, p["gpus"])), ", ".join(p["products"]))
            for p in records)
    return f"\n## Profiles\n\n{table(PROFILES, rows)}"


def drivers(data: Record) -> str:
    """What libraries and kernels make of it."""
    lines = ["\n## Libraries and kernels\n\n"]
    for record in data["reloading"]:
        does = "reloads the driver itself" if record["by_library"] else "only asks: the driver is reloaded afterwards"
        lines.append(f"* {_since('libamd_smi', record['library_from'])}: the call that sets a memory mode {does} "
                     f"({_told(record, data)})\n")
    for record in data["minors"]:
        count = record["devices"] or "enough"
        lines.append(f"* {_since('kernel', record['kernel_from'])}: {count} DRM devices ({_told(record, data)})\n")
    return "".join(lines)


def _since(what: str, version: str) -> str:
    """From which version on: of two lines that hold the later counts."""
    return f"Any {what}" if version == "0" else f"From {what} {version} on"


def _told(record: Record, data: Record) -> str:
    return "; ".join(data["sources"][key] for key in record["sources"])


def page(known: Record, made: Record, named: t.Sequence[Record]) -> str:
    """The whole page."""
    head = HEAD.format(data=DATA, readme=f"../{DATA}/README.md")
    sections = (section(product, known["sources"]) for product in known["products"])
    return "".join([head, "\n", overview(known["products"]), *sections, profiles(named), drivers(made)])


def pages(root: Path) -> dict[Path, str]:
    """The page as it must be."""
    def read(path: Path) -> Record:
        return t.cast("Record", yaml.safe_load(path.read_text(encoding="utf-8")))

    data = root / DATA
    named = [read(path) for path in sorted((data / "profiles").glob("*.yml"))]
    return {root / "docs" / "partitions.md": page(read(data / "products.yml"), read(data / "drivers.yml"), named)}
