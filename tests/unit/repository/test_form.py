# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Form and layers: how every file begins, and who may import what."""

from __future__ import annotations

import ast
import collections
import re
import sys

import pytest

from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT, data, files, lines, tree

HEADER = [
    "# Copyright: (c) 2026, instinct.fleet authors",
    "# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)",
    "# SPDX-License-Identifier: GPL-3.0-or-later",
]
PRIVATE = "# PRIVATE to the collection: may change at any time."

PYTHON = files("plugins/**/*.py", "tests/**/*.py", "molecule/**/*.py")
PRIVATE_FILES = files("plugins/module_utils/**/*.py", "plugins/plugin_utils/**/*.py")
CORE = files("plugins/module_utils/_core/**/*.py")
TARGET = files("plugins/modules/*.py", "plugins/module_utils/**/*.py")

# Files, processes, clocks, the environment, randomness: what a pure function cannot ask.
IMPURE = frozenset({
    "ctypes", "datetime", "fcntl", "getpass", "glob", "io", "locale", "logging", "multiprocessing", "os", "pathlib",
    "platform", "pwd", "random", "secrets", "select", "shutil", "signal", "socket", "subprocess", "sys", "tempfile",
    "threading", "time", "urllib", "uuid",
})
IMPURE_CALLS = frozenset({"open", "print", "input", "exec", "eval", "__import__", "breakpoint"})


def imported(path: str) -> set[str]:
    """Top-level names of the absolute imports of a file."""
    found = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add((node.module or "").split(".")[0])
    return found


def called(path: str) -> set[str]:
    """Names that a file calls as plain functions."""
    return {n.func.id for n in ast.walk(tree(path)) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}


@pytest.mark.parametrize("path", PYTHON)
def test_file_begins_with_its_licence(path: str) -> None:
    head = [line for line in lines(path)[:5] if not line.startswith("#!")]
    assert head[:3] == HEADER


# A package may be a docstring alone.
@pytest.mark.parametrize("path", [p for p in PYTHON if len(tree(p).body) > 1])
def test_annotations_are_not_evaluated(path: str) -> None:
    assert "from __future__ import annotations" in lines(path)


@pytest.mark.parametrize("path", PRIVATE_FILES)
def test_internal_file_says_that_it_is_private(path: str) -> None:
    assert PRIVATE in lines(path)[:5]


def uses(path: str) -> set[str]:
    """Last parts of all names that a file imports: of modules, and of what it takes from them."""
    nodes = [node for node in ast.walk(tree(path)) if isinstance(node, ast.ImportFrom)]
    modules = {(node.module or "").rsplit(".", 1)[-1] for node in nodes}
    return modules | {alias.name for node in nodes for alias in node.names}


def test_core_has_nothing_that_no_plugin_uses() -> None:
    used = set().union(*(uses(path) for path in files("plugins/**/*.py")))
    assert [path for path in CORE if path.rsplit("/", 1)[1].removesuffix(".py") not in used] == []


def test_core_has_no_function_for_tests_alone() -> None:
    said = collections.Counter(
        word for path in files("plugins/**/*.py") for line in lines(path) for word in re.findall(r"\b[A-Za-z]\w*\b", line))
    defined = (node.name for path in CORE for node in tree(path).body if isinstance(node, (ast.FunctionDef, ast.ClassDef)))
    assert [name for name in defined if said[name] < 2 and not name.startswith("_")] == []


@pytest.mark.parametrize("path", CORE)
def test_core_is_pure(path: str) -> None:
    assert imported(path) - sys.stdlib_module_names == set()
    assert imported(path) & IMPURE == set()
    assert called(path) & IMPURE_CALLS == set()


# Packages of the core, lowest first: each may import what stands before it.
ORDER = ("errors", "near", "strict", "records", "findings", "look", "formats", "release", "plan", "act", "partition",
         "rollout", "reservation", "eviction", "qos", "tuning", "faults", "preconditions", "knobs", "health", "bundle",
         "diagnosis", "rdma", "image")


def core_imports(path: str) -> set[str]:
    """What a file of the core imports from the collection: first name below _core, or the path if it is elsewhere."""
    found = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.ImportFrom) and node.level:
            parts = (*path.split("/")[:-node.level], *(node.module or "").split("."))
            assert parts[:3] == ("plugins", "module_utils", "_core"), f"{path} imports {'/'.join(parts)}"
            found |= {parts[3]} if parts[3:] != ("",) else {alias.name for alias in node.names}
    return found


@pytest.mark.parametrize("path", CORE)
def test_core_imports_nothing_above_it(path: str) -> None:
    place = ORDER.index(path.split("/")[3].removesuffix(".py"))
    assert core_imports(path) - set(ORDER[:place + 1]) == set()


def test_architecture_names_the_packages_in_their_order() -> None:
    table = "\n".join(line.split("|")[1] for line in lines("docs/architecture.md") if re.match(r"\| `[a-z]+`[ ,]", line))
    assert tuple(re.findall(r"`(\w+)`", table)) == ORDER


# What a module does to a node it does through an adapter: _node, _smi or _act.
@pytest.mark.parametrize("path", files("plugins/modules/*.py"))
def test_module_touches_nothing_itself(path: str) -> None:
    assert imported(path) & IMPURE == set()
    assert called(path) & IMPURE_CALLS == set()


@pytest.mark.parametrize("path", TARGET)
def test_only_one_folder_knows_the_gpu_library(path: str) -> None:
    assert "amdsmi" not in imported(path) or path.startswith("plugins/module_utils/_smi/")


def test_action_groups_name_every_module() -> None:
    runtime = data("meta/runtime.yml")
    assert isinstance(runtime, dict)
    modules = [p.rsplit("/", 1)[1].removesuffix(".py") for p in files("plugins/modules/*.py")]
    assert runtime["action_groups"]["all"] == sorted(modules)


def test_nothing_is_excused_from_a_linter() -> None:
    assert files("tests/sanity/ignore*.txt", ".ansible-lint-ignore") == []
    assert {"skip_list", "warn_list"} & set(data(".ansible-lint") or {}) == set()  # type: ignore[call-overload]


# Who has no Kubernetes should not have to install it.
OPTIONAL = {"kubernetes.core"}


def test_collections_in_use_are_the_declared_ones() -> None:
    galaxy = data("galaxy.yml")
    assert isinstance(galaxy, dict)
    tasks = "\n".join((ROOT / p).read_text(encoding="utf-8") for p in files("roles/*/*/**/*.yml", "playbooks/**/*.yml"))
    used = set(re.findall(r"^\s*(?:- )?([a-z_]+\.[a-z0-9_]+)\.[a-z0-9_]+:", tasks, re.MULTILINE))
    assert used - {"ansible.builtin", "instinct.fleet"} == {*galaxy["dependencies"], *OPTIONAL}


def test_commit_hooks_are_the_checks_of_the_ring() -> None:
    hooks = data(".pre-commit-config.yaml")
    assert isinstance(hooks, dict)
    checks = [line.split()[1] for line in lines("tests/tools/rings/lint") if line.startswith("check ")]
    assert [hook["id"] for hook in hooks["repos"][0]["hooks"]] == checks
