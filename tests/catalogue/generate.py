#!/usr/bin/env python3
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the catalogue of the role gpu_release from files of facts.

    tests/catalogue/generate.py [FACTS...]           write the catalogue
    tests/catalogue/generate.py --check [FACTS...]   say whether it is what would be written; exit status 1 if not
    tests/catalogue/generate.py --reduce OUT FACTS   write the facts that the catalogue needs

Without FACTS, the files in tests/catalogue/facts are read. Records of later files replace or extend
those of earlier ones. Every ROCm release of the facts is a release of the catalogue.
"""

from __future__ import annotations

import argparse
import pathlib
import re
import sys
from typing import Any

import yaml

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import components
import index
import places
import releases
import translate

ROOT = pathlib.Path(__file__).resolve().parents[2]
FACTS = tuple(ROOT / f"tests/catalogue/facts/{name}.yml" for name in ("compat_facts", "additions", "components"))
CATALOGUE = ROOT / "roles/gpu_release/files/catalogue"
PAGE = ROOT / "docs/catalogue.md"
# List -> the key by which its records are told apart.
KEYED = {"drivers": "driver", "gpus": "name", "rocm_releases": "rocm", "gpg": "key", "firmware_packages": "driver"}
HEADER = """\
---
# yaml-language-server: $schema={schema}
# Written by tests/catalogue/generate.py from facts: change those, not this file.
"""
WIDTH = 90
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

Fact = dict[str, Any]


class Dumper(yaml.SafeDumper):
    """Indents lists, writes no aliases, quotes what could be mistaken for a number."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> Any:
        return super().increase_indent(flow, False)

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _list(dumper: Dumper, data: list[Any]) -> yaml.Node:
    """A list of words on one line, a list of records in a block."""
    words = not any(isinstance(item, dict) for item in data)
    return dumper.represent_sequence("tag:yaml.org,2002:seq", data, flow_style=words)


Dumper.add_representer(list, _list)


def dump(data: Any) -> str:
    """YAML in the house style."""
    return yaml.dump(data, Dumper=Dumper, sort_keys=False, width=WIDTH, allow_unicode=True)


def clean(value: Any) -> Any:
    """Facts without the numbers of the index that they were read in: those mean nothing outside it."""
    if isinstance(value, dict):
        return {key: clean(item) for key, item in value.items()}
    if isinstance(value, list):
        return [clean(item) for item in value]
    if not isinstance(value, str):
        return value
    value = re.sub(r"^idx \d+ \((.*)\)$", r"a public report: \1", value)
    value = re.sub(r"\bidx \d+ \(([^()]*)\)", r"\1", value)
    value = re.sub(r"(?:copy at )?\bidx [\d, ]+\d", "", value)
    value = re.sub(r"; ;", ";", value)
    return re.sub(r"\((?:[;,\s]+)", "(", re.sub(r"[;,\s]+\)", ")", re.sub(r"\s*\(\s*\)", "", value)))


def load(paths: list[pathlib.Path]) -> Fact:
    """All facts, merged."""
    facts: Fact = {}
    for path in paths:
        for section, value in clean(yaml.load(path.read_text(), Loader=LOADER)).items():  # noqa: S506
            if section == "gpg":
                merge(facts["repositories"]["gpg"], value, KEYED[section])
            elif section in KEYED and section in facts:
                merge(facts[section], value, KEYED[section])
            else:
                facts[section] = value
    return facts


def merge(records: list[Fact], later: list[Fact], key: str) -> None:
    """Each later record extends the one with its key, or is added."""
    for record in later:
        same = next((r for r in records if r[key] == record[key]), None)
        if same is None:
            records.append(dict(record))
        else:
            same |= record


def document(kind: str, schema: str, records: Fact) -> str:
    """One catalogue file: sources once, by number, in the order of their use."""
    ids: dict[str, str] = {}

    def refer(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: numbered(v) if k == "source" else refer(v) for k, v in value.items()}
        return [refer(item) for item in value] if isinstance(value, list) else value

    def numbered(texts: list[str]) -> list[str]:
        return [ids.setdefault(text, f"S{len(ids) + 1}") for text in texts]

    body = refer(records)
    data = {"version": "v1", "kind": kind, **body, "sources": {name: text for text, name in ids.items()}}
    return HEADER.format(schema=schema) + dump(data)


