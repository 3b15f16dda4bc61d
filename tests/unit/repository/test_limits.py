# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sizes that keep a file readable in one sitting."""

from __future__ import annotations

import ast

import pytest

from ansible_collections.instinct.fleet.tests.unit.support.project import data, files, lines, tree

MODULE_LINES = 60
UTILITY_LINES = 300
FUNCTION_LINES = 40
TASK_FILE_LINES = 60
TASKS = 12

MODULES = files("plugins/modules/*.py")
UTILITIES = files("plugins/module_utils/**/*.py", "plugins/plugin_utils/**/*.py")
PLUGINS = files("plugins/**/*.py")
TASK_FILES = files("roles/*/tasks/**/*.yml", "roles/*/handlers/*.yml")
DOCUMENTATION = {"DOCUMENTATION", "EXAMPLES", "RETURN"}


def is_documentation(node: ast.stmt) -> bool:
    """Whether a statement is one of the three documentation strings of a plugin."""
    return isinstance(node, ast.Assign) and any(isinstance(x, ast.Name) and x.id in DOCUMENTATION for x in node.targets)


def code_lines(path: str) -> int:
    """Lines of a module after its documentation that are neither empty nor a comment."""
    last = max((n.end_lineno or 0 for n in tree(path).body if is_documentation(n)), default=0)
    return sum(1 for line in lines(path)[last:] if line.strip() and not line.strip().startswith("#"))


def functions(path: str) -> dict[str, int]:
    """Lines of each function of a file, its docstring not counted."""
    sizes = {}
    for node in ast.walk(tree(path)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
            documented = (node.body[0].end_lineno or 0) - node.body[0].lineno + 1 if body is not node.body else 0
            sizes[f"{node.name}:{node.lineno}"] = (node.end_lineno or 0) - node.lineno + 1 - documented
    return sizes


def count_tasks(tasks: object) -> int:
    """Number of tasks in a list, those in blocks too."""
    assert isinstance(tasks, list)
    return sum(1 + sum(count_tasks(t.get(part, [])) for part in ("block", "rescue", "always")) for t in tasks)


@pytest.mark.parametrize("path", MODULES)
def test_module_is_thin(path: str) -> None:
    assert code_lines(path) <= MODULE_LINES


@pytest.mark.parametrize("path", UTILITIES)
def test_utility_file_is_short(path: str) -> None:
    assert len(lines(path)) <= UTILITY_LINES


@pytest.mark.parametrize("path", PLUGINS)
def test_functions_are_short(path: str) -> None:
    assert {name: size for name, size in functions(path).items() if size > FUNCTION_LINES} == {}


@pytest.mark.parametrize("path", TASK_FILES)
def test_task_file_is_short(path: str) -> None:
    assert len(lines(path)) <= TASK_FILE_LINES
    assert count_tasks(data(path)) <= TASKS


@pytest.mark.parametrize("path", [p for p in TASK_FILES if "/tasks/" in p and not p.endswith("/main.yml")])
def test_task_names_carry_the_name_of_their_file(path: str) -> None:
    stem = path.rsplit("/", 1)[1].removesuffix(".yml")
    tasks = data(path)
    assert isinstance(tasks, list)
    assert [t["name"] for t in tasks if not t["name"].lower().startswith(f"{stem.replace('_', ' ')} | ")] == []
