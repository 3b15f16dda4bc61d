# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One image for many nodes: the inventory's word counts, else that of the nodes; where they differ it is one sentence."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.needs import (
    NOT_ASKED,
    Needs,
    Node,
    needs,
    open_ends,
)

A, B = Node("a", 109, ("gfx942",), {"mlx5": 1}), Node("b", 109, ("gfx950",), {"bnxt_re": 6})
OTHER, SILENT = Node("c", 44, ("gfx942",), {"mlx5": 2}), Node("d")
NOTHING: tuple[int, tuple[str, ...], dict[str, int]] = (NOT_ASKED, (), {})
MANY = [Node(f"n{number}", 44) for number in range(5)]
GOOD: dict[str, tuple[list[Node], tuple[t.Any, ...], Needs]] = {
    "nobody says anything": ([], NOTHING, Needs(NOT_ASKED, (), {})),
    "a node that knows nothing": ([SILENT], NOTHING, Needs(NOT_ASKED, (), {})),
    "nodes say all": ([A, SILENT], NOTHING, Needs(109, ("gfx942",), {"mlx5": 1})),
    "of several kinds": ([A, B], NOTHING, Needs(109, ("gfx942", "gfx950"), {"bnxt_re": 6, "mlx5": 1})),
    "the inventory alone": ([], (44, ("gfx90a",), {"mlx5": 1}), Needs(44, ("gfx90a",), {"mlx5": 1})),
    "the inventory of nodes that do not know": ([SILENT], (44, ("gfx90a",), {"mlx5": 1}), Needs(44, ("gfx90a",), {"mlx5": 1})),
    "the inventory chooses": ([A, OTHER], (44, ("gfx942",), {"mlx5": 2}), Needs(44, ("gfx942",), {"mlx5": 2})),
    "the inventory says all of RDMA": ([A], (NOT_ASKED, (), {"ionic": 1}), Needs(109, ("gfx942",), {"ionic": 1})),
    "number 0 is one": ([A, Node("r", 0)], (0, (), {}), Needs(0, ("gfx942",), {"mlx5": 1})),
}
BAD: dict[str, tuple[list[Node], tuple[t.Any, ...], str]] = {
    "groups differ": ([A, *MANY], NOTHING,
                      "rocm_image_render_gid: one image has one number of the group render, and nodes differ: 109 on a, 44 on n0 n1 n2 and 2 more; name "
                      "the one that it is for (others are told), or bring an image to each kind with --limit"),
    "ABIs differ": ([A, OTHER], (109, (), {}), "rocm_image_verbs.mlx5: one image has one ABI of RDMA with mlx5, and nodes differ: 1 on a, 2 on c; "),
    "no node has the group": ([A, SILENT], (7, (), {}), "rocm_image_render_gid: is 7, and no node has it: 109 on a; write what nodes have, or leave it out"),
    "no node has the ABI": ([A], (109, (), {"mlx5": 3}), "rocm_image_verbs.mlx5: is 3, and no node has it: 1 on a; "),
    "no node has the GPUs": ([A, B, SILENT], (109, ("gfx90a", "gfx908"), {}),
                             "rocm_image_gfx: is gfx90a gfx908, and no node has it: gfx942 on a, gfx950 on b; "),
}


@pytest.mark.parametrize(("nodes", "asked", "found"), GOOD.values(), ids=GOOD)
def test_needs(nodes: list[Node], asked: tuple[t.Any, ...], found: Needs) -> None:
    assert needs(nodes, *asked) == found


@pytest.mark.parametrize(("nodes", "asked", "said"), BAD.values(), ids=BAD)
def test_needs_that_cannot_be(nodes: list[Node], asked: tuple[t.Any, ...], said: str) -> None:
    with pytest.raises(FleetError) as refused:
        needs(nodes, *asked)
    assert refused.value.sentence.startswith(said)


@pytest.mark.parametrize(("asked", "nodes", "said", "words"), [
    (["a", "b"], [A, B], NOTHING, ""),
    (["a", "b"], [A], (109, ("gfx942",), {"mlx5": 1}), ""),
    (["a", "b"], [], NOTHING, ""),  # then nobody is followed
    (["a", "b"], [A], NOTHING, "1 of 2 nodes did not say what they are (b), so rocm_image_render_gid and rocm_image_gfx and "
                               "rocm_image_verbs follow the others, and a run with all may build another image: name them in the inventory"),
    (["a", "b", "c", "d", "e"], [A], (0, ("gfx942",), {}), "4 of 5 nodes did not say what they are (b c d and 1 more), so rocm_image_verbs "
     "follow the others, and a run with all may build another image: name them in the inventory"),
])
def test_what_another_run_may_decide_otherwise(asked: list[str], nodes: list[Node], said: tuple[t.Any, ...], words: str) -> None:
    assert open_ends(asked, nodes, *said) == words
