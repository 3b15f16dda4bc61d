# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a gate on a node is given of the catalogue."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.plugin_utils import gate_data


def test_paths_are_those_of_the_data_alone() -> None:
    documents = gate_data.faults(())["documents"]
    assert {document["path"].split("/")[0] for document in documents} <= {"faults", "diagnosis"}
    assert all(set(document) == {"path", "data", "layer"} for document in documents)


def test_a_site_has_its_own_profile(tmp_path: Path) -> None:
    (tmp_path / "profiles").mkdir()
    (tmp_path / "profiles/mine.yml").write_text(
        "version: v1\nkind: health_profile\nid: mine\nextends: running\ntitle: ours\n", encoding="utf-8")
    assert gate_data.profile((str(tmp_path),), "mine")["title"] == "ours"
    data = gate_data.agent((str(tmp_path),), "mine", {}, None)
    assert (data["profile"], data["profiles"][-1]["path"]) == ("mine", "profiles/mine.yml")


@pytest.mark.parametrize("ask", [gate_data.profile, lambda dirs, name: gate_data.agent(dirs, name, {}, None)])
def test_a_profile_that_is_not_there(ask: object) -> None:
    with pytest.raises(FleetError) as error:
        ask((), "nightly")  # type: ignore[operator]
    assert error.value.sentence == "gpu_health_profile: there is no profile 'nightly'; choose one of admission, burn_in, running"
