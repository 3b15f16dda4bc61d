# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Families, stacks, mixtures and texts, read strictly; those of a site over ours."""

from __future__ import annotations

import copy
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError, FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.catalogue import Catalogue
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.family import IDS
from ansible_collections.instinct.fleet.tests.unit.support.rdma import CATALOGUE

WHY = {"why": "because", "remedy": "mend it", "sources": ["a page"], "confidence": "documented"}
FAMILY: dict[str, t.Any] = {
    "version": "v1", "kind": "rdma_family", "name": "mine", "title": "Mine", "provider": "mine", "drivers": ["mine_core"], "modules": [],
    "sources": ["a page"]}
STACKS: dict[str, t.Any] = {
    "version": "v1", "kind": "rdma_stacks",
    "stacks": [{"name": "own", "packages": {"apt": [{"source": "rdma-core", "names": ["libibverbs1"]}]}, "sources": ["a page"]}],
    "mixtures": [{"id": "two", "one": {"packages": ["a"]}, "other": {"paths": ["/b"]}, **WHY}]}
CHECKS: dict[str, t.Any] = {"version": "v1", "kind": "rdma_checks",
                            "checks": [{"id": "rdma-port", "verdict": "fail", "domain": "fabric", **WHY}]}


def read(*data: dict[str, t.Any]) -> Catalogue:
    return Catalogue.from_documents({"path": f"{number}.yml", "data": one, "layer": number} for number, one in enumerate(data))


def test_ours() -> None:
    assert sorted(CATALOGUE.families) == ["bnxt_re", "ionic", "mlx5", "rxe"]
    assert {CATALOGUE.of_driver(driver) for driver in ("mlx5_core", "bnxt_en", "ionic", "rdma_rxe")} == set(CATALOGUE.families.values())
    assert CATALOGUE.of_driver(None) is None
    assert CATALOGUE.of_pci("15b3", "1021") is CATALOGUE.families["mlx5"]
    assert (CATALOGUE.of_pci("15b3", "101e"), CATALOGUE.of_pci("14e4", "1807"), CATALOGUE.of_pci("1dd8", "1003")) == tuple(
        CATALOGUE.families[name] for name in ("mlx5", "bnxt_re", "ionic"))  # virtual functions
    assert CATALOGUE.of_pci("14e4", "165f") is None  # a BCM5720, which has no RDMA
    assert CATALOGUE.stack("inbox").packages["apt"]["perftest"] == ("perftest",)
    assert {"libionic1", "libibverbs1"} <= set(CATALOGUE.packages)
    assert "/usr/local/lib/libbnxt_re-rdmav*.so" in CATALOGUE.paths
    assert tuple(sorted(CATALOGUE.texts)) == IDS


def test_a_site_adds_and_replaces() -> None:
    found = read(FAMILY, STACKS, CHECKS, {**CHECKS, "checks": [{**CHECKS["checks"][0], "verdict": "warn"}]})
    assert (found.families["mine"].title, found.stacks["own"].mark, found.texts["rdma-port"].verdict) == ("Mine", "", "warn")
    assert (found.packages, found.paths) == (("a", "libibverbs1"), ("/b",))


def changed(data: dict[str, t.Any], *path: t.Any, value: t.Any) -> dict[str, t.Any]:
    found = copy.deepcopy(data)
    place = found
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return found


@pytest.mark.parametrize(("data", "sentence"), [
    ([FAMILY, {**FAMILY, "name": "other"}], "rdma_family other: mine_core is also of mine; name it in one of them"),
    ([FAMILY, changed(STACKS, "stacks", 0, "serves", value=[{"family": "mime", "sources": ["x"], "confidence": "derived"}])],
     "stack own: serves 'mime', which is no family; did you mean mine?"),
    ([FAMILY, changed(STACKS, "stacks", 0, "serves", value=[{"family": "x", "sources": ["x"], "confidence": "derived"}])],
     "stack own: serves 'x', which is no family; choose one of mine"),
    ([changed(FAMILY, "pci", value=["15B3:1021"])], "0.yml: pci[0]: is '15B3:1021', which does not match"),
    ([changed(FAMILY, "environment", value=[{"name": "A", "value": "{port}", "why": "x", "sources": ["y"]}])],
     "0.yml: environment[0].value: is '{port}', which does not match"),
    ([changed(FAMILY, "sources", value=[])], "0.yml:.sources: is empty: a fact without a source is none"),
    ([changed(STACKS, "stacks", 0, "mark", value="(")], "0.yml: stacks[0].mark: is '(', which is no pattern: "),
    ([changed(STACKS, "mixtures", 0, "one", "like", value="[")], "0.yml: mixtures[0].one.like: is '[', which is no pattern: "),
    ([changed(STACKS, "mixtures", 0, "one", value={"like": "x"})], "0.yml: mixtures[0].one: names neither packages nor paths; "),
    ([changed(CHECKS, "checks", 0, "id", value="rdma-prot")], "0.yml: checks[0].id: there is no check 'rdma-prot'; did you mean rdma-port?"),
    ([changed(CHECKS, "checks", 0, "id", value="x")], "0.yml: checks[0].id: there is no check 'x'; choose one of rdma-abi, "),
    ([changed(CHECKS, "checks", 0, "verdict", value="pass")], "0.yml: checks[0].verdict: is 'pass'; choose one of warn, fail"),
    ([changed(FAMILY, "kind", value="rdma")], "0.yml: kind: is 'rdma'; choose one of "),
])
def test_what_is_wrong(data: list[dict[str, t.Any]], sentence: str) -> None:
    with pytest.raises(DataError) as caught:
        read(*data)
    assert caught.value.sentence.startswith(sentence)


def test_names_that_are_none() -> None:
    with pytest.raises(FleetError, match=r"^rdma_stack_stack: the catalogue of RDMA has no 'inbux'; did you mean inbox\?$"):
        CATALOGUE.stack("inbux")
    with pytest.raises(FleetError, match=r"has no 'x'; choose one of bnxt_re, ionic, mlx5, rxe$"):
        CATALOGUE.family("x")
