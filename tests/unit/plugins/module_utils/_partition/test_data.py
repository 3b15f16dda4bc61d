# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of the command: what is written is read again, and what is not so is one sentence."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.claims import Claim
from ansible_collections.instinct.fleet.plugins.module_utils._partition import data
from ansible_collections.instinct.fleet.plugins.module_utils._partition.request import APPLIED, EXPORTED
from ansible_collections.instinct.fleet.tests.unit.plugins.partition_world import KNOWN

RULES = [{"gpus": [0], "compute": "CPX", "memory": "NPS4"}]
DOCUMENT = {"path": "profiles/mine.yml", "layer": 0, "data": {
    "version": "v1", "kind": "partition_profile", "name": "mine", "gpus": RULES}}
OPTIONS: dict[str, t.Any] = {
    "gpus": [], "accept": ["documented", "allowed"], "stop_units": ["a.service"], "reload_allowed": False, "timeout": 200,
    "reservations": [{"tenant": "blue", "count": 3, "of": "gpu"}], "lock_timeout": 7}
PRODUCTS: dict[str, t.Any] = {"documents": [], "products": [{"name": "MI300X", "pci_ids": ["74a1"], "vf_ids": []}]}


def write(folder: Path, raw: object) -> str:
    path = folder / "file.json"
    path.write_text(raw if isinstance(raw, str) else json.dumps(raw))
    return str(path)


def test_intent_with_a_profile(tmp_path: Path) -> None:
    request = data.read_intent(write(tmp_path, data.plain_intent(DOCUMENT, OPTIONS)), KNOWN)
    assert request.profile is not None and request.profile.name == "mine"
    assert (request.state, request.accept, request.stop_units) == (APPLIED, ("documented", "allowed"), ("a.service",))
    assert (request.reload_allowed, request.timeout, request.lock_timeout) == (False, 200, 7)
    assert request.claims == (Claim("blue", (), 3, "gpu"),)


def test_intent_with_rules(tmp_path: Path) -> None:
    request = data.read_intent(write(tmp_path, data.plain_intent(None, {**OPTIONS, "gpus": RULES})), KNOWN)
    assert request.profile is not None and request.profile.rules[0].gpus == ("0",)


def test_what_is_known_of_products(tmp_path: Path) -> None:
    known = data.read_known(write(tmp_path, data.plain_known(PRODUCTS)))
    assert [product.name for product in known.products] == ["MI300X"]
    assert data.exporting(known, "now").state == EXPORTED


INTENT = data.plain_intent(DOCUMENT, OPTIONS)
BAD: dict[str, tuple[object, str]] = {
    "torn": ('{"version"', f"is not JSON; {data.HINT}"), "deep": ("[" * 100000, f"is not JSON; {data.HINT}"),
    "a list": ([], f"is no mapping; {data.HINT}"),
    "another kind": ({**INTENT, "kind": "x"}, "kind: is 'x'; choose one of partition_intent"),
    "rules that are no list": ({**INTENT, "gpus": "all"}, f"gpus or reservations is no list; {data.HINT}"),
    "a standing that there is not": ({**INTENT, "accept": ["documented", "all"]}, (
        "accept: has 'all'; choose of documented, allowed, experimental")),
    "more": ({**INTENT, "extra": 1}, "extra: is not a known key; remove it"),
    "nothing wanted": ({key: value for key, value in INTENT.items() if key != "profile"}, (
        "gpu_partition: neither profile nor gpus is given; give one of them")),
}


@pytest.mark.parametrize(("raw", "words"), BAD.values(), ids=BAD)
def test_an_intent_of_another_form(tmp_path: Path, raw: object, words: str) -> None:
    with pytest.raises(FleetError) as error:
        data.read_intent(write(tmp_path, raw), KNOWN)
    assert error.value.sentence.endswith(words)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FleetError) as error:
        data.read_known(f"{tmp_path}/none")
    assert error.value.sentence == f"{tmp_path}/none: cannot be read: No such file or directory; {data.HINT}"


def test_data_of_another_kind(tmp_path: Path) -> None:
    with pytest.raises(FleetError, match="choose one of partition_data"):
        data.read_known(write(tmp_path, INTENT))
