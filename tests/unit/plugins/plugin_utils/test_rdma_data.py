# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where what is known of RDMA is read from."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.plugin_utils import rdma_data


def test_ours_comes_first(tmp_path: Path) -> None:
    (tmp_path / "families").mkdir()
    (tmp_path / "families/mine.yml").write_text("---\nkind: rdma_family\n")
    found = rdma_data.documents((str(tmp_path),))
    assert {document["layer"] for document in found[:-1]} == {0}
    assert found[-1] == {"path": f"{tmp_path}/families/mine.yml", "data": {"kind": "rdma_family"}, "layer": 1}


def test_a_directory_that_is_none() -> None:
    with pytest.raises(FleetError, match=r"^rdma_stack_catalogue_dirs: /nowhere is not a directory"):
        rdma_data.documents(("/nowhere",))
