# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests mirror the plugins path for path."""

from __future__ import annotations

from ansible_collections.instinct.fleet.tests.unit.support.project import files

# Texts and shapes of data, which have nothing to test.
WITHOUT = files("plugins/doc_fragments/*.py", *(f"plugins/module_utils/_core/{of}/shape.py" for of in ("look", "reservation", "rdma", "image")))
# The module of an action plugin is its documentation alone.
WITHOUT += [p.replace("/action/", "/modules/") for p in files("plugins/action/*.py")]
# What touches a node is tested through the modules that use it, where a test of its own shows no more.
ADAPTERS = files(*(f"plugins/module_utils/{name}/*.py" for name in ("_act", "_look", "_node", "_smi")))


def place(path: str) -> str:
    """Where the tests of a plugin file are."""
    folder, name = path.rsplit("/", 1)
    return f"tests/unit/{folder}/test_{name}"


def test_every_plugin_file_has_its_test_file() -> None:
    wanted = {place(p) for p in files("plugins/**/*.py") if p not in WITHOUT + ADAPTERS}
    assert sorted(wanted - set(files("tests/unit/plugins/**/*.py"))) == []
