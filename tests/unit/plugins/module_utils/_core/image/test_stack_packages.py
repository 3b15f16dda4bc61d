# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A layer of the nodes' stack has the versions that the nodes have."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.shape import Package
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.stack_packages import Stacked, held, sources
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.catalogue import Catalogue
from ansible_collections.instinct.fleet.plugins.plugin_utils import rdma_data

OF = Stacked({"rdma-core": "50.0-2ubuntu0.2", "perftest": "24.01.0-1"}, {"libibverbs1": "rdma-core", "librdmacm1t64": "rdma-core"})


def test_a_package_is_of_a_source_by_any_of_its_names() -> None:
    found = sources(Catalogue.from_documents(rdma_data.documents()))
    assert {found[name] for name in ("libibverbs1", "libibverbs", "librdmacm1", "librdmacm1t64", "rdma-core")} == {"rdma-core"}
    assert found["perftest"] == "perftest"


def test_a_new_name_of_what_no_source_has_is_of_none() -> None:
    document = {"path": "s", "data": {"version": "v1", "kind": "rdma_stacks", "stacks": [
        {"name": "own", "packages": {"apt": [{"source": "a", "names": ["a1"]}]}, "sources": ["https://example.org/"],
         "renamed": [{"name": "a1", "to": "a2", "since": ["debian 13"]}, {"name": "b1", "to": "b2", "since": ["debian 13"]}]}]}}
    assert sources(Catalogue.from_documents([document])) == {"a1": "a", "a2": "a"}


def test_versions_are_the_nodes() -> None:
    given = (Package("libibverbs1", ""), Package("librdmacm1t64", "50.0-2ubuntu0.2"), Package("perftest", ""))
    assert held("layer", given, OF) == (
        Package("libibverbs1", "50.0-2ubuntu0.2"), Package("librdmacm1t64", "50.0-2ubuntu0.2"), Package("perftest", "24.01.0-1"))


@pytest.mark.parametrize(("package", "of", "sentence"), [
    (Package("libibverbs1", "50.0-2build2"), OF, "layer: libibverbs1 50.0-2build2 is not the 50.0-2ubuntu0.2 that the nodes have by "
     "rocm_image_rdma_versions; leave the version out, or bring nodes and image to one"),
    (Package("libionic1", "1"), OF, "layer: libionic1 is from stack.rdma, and rocm_image_rdma_versions has no libionic1; "),
    (Package("libibverbs1", ""), Stacked({"perftest": "1"}, OF.sources), "layer: libibverbs1 is from stack.rdma, and rocm_image_rdma_versions has "
     "no rdma-core; name its version there, or take the package in another layer"),
    (Package("libibverbs1", "1"), Stacked(), "layer: is from stack.rdma, and no version of the nodes' RDMA is named; name them in "
     "rocm_image_rdma_versions, which is rdma_stack_versions where that is set"),
])
def test_what_the_nodes_do_not_have_is_refused(package: Package, of: Stacked, sentence: str) -> None:
    with pytest.raises(FleetError) as refusal:
        held("layer", (package,), of)
    assert refusal.value.sentence.startswith(sentence)
