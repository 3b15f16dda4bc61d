# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a child is given: programs that need nothing of the collection but each other. Whole runs are in test_library.py."""

from __future__ import annotations

import ast
import inspect
import json
import sys
import types

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._smi import (
    amdsmi,
    amdsmi_health,
    amdsmi_processes,
    amdsmi_read,
    amdsmi_set,
    child,
)


@pytest.mark.parametrize(("module", "others"), [
    (amdsmi, set()), (amdsmi_health, {"amdsmi"}), (amdsmi_processes, {"amdsmi"}), (amdsmi_read, {"amdsmi", None}),
    (amdsmi_set, {"amdsmi"})])
def test_programs_stand_alone(module: types.ModuleType, others: set[str | None]) -> None:
    nodes = list(ast.walk(ast.parse(inspect.getsource(module))))
    relative = {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.level}
    absolute = {node.module for node in nodes if isinstance(node, ast.ImportFrom) and not node.level}
    absolute |= {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    assert relative == others
    ours = getattr(sys, "stdlib_module_names", absolute)  # Python 3.9 cannot tell them
    assert absolute - ours - {"__future__"} == set()


def test_sources_come_in_the_order_in_which_they_are_needed() -> None:
    isolated, bare, run, _start, sources, request = child.arguments([amdsmi_set], {"library": "x"})
    assert (isolated, bare, run, json.loads(request)) == ("-I", "-S", "-c", {"library": "x"})
    assert list(json.loads(sources)) == ["amdsmi", "amdsmi_set"]
    assert json.loads(sources)["amdsmi_set"] == inspect.getsource(amdsmi_set)


@pytest.mark.parametrize("source", ["work = 'ü'\n", "work = 'ü'\n".encode()], ids=["Python", "Ansible"])
def test_a_source_is_text_whatever_loader_has_it(source: str | bytes) -> None:
    module = types.ModuleType("x.program")
    module.__loader__ = types.SimpleNamespace(get_source=lambda _name: source)
    assert json.loads(child.arguments([module], {})[4])["program"] == "work = 'ü'\n"
