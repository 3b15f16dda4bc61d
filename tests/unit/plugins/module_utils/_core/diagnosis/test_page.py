# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages in Markdown."""

from __future__ import annotations

import re

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.diagnosis.fleet import node
from ansible_collections.instinct.fleet.plugins.module_utils._core.diagnosis.page import escaped, fleet_page, page
from ansible_collections.instinct.fleet.tests.unit.support.diagnoses import diagnosis, finding

NO_BUILD = finding(
    "no-build", "kernel 6.8.0-44-generic has no amdgpu build", count=2, evidence=["dkms: | none |", "# a\nb"],
    consequences=[{"id": "unbound", "subject": "node", "summary": "8 GPUs have no driver"}])
OPEN = {"id": "acs", "subjects": ["0000:05:00.0", "0000:26:00.0"], "verdict": "fail", "wanted": "off", "seen": "on | 0x1d"}
SICK = node("a_b", {"diagnosis": diagnosis(
    "fail", NO_BUILD, checks={"counts": {}, "open": [OPEN]}, unknown=[{"what": "host: clock", "why": "no", "needed": False}],
    files=["lspci.txt: PCI devices"])})
GOOD = node("b", {"diagnosis": diagnosis("pass", seen={})})
GONE = node("c", {"unreachable": True, "msg": "no *route*"})


def test_page() -> None:
    assert page(SICK) == """\
# a\\_b: fail

**kernel 6.8.0-44-generic has no amdgpu build**

Next: mend no-build

* System: Ubuntu 24.04.3 LTS
* Kernel: 6.8.0-44-generic
* Driver: not loaded
* ROCm: 7.0.2
* GPUs: 8 x MI300X

## Findings

### kernel 6.8.0-44-generic has no amdgpu build

no-build: error, driver, node, seen 2 times.

Why: because of no-build

Next: mend no-build

    dkms: | none |
    # a b

What follows from it:

* 8 GPUs have no driver \\[unbound\\]

Source: https://docs.example/no-build (documented)

## What was judged and is not as it should be

| check | of | verdict | wanted | seen |
| --- | --- | --- | --- | --- |
| acs | 0000:05:00.0, 0000:26:00.0 | fail | off | on \\| 0x1d |

## What could not be read

| what | why |
| --- | --- |
| host: clock | no |

## What the files told

* lspci.txt: PCI devices
"""


def test_page_of_a_node_with_nothing_to_tell() -> None:
    assert page(GOOD).startswith("# b: pass\n\n**nothing is wrong**\n\nNext: nothing to do\n\n* System: not known\n")
    assert page(GOOD).endswith("## Findings\n\nNone.\n")
    assert page(GONE) == "# c: unreachable\n\nno \\*route\\*.\n"
    assert page(node("d", {"unreachable": True})) == "# d: unreachable\n\nIt has no diagnosis.\n"


def test_page_of_the_fleet() -> None:
    assert fleet_page([SICK, GOOD, GONE], {"a_b": "a_b", "b": "b"}) == """\
# Diagnosis

3 nodes: 1 fail, 1 unreachable, 1 pass.

## Root causes

### 1 node: kernel 6.8.0-44-generic has no amdgpu build

Next: mend no-build

[a\\_b](a_b.md)

### 1 node: unreachable: no \\*route\\*

c

## Nodes

| node | verdict | root finding | next action |
|---|---|---|---|
| [a\\_b](a_b.md) | fail | kernel 6.8.0-44-generic has no amdgpu build | mend no-build |
| [b](b.md) | pass | nothing is wrong | nothing to do |
| c | unreachable | no \\*route\\* |  |
"""
    assert "## Root causes\n\nNone.\n\n## Nodes" in fleet_page([GOOD], {})


def test_a_root_cause_names_some_of_many_nodes() -> None:
    many = [node(f"n{number}", {"diagnosis": diagnosis("fail", NO_BUILD)}) for number in range(1000)]
    (named,) = re.findall(r"^n0, .*$", fleet_page(many, {}), re.MULTILINE)
    assert named.endswith("n199, and 800 more")


@pytest.mark.parametrize(("words", "shown"), [
    ("[a](http://x) <b> `c` | #", "\\[a\\](http://x) \\<b\\> \\`c\\` \\| \\#"), ("a\n\n# b\x1b[1m", "a \\# b \\[1m"), ("a\\|b", "a\\\\\\|b"),
])  # fmt: skip
def test_words_of_hosts_are_no_markup(words: str, shown: str) -> None:
    assert escaped(words) == shown


def test_the_fleet_page_names_gpus_behind_their_node() -> None:
    hot = node("a_b", {"diagnosis": diagnosis("fail", finding("hot", "hot", subject="0000:05:00.0"))})
    assert "\n[a\\_b](x.md) \\[0000:05:00.0\\]\n" in fleet_page([hot], {"a_b": "x"})
