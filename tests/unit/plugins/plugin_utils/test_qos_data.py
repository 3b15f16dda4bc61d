# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a node is given of quality of service: short paths, strictly read, and read again by the command."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._qos import data
from ansible_collections.instinct.fleet.plugins.plugin_utils import qos_data
from ansible_collections.instinct.fleet.tests.unit.support.qos_data import profile

OPTIONS: dict[str, t.Any] = {"profile": "serving", "schedule": [], "gpus": [], "catalogue_dirs": [], "unsupported": "refuse", "timeout": 60,
                             "lock_timeout": 30}


def site(folder: Path, **files: t.Any) -> dict[str, t.Any]:
    """Options with a site's directory of profiles."""
    (folder / "profiles").mkdir()
    for name, raw in files.items():
        (folder / f"profiles/{name}.yml").write_text(yaml.safe_dump(raw))
    return {**OPTIONS, "catalogue_dirs": [str(folder)]}


def test_the_command_reads_what_is_written(tmp_path: Path) -> None:
    for name, raw in (("data", qos_data.agent([])), ("intent", qos_data.intent(OPTIONS))):
        (tmp_path / name).write_text(json.dumps(raw))
    known = data.read_known(str(tmp_path / "data"))
    assert known.products["MI210"].sclk_max_mhz == 1700
    assert any("740f" in product.pci_ids for product in known.ids)
    asked = data.read_intent(str(tmp_path / "intent"), known, "applied", "me")
    assert (asked.base, asked.profiles["serving"].of("MI210")["performance_level"]) == ("serving", "high")


def test_a_site_replaces_a_profile(tmp_path: Path) -> None:
    options = site(tmp_path, mine=profile("serving", power_cap="50%"))
    (found,) = qos_data.chosen(options)
    assert (found["data"]["settings"], found["path"], found["layer"]) == ({"power_cap": "50%"}, "profiles/mine.yml", 1)


def test_without_a_name_there_is_no_profile() -> None:
    assert qos_data.chosen({**OPTIONS, "profile": ""}) == []


@pytest.mark.parametrize(("files", "words"), [
    ({"a": profile("x"), "b": profile("x")}, "b.yml: name: 'x' is also that of "), ({"a": []}, "a.yml: is not a mapping"),
    ({"a": {"kind": "other"}}, "a.yml: kind: is 'other'; choose one of qos_products, qos_profile"),
    ({"a": profile("serving", power_cap=1)}, "a.yml: settings.power_cap: is a number, not text"),
])
def test_a_file_that_is_wrong_is_named(tmp_path: Path, files: dict[str, t.Any], words: str) -> None:
    with pytest.raises(FleetError) as error:
        qos_data.chosen(site(tmp_path, **files))
    assert words in error.value.sentence