def build(facts: Fact) -> dict[str, str]:
    """All files of the catalogue: path -> text."""
    files = {}
    for record in releases.records(facts):
        path = f"releases/{record['name']}.yml"
        files[path] = document("release", "../schema/release.schema.json", {"release": record})
    products = [p for p in map(translate.product, facts["gpus"]) if p]
    files["products.yml"] = document("products", "schema/products.schema.json", {
        "products": sorted(products, key=lambda p: (translate.numbers(p["name"]), p["name"]))})
    compat = facts["user_kernel_compat"]
    files["windows/driver_rocm.yml"] = document("driver_rocm", "../schema/driver_rocm.schema.json", {
        "windows": translate.windows([*compat["matrix"], *facts["more_windows"]])})
    files["windows/gpu_limits.yml"] = document("gpu_limits", "../schema/gpu_limits.schema.json", {
        "rules": sorted(map(translate.gpu_rule, compat["per_gpu_notes"]), key=lambda r: r["name"])})
    builds = [e for fact in facts["dkms_build_evidence"] for e in translate.evidence(fact)]
    files["dkms_evidence.yml"] = document("dkms_evidence", "schema/dkms_evidence.schema.json", {
        "builds": sorted(builds, key=lambda e: [translate.numbers(e[k]) for k in ("driver", "kernel")])})
    files["repositories.yml"] = document("repositories", "schema/repositories.schema.json",
                                         places.repositories(facts))
    files["components.yml"] = document("components", "schema/components.schema.json", {
        "components": components.records(facts["components"])})
    return files


def page(files: dict[str, str]) -> str:
    """The page about the files of a catalogue."""
    read = [{"path": path, "data": yaml.load(text, Loader=LOADER)} for path, text in files.items()]  # noqa: S506
    return index.page(index.Catalogue.from_dict({"files": read}))


def reduce(facts: Fact) -> str:
    """The facts that ``build`` reads, as a file of facts."""
    repositories = facts["repositories"]
    wanted = {(section, what) for section, what, _line, _record in places.REPOSITORIES}
    kept = {
        "gpus": facts["gpus"],
        "user_kernel_compat": {key: facts["user_kernel_compat"][key] for key in ("matrix", "per_gpu_notes")},
        "drivers": [d for d in facts["drivers"] if "x" not in d["driver"]],
        "rocm_releases": releases.exact(facts),
        "repositories": {
            section: {"items": [i for i in repositories[section]["items"] if (section, i["what"]) in wanted]}
            for section in ("driver", "legacy_rocm", "therock")
        } | {"gpg": [k for k in repositories["gpg"] if k["key"] in places.KEY_NAMES],
             "kernel_packages": [k for k in repositories["kernel_packages"] if k["os"] in places.APT_KERNELS]},
        "dkms_build_evidence": facts["dkms_build_evidence"],
    }
    return ("---\n# Facts about compatibility, each with its source; confidence is documented where none is given.\n"
            "# Written by tests/catalogue/generate.py --reduce.\n"
            + yaml.safe_dump(kept, sort_keys=False, width=WIDTH, allow_unicode=True))


def differing(files: dict[str, str], root: pathlib.Path) -> list[str]:
    """Paths whose file is not as it would be written, or should not be there."""
    there = {str(p.relative_to(root)) for p in root.rglob("*.yml")}
    return sorted(path for path in there | set(files)
                  if path not in files or path not in there or (root / path).read_text() != files[path])


def main(argv: list[str]) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("facts", nargs="*", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--reduce", type=pathlib.Path, metavar="OUT")
    options = parser.parse_args(argv)
    facts = load(options.facts or list(FACTS))
    if options.reduce:
        options.reduce.write_text(reduce(facts))
        return 0
    files = build(facts)
    if options.check:
        wrong = differing(files, CATALOGUE)
        if not PAGE.exists() or PAGE.read_text() != page(files):
            wrong.append(PAGE.name)
        print("\n".join(f"{path}: not as generated" for path in wrong) or "the catalogue is as generated")
        return 1 if wrong else 0
    for path, text in files.items():
        (CATALOGUE / path).parent.mkdir(parents=True, exist_ok=True)
        (CATALOGUE / path).write_text(text)
    PAGE.write_text(page(files))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
