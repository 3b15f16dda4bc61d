# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fleet files: what is read, and in which words the rest is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from simhost.errors import SimError
from simhost.fleetfile import Node, check, parse

DEMO = Path(__file__).resolve().parents[3] / "inventories" / "demo" / "fleet.yml"
GOOD = [
    ("defaults", "nodes:\n  - name: a\n", (Node("a"),)),
    ("comments, quotes, blank lines",
     "---\n# fleet\nnodes:  # all\n\n  - name: 'a-1'  # first\n    image: \"trixie\"\n",
     (Node("a-1", image="trixie"),)),
    ("two nodes", "nodes:\n  - name: a\n    gpus: 4\n  - name: b\n    product: mi210\n",
     (Node("a", gpus=4), Node("b", product="mi210"))),
    ("JSON as molecule writes it",
     '[{"name": "a", "release": "7.0.2", "groups": ["g"], "gpus": 0}]', (Node("a", release="7.0.2", gpus=0),)),
    ("JSON with a key", '{"nodes": [{"name": "a"}]}', (Node("a"),)),
    ("no nodes", "nodes:\n", ()),
]
BAD = [
    ("a key that is not known",
     "nodes:\n  - name: a\n    color: red\n", "node a: unknown key color; there are name, image, "),
    ("no name", "nodes:\n  - image: trixie\n", "a node's name must be like mi300x-a, not None"),
    ("a name that no host can have", "nodes:\n  - name: A_1\n", "must be like mi300x-a, not 'A_1'"),
    ("too many GPUs", "nodes:\n  - name: a\n    gpus: 9\n", "node a: gpus is 9; it must be 0 to 8"),
    ("GPUs in words", "nodes:\n  - name: a\n    gpus: eight\n", "node a: gpus is eight; it must be 0 to 8"),
    ("a name twice", "nodes:\n  - name: a\n  - name: a\n", "node a is there twice"),
    ("a key twice", "nodes:\n  - name: a\n    gpus: 1\n    gpus: 2\n", "line 4 of the fleet file says gpus again"),
    ("nesting", "nodes:\n  - name: a\n    gpus:\n      - 1\n", "line 3 of the fleet file is not understood: 'gpus:'"),
    ("another top", "hosts:\n  - name: a\n", "line 1 of the fleet file is not understood: 'hosts:'"),
    ("JSON cut off", '{"nodes": [', "the fleet file is not JSON: "),
    ("JSON of another shape", '{"nodes": "a"}', "the fleet file must hold a list of nodes"),
]


@pytest.mark.parametrize(("text", "nodes"), [case[1:] for case in GOOD], ids=[case[0] for case in GOOD])
def test_parse_reads(text, nodes):
    assert parse(text) == nodes


@pytest.mark.parametrize(("text", "words"), [case[1:] for case in BAD], ids=[case[0] for case in BAD])
def test_parse_refuses_in_words(text, words):
    with pytest.raises(SimError, match=re.escape(words)):
        parse(text)


def test_check_refuses_what_there_is_nothing_for():
    known = {"image": ["bookworm"], "product": ["mi300x", "mi210"], "release": ["7.0.2"]}
    check([Node("a"), Node("b", product="mi210", release="7.0.2")], known)
    for node, words in (
        (Node("a", image="sid"), "node a: there is no image 'sid'; there are bookworm"),
        (Node("b", product="mi999"), "node b: there is no product 'mi999'; there are mi300x, mi210"),
        (Node("c", release="9.9"), "node c: there is no release '9.9'; there are 7.0.2"),
    ):
        with pytest.raises(SimError, match=f"^{re.escape(words)}$"):
            check([Node("z"), node], known)


def test_parse_reads_the_demo():
    assert [(node.product, node.gpus) for node in parse(DEMO.read_text(encoding="utf-8"))] == [
        ("mi300x", 8), ("mi300x", 8), ("mi210", 4)]
