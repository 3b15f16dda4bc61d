# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages of docs that are written from data of diagnosis: what a host must give its GPUs, and what settings do."""

from __future__ import annotations

import typing as t
from pathlib import Path

import yaml

DATA = "roles/gpu_health/files/diagnosis"
PRECONDITIONS = """\
# What a host must give its GPUs

<!-- Written by `make docs` from {data}/preconditions.yml: change that, not this page. -->

Each precondition is judged from one look, by what the host is for (one or more host profiles) and by product. What was
not seen is `unknown` with the reason, never good and never bad. Profiles that want opposites, as RDMA and pass-through
do of ACS, are refused.

A site adds to them, or replaces one by its id, in a file of the same form in a directory of
`gpu_health_catalogue_dirs`.

| host profile | what the host is for |
|---|---|
"""
KNOBS = """\
# What settings of GPUs do

<!-- Written by `make docs` from {data}/knobs.yml: change that, not this page. -->

Names of environment variables, parameters, files and options, looked for in unit files, environment files, modprobe.d,
container definitions, kernel arguments and inventories. What does nothing is reported with the mechanism that does it.
*Soft* is what works among programs that cooperate; *hard* is what has the kernel or the hardware behind it. A soft one
is no security boundary.

A site adds to them, or replaces one by its id, in a file of the same form in a directory of
`gpu_health_catalogue_dirs`.
"""
STATES = (
    ("does_nothing", "Settings that do nothing"), ("misnamed", "Settings that are called otherwise"),
    ("removed", "Settings that are gone"), ("exists", "Settings that exist"),
)

Record = t.Mapping[str, t.Any]


def cell(text: object) -> str:
    """A text in a cell of a table."""
    return " ".join(str(text).split()).replace("|", "\\|")


def value(one: object) -> str:
    """A value of a precondition: a list in a row."""
    return ", ".join(map(str, one)) if isinstance(one, list) else str(one)


def whom(row: Record) -> str:
    """For which host profiles and products a row is."""
    return ", ".join([*row.get("profiles", ()), *row.get("products", ())])


def wanted(record: Record) -> str:
    """What is wanted, and for whom: mode identity; MI300A: mode off."""
    rows = []
    for row in record.get("wanted", ()):
        said = ", ".join(f"{name} `{value(one)}`" for name, one in row["values"].items())
        rows.append(f"{whom(row)}: {said}" if whom(row) else said)
    return "; ".join(rows)


def preconditions(data: Record) -> str:
    """The page of preconditions."""
    lines = [f"| `{p['id']}` | {cell(p['what'])} |\n" for p in data["host_profiles"]]
    columns = ("precondition", "judged for", "if it is not so", "health gate", "who has to act")
    lines.append(f"\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}\n")
    for record in data["preconditions"]:
        judged_for = ", ".join(record.get("profiles", ())) or "all"
        lines.append(f"| [{cell(record['title'])}](#{record['id']}) | {judged_for} | {record['severity']} "
                     f"| {record['gate']} | {record['domain']} |\n")
    for record in data["preconditions"]:
        lines.append(f"\n## {record['id']}\n\n{record['title'][0].upper()}{record['title'][1:]}. {record['why']}\n\n"
                     f"* Do: {record['remedy']}.\n")
        if record.get("wanted"):
            lines.append(f"* Wanted: {wanted(record)}\n")
        lines += [f"* Do, {whom(row)}: {row['remedy']}.\n" for row in record.get("wanted", ()) if "remedy" in row]
        lines.append(f"* Sources ({record['confidence']}): {'; '.join(record['sources'])}\n")
    return PRECONDITIONS.format(data=DATA) + "".join(lines)


def knobs(data: Record) -> str:
    """The page of knobs."""
    lines: list[str] = []
    for status, title in STATES:
        lines.append(f"\n## {title}\n\n| name | kind | what | soft | hard | sources |\n|---|---|---|---|---|---|\n")
        for knob in data["knobs"]:
            if knob["status"] == status:
                cells = (f"`{knob['name']}`", knob["kind"].replace("_", " "), _what(knob), knob.get("soft", "-"),
                         knob.get("hard", "-"), f"{'; '.join(knob['sources'])} ({knob['confidence']})")
                lines.append(f"| {' | '.join(map(cell, cells))} |\n")
    return KNOBS.format(data=DATA) + "".join([*lines, *map(_parameters, data["module_parameters"])])


def _parameters(module: Record) -> str:
    """The section of a module's parameters."""
    load, run = (", ".join(f"`{name}`" for name in module[key]) for key in ("load_time", "run_time"))
    return (f"\n## Parameters of {module['module']}\n\nThose of the newest source that was read "
            f"({'; '.join(module['sources'])}). What a loaded driver has is asked of it.\n\n"
            f"* When it is loaded: {load}\n* Also while it is loaded: {run}\n")


def _what(knob: Record) -> str:
    """What it is, and what else is known of it."""
    more = [f"Value: {knob['form']}."] if "form" in knob else []
    more += [f"Changes nothing: {value(knob['idle_values'])}."] if "idle_values" in knob else []
    more += [f"Better not: {knob['advice']}."] if "advice" in knob else []
    more += [f"On {value(knob['products'])} alone."] if "products" in knob else []
    more += [f"From ROCm {knob['rocm_from']} on."] if "rocm_from" in knob else []
    more += [f"Before ROCm {knob['rocm_before']}."] if "rocm_before" in knob else []
    return " ".join([knob["what"], *more])


PAGES: dict[str, t.Callable[[Record], str]] = {"preconditions": preconditions, "knobs": knobs}


def pages(root: Path) -> dict[Path, str]:
    """Each page as it must be."""
    texts = {name: (root / DATA / f"{name}.yml").read_text(encoding="utf-8") for name in PAGES}
    return {root / "docs" / f"{name}.md": PAGES[name](yaml.safe_load(text)) for name, text in texts.items()}
