# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes ansible_collections.instinct.fleet importable from a checkout in any folder."""

from __future__ import annotations

import os
import sys
import types
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parents[2]
IN_A_TREE = ROOT.parent.parent.name == "ansible_collections"  # as under ansible-test
# Generations of the GPU library but the newest that was published: the ring of bare pytest tries them.
OTHERS = frozenset({"6.2.4", "6.4.4", "10.1", "11.0"})

# As everything that is made: not in the folder that pytest was started in.
os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(ROOT / ".cache" / "hypothesis"))
# How fast examples are made is a matter of the machine, and no test depends on it.
settings.register_profile("project", deadline=None, suppress_health_check=[HealthCheck.too_slow])
# Under ansible-test the question is what another Python makes of the code, not which example breaks it.
settings.register_profile("again", settings.get_profile("project"), max_examples=10)
settings.load_profile("again" if IN_A_TREE else "project")


def pytest_configure(config: pytest.Config) -> None:
    """Alias the checkout as the collection, unless it lies in a tree of collections already.

    ansible-test gives each test a process of its own, in which what fixtures and caches of a session hold is made anew: ten times the
    work, and no answer more. That tests need none is shown by the ring of bare pytest, which has one process for all.
    """
    if IN_A_TREE:
        sys.path.insert(0, str(ROOT.parents[2]))
        if config.pluginmanager.has_plugin("ansible_forked"):
            config.pluginmanager.unregister(name="ansible_forked")
            # Of pytest-xdist, which has a thread; that plugin silences it as well.
            config.addinivalue_line("filterwarnings", "ignore:This process .* is multi-threaded:DeprecationWarning")
        return
    for name, path in (
        ("ansible_collections", None),
        ("ansible_collections.instinct", None),
        ("ansible_collections.instinct.fleet", ROOT),
    ):
        module = types.ModuleType(name)
        module.__path__ = [str(path)] if path else []
        sys.modules.setdefault(name, module)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Under ansible-test, which asks what another Python or ansible-core makes of it all, one library is enough."""
    left = [item for item in items if IN_A_TREE and _generation(item) in OTHERS]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if item not in left]


def _generation(item: pytest.Item) -> str:
    rocm = item.callspec.params.get("rocm") if hasattr(item, "callspec") else None
    return rocm if isinstance(rocm, str) else ""
