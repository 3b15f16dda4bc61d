# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The catalogue: files of a site over ours, and names that are none."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError, FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.tuning.catalogue import Catalogue

WHY = {"why": "because", "sources": ["a page"], "confidence": "documented"}


def settings(*values: tuple[str, str], layer: int = 0) -> dict[str, t.Any]:
    records = [{"id": ident, "kind": "sysctl", "name": "vm.x", "value": value, **WHY} for ident, value in values]
    return {"path": f"s{layer}.yml", "layer": layer, "data": {"version": "v1", "kind": "tuning_settings", "settings": records}}


def profile(name: str, *idents: str, layer: int = 0) -> dict[str, t.Any]:
    data = {"version": "v1", "kind": "tuning_profile", "name": name, "settings": list(idents)}
    return {"path": f"p{layer}.yml", "layer": layer, "data": data}


def test_a_later_layer_replaces_the_record_of_the_same_id() -> None:
    found = Catalogue.from_documents([settings(("a", "1"), ("b", "1")), profile("p", "a"), settings(("a", "2"), layer=1),
                                      profile("p", "b", layer=1)])
    assert {ident: setting.value for ident, setting in found.settings.items()} == {"a": "2", "b": "1"}
    assert (found.profile("p").settings, found.setting("a", "x").value) == (("b",), "2")


@pytest.mark.parametrize(("documents", "sentence"), [
    ([settings(("a", "1"), ("a", "2"))], "s0.yml: settings[1].id: 'a' is also s0.yml: settings[0]; rename one"),
    ([profile("p", "a")], "p0.yml: settings: there is no setting 'a'; correct the id"),
    ([profile("p")], "p0.yml: settings: is empty; name settings"),
    ([{**profile("p"), "data": {"version": "v1", "kind": "knobs"}}], "p0.yml: kind: is 'knobs'; choose one of tuning_settings, tuning_profile"),
])
def test_what_is_not_right_is_named_by_its_path(documents: list[dict[str, t.Any]], sentence: str) -> None:
    with pytest.raises(DataError) as refusal:
        Catalogue.from_documents(documents)
    assert refusal.value.sentence == sentence


def test_a_name_that_is_none_is_told_with_the_one_it_resembles() -> None:
    found = Catalogue.from_documents([settings(("huge-pages", "1")), profile("training", "huge-pages")])
    with pytest.raises(FleetError, match=r"host_tuning_profile: there is no profile 'trainng'; did you mean training\?"):
        found.profile("trainng")
    with pytest.raises(FleetError, match="host_tuning_skip: there is no setting 'x'; choose one of huge-pages"):
        found.setting("x", "host_tuning_skip")
