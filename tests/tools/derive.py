#!/usr/bin/env python3
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write what is derived: tables of the roles' READMEs, the action groups of meta/runtime.yml, pages of diagnosis.

Usage: derive.py [--check]

With --check nothing is written, and the exit status is 1 if a file is not as it would be written.
"""

from __future__ import annotations

import argparse
import re
import sys
import typing as t
from pathlib import Path

import yaml

sys.path.insert(0, str(Path(__file__).parent))

import fault_page
import pages
import partition_page

ROOT = Path(__file__).resolve().parents[2]
BEGIN = "<!-- variables: begin (written by `make docs` from meta/argument_specs.yml) -->"
END = "<!-- variables: end -->"
GROUPS = "# action groups: begin (written by `make docs`)"

Options = t.Mapping[str, t.Mapping[str, t.Any]]


def plain(text: str | t.Sequence[str]) -> str:
    """A description in Markdown: one line, Ansible's markup as code."""
    text = text if isinstance(text, str) else " ".join(text)
    text = re.sub(r"\b[CVOPE]\(([^)]*)\)", r"`\1`", text)
    text = re.sub(r"\bU\(([^)]*)\)", r"<\1>", text)
    return " ".join(text.split()).replace("|", "\\|")


def type_of(option: t.Mapping[str, t.Any]) -> str:
    """Type of an option, with that of its elements."""
    kind = str(option.get("type", "str"))
    return f"{kind} of {option['elements']}" if "elements" in option else kind


def default_of(option: t.Mapping[str, t.Any]) -> str:
    """Default of an option as YAML would have it, or that it is required."""
    if option.get("required"):
        return "required"
    if "default" not in option:
        return ""
    text = yaml.safe_dump(option["default"], default_flow_style=True, width=1000).strip().removesuffix("...").strip()
    return f"`{text}`"


def rows(options: Options, prefix: str = "") -> t.Iterator[str]:
    """Table rows of options, sub-options after their own."""
    for name, option in options.items():
        choices = ", ".join(f"`{c}`" for c in option.get("choices", ()))
        words = plain(option["description"]) + (f" One of {choices}." if choices else "")
        yield f"| `{prefix}{name}` | {type_of(option)} | {default_of(option)} | {words} |"
        yield from rows(option.get("options", {}), f"{prefix}{name}.")


def role_table(specs: t.Mapping[str, t.Any]) -> str:
    """What stands between the markers of a role's README: a part for each entry point, a table once."""
    parts = []
    written: dict[str, str] = {}
    for entry, spec in specs.items():
        heading = f"### `{entry}`: {plain(spec['short_description'])}\n\n{plain(spec['description'])}"
        table = "\n".join(rows(spec.get("options", {})))
        if not table:
            parts.append(f"{heading}\n\nNo variables.")
        elif table in written:
            parts.append(f"{heading}\n\nThe variables of `{written[table]}`.")
        else:
            written[table] = entry
            parts.append(f"{heading}\n\n| variable | type | default | meaning |\n|---|---|---|---|\n{table}")
    return "\n\n".join(parts)


def readme(role: Path) -> str:
    """README of a role with the table in place; a new one if the role has none."""
    specs = yaml.safe_load((role / "meta" / "argument_specs.yml").read_text(encoding="utf-8"))["argument_specs"]
    path = role / "README.md"
    if path.exists():
        text = path.read_text(encoding="utf-8")
    else:
        words = plain(specs["main"]["short_description"])
        text = f"# {role.name}\n\n{words}.\n\n## Entry points and variables\n\n{BEGIN}\n{END}\n"
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        raise SystemExit(f"{path}: needs exactly one line '{BEGIN}' and one line '{END}'")
    head, rest = text.split(BEGIN)
    return f"{head}{BEGIN}\n{role_table(specs)}\n{END}{rest.split(END)[1]}"


def runtime() -> str:
    """meta/runtime.yml with all modules in one action group, for module_defaults."""
    text = (ROOT / "meta" / "runtime.yml").read_text(encoding="utf-8")
    names = sorted(p.stem for p in ROOT.glob("plugins/modules/*.py"))
    group = [GROUPS, "action_groups:", "  all:", *(f"    - {name}" for name in names)]
    return text.split(GROUPS)[0] + "\n".join(group) + "\n"


def derived() -> dict[Path, str]:
    """Every file that is derived, as it must be."""
    roles = sorted(p.parents[1] for p in ROOT.glob("roles/*/meta/argument_specs.yml"))
    readmes = {role / "README.md": readme(role) for role in roles}
    return {**readmes, ROOT / "meta" / "runtime.yml": runtime(), **pages.pages(ROOT),
            **fault_page.pages(ROOT), **partition_page.pages(ROOT)}


def main() -> int:
    """Returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--check", action="store_true", help="write nothing, fail if something is not as it must be")
    check = parser.parse_args().check
    stale = {p: text for p, text in derived().items() if not p.exists() or p.read_text(encoding="utf-8") != text}
    for path, text in stale.items():
        print(f"{'stale' if check else 'written'}: {path.relative_to(ROOT)}")
        if not check:
            path.write_text(text, encoding="utf-8")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
