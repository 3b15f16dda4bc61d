# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a look says of packages and their sources, as plain data and back."""

from __future__ import annotations

import dataclasses as dc
import json

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.packages import Key, Packages, Repositories
from ansible_collections.instinct.fleet.plugins.plugin_utils.plain import from_plain


@pytest.mark.parametrize("seen", [
    Packages(), Packages(unknown={"installed": "the database is locked"}), Repositories(),
    Repositories(keyrings=(Key("/etc/apt/keyrings/rocm.gpg", ("CA8BB4727A47B4D09B4EE8969386B48A1A693C5C",)),),
                 unattended_upgrades=True, unattended_blacklist=("linux-",), unknown={"sources": "no file"})])
def test_it_comes_back_from_a_node_as_it_was(seen: Packages | Repositories) -> None:
    assert from_plain(type(seen), json.loads(json.dumps(dc.asdict(seen)))) == seen
