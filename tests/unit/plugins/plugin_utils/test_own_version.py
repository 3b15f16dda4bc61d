# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The version of the collection, of a checkout and installed."""

from __future__ import annotations

import json
from pathlib import Path

from ansible_collections.instinct.fleet.plugins.plugin_utils.own_version import version


def test_the_manifest_counts_before_galaxy_yml(tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    (checkout / "galaxy.yml").write_text("version: 1.2.3\n")
    assert version(checkout) == "1.2.3"
    (tmp_path / "MANIFEST.json").write_text(json.dumps({"collection_info": {"version": "1.2.4"}}))
    assert version(tmp_path) == "1.2.4"


def test_ours_is_one() -> None:
    assert len(version().split(".")) == 3
