# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ansible-doc knows every plugin, and every option and every returned value of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT, data, files, roles

FOLDERS = {"module": "modules", "filter": "filter", "test": "test", "lookup": "lookup", "callback": "callback"}
ATTRIBUTES = {"check_mode", "diff_mode", "idempotent"}
NAMES = [(kind, Path(p).stem) for kind, folder in FOLDERS.items() for p in files(f"plugins/{folder}/*.py")]
Docs = dict[str, dict[str, t.Any]]


@pytest.fixture(scope="session")
def docs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Docs]:
    """Documentation of all plugins and roles by kind, as ansible-doc prints it."""
    home = tmp_path_factory.mktemp("ansible")
    tree = home / "collections" / "ansible_collections" / "instinct"
    tree.mkdir(parents=True)
    (tree / "fleet").symlink_to(ROOT)
    done = subprocess.run(
        [sys.executable, "-m", "ansible.cli.doc", "--metadata-dump", "--no-fail-on-errors", "instinct.fleet"],
        env={**os.environ, "ANSIBLE_HOME": str(home), "ANSIBLE_COLLECTIONS_PATH": str(home / "collections")},
        check=True, capture_output=True, text=True)
    return t.cast("dict[str, Docs]", json.loads(done.stdout)["all"])


def incomplete(values: t.Mapping[str, t.Any], below: str, prefix: str = "") -> t.Iterator[str]:
    """Names of options or returned values, nested ones too, without description or type."""
    for name, value in values.items():
        if not value.get("description") or not value.get("type"):
            yield prefix + name
        yield from incomplete(value.get(below) or {}, below, f"{prefix}{name}.")


def test_every_module_and_filter_is_found(docs: dict[str, Docs]) -> None:
    for kind, name in NAMES:
        assert f"instinct.fleet.{name}" in docs[kind]


@pytest.mark.parametrize(("kind", "name"), NAMES)
def test_plugin_is_documented(docs: dict[str, Docs], kind: str, name: str) -> None:
    found = docs[kind][f"instinct.fleet.{name}"]
    assert "error" not in found
    doc = found["doc"]
    assert doc["short_description"]
    assert doc["description"]
    assert doc["author"] or kind in ("filter", "test")
    assert list(incomplete(doc.get("options", {}), "suboptions")) == []
    if kind != "callback":
        assert found["examples"].strip()
        assert found["return"]
        assert list(incomplete(found["return"], "contains")) == []


@pytest.mark.parametrize("name", [n for kind, n in NAMES if kind == "module"])
def test_module_says_how_it_behaves(docs: dict[str, Docs], name: str) -> None:
    assert set(docs["module"][f"instinct.fleet.{name}"]["doc"].get("attributes", {})) >= ATTRIBUTES


@pytest.mark.parametrize("name", roles())
def test_role_is_documented(docs: dict[str, Docs], name: str) -> None:
    specs = data(f"roles/{name}/meta/argument_specs.yml")
    assert isinstance(specs, dict)
    assert set(docs["role"][f"instinct.fleet.{name}"]["entry_points"]) == set(specs["argument_specs"])
