# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a node is given of the catalogue: short paths, strictly read, and read again by the command."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._partition import data
from ansible_collections.instinct.fleet.plugins.plugin_utils import partition_data

OPTIONS: dict[str, t.Any] = {
    "profile": "cpx-nps4", "gpus": [], "catalogue_dirs": [], "accept": ["documented"], "stop_units": [], "reload_allowed": True,
    "reservations": [{"tenant": "blue", "devices": [], "count": 3, "of": "device"}], "timeout": 300, "lock_timeout": 30}
RULES = [{"gpus": [0], "compute": "CPX", "memory": "NPS4"}]


def write(folder: Path, raw: object) -> str:
    path = folder / "file.json"
    path.write_text(json.dumps(raw))
    return str(path)


def test_paths_are_those_of_every_control_machine() -> None:
    paths = [document["path"] for document in partition_data.capabilities([])["documents"]]
    assert paths == ["partitioning/drivers.yml", "partitioning/products.yml"]
    found = partition_data.profile([], "cpx-nps4")
    assert found is not None and found["path"] == "profiles/cpx-nps4.yml"


def test_the_command_reads_what_is_written(tmp_path: Path) -> None:
    known = data.read_known(write(tmp_path, partition_data.agent([])))
    assert known.capabilities.products["MI300X"].xcds == 8
    assert any("74a1" in product.pci_ids for product in known.products)
    request = data.read_intent(write(tmp_path, partition_data.intent(OPTIONS)), known)
    assert request.profile is not None and request.profile.name == "cpx-nps4"
    assert request.claims[0].count == 3
    rules = data.read_intent(write(tmp_path, partition_data.intent({**OPTIONS, "profile": "", "gpus": RULES})), known)
    assert rules.profile is not None and rules.profile.rules[0].compute == "CPX"


def test_without_a_name_there_is_no_profile() -> None:
    assert partition_data.profile([], "") is None


def site(folder: Path, text: str) -> list[str]:
    (folder / "profiles").mkdir()
    (folder / "profiles" / "mine.yml").write_text(text)
    return [str(folder)]


REFUSED: dict[str, tuple[dict[str, t.Any], str]] = {
    "a profile that is none": ({"profile": "cpx-nps8"}, "gpu_partition_profile: there is no profile 'cpx-nps8'"),
    "rules that are none": (
        {"profile": "", "gpus": [{**RULES[0], "memory": "NPS3"}]}, "gpus[0].memory: is 'NPS3'"),
    "a reservation of nothing": ({"reservations": [{"tenant": "x"}]}, "reservations[0]: has both or neither"),
}


@pytest.mark.parametrize(("options", "sentence"), REFUSED.values(), ids=REFUSED)
def test_an_intent_that_cannot_be(options: dict[str, t.Any], sentence: str) -> None:
    with pytest.raises(FleetError) as error:
        partition_data.intent({**OPTIONS, **options})
    assert error.value.sentence.startswith(sentence)


def test_a_profile_of_a_site_is_proved_here(tmp_path: Path) -> None:
    dirs = site(tmp_path, "version: v1\nkind: partition_profile\nname: mine\ngpus: []\n")
    with pytest.raises(FleetError, match=r"mine\.yml: gpus: is empty"):
        partition_data.profile(dirs, "mine")
