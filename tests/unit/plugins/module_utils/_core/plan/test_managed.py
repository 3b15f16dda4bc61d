# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Managed paths: each once, absolute, and ours by name."""

from __future__ import annotations

from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.managed import MANAGED_FILES


def test_each_path_is_listed_once_and_is_ours():
    assert len(set(MANAGED_FILES)) == len(MANAGED_FILES) == 20
    assert all(path.startswith("/") and "instinct" in path for path in MANAGED_FILES)


def test_our_preferences_are_read_before_the_vendors():
    names = sorted(path.rsplit("/", 1)[1] for path in MANAGED_FILES if "preferences.d" in path)
    assert sorted([*names, "rocm-pin-600"]) == [*names, "rocm-pin-600"]
