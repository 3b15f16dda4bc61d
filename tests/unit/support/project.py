# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The checkout as tests see it: its root and its files by kind, as paths relative to the root."""

from __future__ import annotations

import ast
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[3]


def files(*patterns: str) -> list[str]:
    """Paths of the files that match a pattern, sorted; what is made is left out."""
    found = {str(p.relative_to(ROOT)) for pattern in patterns for p in ROOT.glob(pattern) if p.is_file()}
    return sorted(p for p in found if "__pycache__" not in p and not p.startswith("tests/output/"))


def lines(path: str) -> list[str]:
    """Lines of a file."""
    return (ROOT / path).read_text(encoding="utf-8").splitlines()


def tree(path: str) -> ast.Module:
    """Syntax tree of a Python file."""
    return ast.parse((ROOT / path).read_text(encoding="utf-8"), path)


def data(path: str) -> object:
    """What a YAML file holds."""
    return yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))


def roles() -> list[str]:
    """Names of the roles."""
    return sorted(p.parent.parent.name for p in ROOT.glob("roles/*/tasks/main.yml"))
