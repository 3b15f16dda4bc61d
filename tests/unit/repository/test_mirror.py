# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests mirror the plugins path for path."""

from __future__ import annotations

from ansible_collections.instinct.fleet.tests.unit.support.project import files

# Texts and shapes of data, which have nothing to test.
WITHOUT = files("plugins/doc_fragments/*.py", "plugins/module_utils/_core/look.py")


def test_every_plugin_file_has_its_test_file() -> None:
    wanted = {"tests/unit/" + "/test_".join(p.rsplit("/", 1)) for p in files("plugins/**/*.py") if p not in WITHOUT}
    assert sorted(wanted - set(files("tests/unit/plugins/**/*.py"))) == []
