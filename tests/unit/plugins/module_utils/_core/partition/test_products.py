# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Product x compute x memory x driver: what is allowed, how well it is known, and the steps; written down by hand.

The tables are for a node in SPX/NPS1 with a library that leaves the reload to us. A cell is one of

    D:MRC   documented, allowed (A) or experimental (E), and the steps: memory, reload, compute
    is      it is so: no step
    parts   no product: more parts of memory than devices
    no      not this product
    new     only with a newer driver
    one     it cannot be partitioned
    host    a virtual function has the modes of its host
"""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.gpus import Gpus
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.shape import COMPUTE, MEMORY
from ansible_collections.instinct.fleet.tests.unit.support.partitions import (
    DRIVERS,
    node,
    plan,
    refusal,
    steps,
    virtual,
)

TABLES = """
MI300X on 6.10
        NPS1    NPS2    NPS4    NPS8
SPX     is      parts   parts   parts
DPX     A:C     E:MR    parts   parts
TPX     no      no      parts   parts
QPX     A:C     no      A:MRC   parts
CPX     A:C     no      E:MR    no

MI300X on 6.12 6.14 6.16 6.19 in-tree
        NPS1    NPS2    NPS4    NPS8
SPX     is      parts   parts   parts
DPX     A:C     D:MR    parts   parts
TPX     no      no      parts   parts
QPX     A:C     no      A:MRC   parts
CPX     D:C     no      D:MR    no

MI325X on 6.10 6.12 6.14 6.16 6.19 in-tree
        NPS1    NPS2    NPS4    NPS8
SPX     is      parts   parts   parts
DPX     A:C     A:MR    parts   parts
TPX     no      no      parts   parts
QPX     A:C     no      A:MRC   parts
CPX     A:C     no      A:MR    no

MI350X MI355X on 6.10 6.12
        NPS1    NPS2    NPS4    NPS8
SPX     is      parts   parts   parts
DPX     new     new     parts   parts
TPX     no      no      parts   parts
QPX     new     new     no      parts
CPX     new     new     no      no

MI350X MI355X on 6.14
        NPS1    NPS2    NPS4    NPS8
SPX     is      parts   parts   parts
DPX     A:C     D:MR    parts   parts
TPX     no      no      parts   parts
QPX     A:C     E:MRC   no      parts
CPX     A:C     E:MRC   no      no

MI350X MI355X on 6.16
        NPS1    NPS2    NPS4    NPS8
SPX     is      parts   parts   parts
DPX     A:C     D:MR    parts   parts
TPX     no      no      parts   parts
QPX     A:C     E:MRC   no      parts
CPX     A:C     D:MRC   no      no

MI350X MI355X on 6.19 in-tree
        NPS1    NPS2    NPS4    NPS8
SPX     is      parts   parts   parts
DPX     A:C     D:MR    parts   parts
TPX     no      no      parts   parts
QPX     A:C     D:MRC   no      parts
CPX     A:C     D:MRC   no      no

MI300A on 6.10
        NPS1    NPS2    NPS4    NPS8
SPX     is      parts   parts   parts
DPX     no      no      parts   parts
TPX     D:C     no      parts   parts
QPX     no      no      no      parts
CPX     A:C     no      no      parts

MI300A on 6.12 6.14 6.16 6.19 in-tree
        NPS1    NPS2    NPS4    NPS8
SPX     is      parts   parts   parts
DPX     no      no      parts   parts
TPX     D:C     no      parts   parts
QPX     no      no      no      parts
CPX     D:C     no      no      parts

MI210 MI250X on 6.10 6.12 6.14 6.16 6.19 in-tree
        NPS1    NPS2    NPS4    NPS8
SPX     is      one     one     one
DPX     one     one     one     one
TPX     one     one     one     one
QPX     one     one     one     one
CPX     one     one     one     one

VF on 6.10 6.12 6.14 6.16 6.19 in-tree
        NPS1    NPS2    NPS4    NPS8
SPX     is      host    host    host
DPX     host    host    host    host
TPX     host    host    host    host
QPX     host    host    host    host
CPX     host    host    host    host
"""
# What the refusal of a cell says.
SAYS = {
    "one": "cannot be partitioned", "parts": "parts of memory for", "no": " cannot be ", "new": " from amdgpu ",
    "host": "has the modes of its host",
}
STANDING = {"A": "allowed", "E": "experimental"}
Grid = dict[str, dict[str, str]]


def grids() -> dict[tuple[str, str], Grid]:
    """(product, driver) -> compute mode -> memory mode -> cell."""
    found = {}
    for table in TABLES.strip().split("\n\n"):
        head, columns, *rows = table.splitlines()
        products, drivers = (words.split() for words in head.split(" on "))
        grid = {row.split()[0]: dict(zip(columns.split(), row.split()[1:])) for row in rows}
        found.update({(product, driver): grid for product in products for driver in drivers})
    return found


GRIDS = grids()


def test_tables_are_whole() -> None:
    products = ("MI300X", "MI300A", "MI325X", "MI350X", "MI355X", "MI210", "MI250X", "VF")
    assert set(GRIDS) == {(product, driver) for product in products for driver in DRIVERS}
    assert {tuple(grid) for grid in GRIDS.values()} == {COMPUTE}
    assert {tuple(row) for grid in GRIDS.values() for row in grid.values()} == {MEMORY}


def judged(gpus: Gpus, mode: str, driver: str | None) -> str:
    """The cell that the planner comes to. How well a pair is known is found by what alone must be accepted for it."""
    said = refusal(gpus, mode, driver_version=driver)
    if said:
        return next((cell for cell, words in SAYS.items() if words in said), said)
    takes = {name: refusal(gpus, mode, (standing,), driver_version=driver) for name, standing in STANDING.items()}
    known = "".join(name for name, words in takes.items() if not words)
    known = known if refusal(gpus, mode, (), driver_version=driver) else "D"
    does = steps(plan(gpus, mode, driver_version=driver))
    return f"{known}:{does}" if does else "is"


@pytest.mark.parametrize(("product", "driver"), GRIDS)
def test_pairs_are_allowed_or_refused_as_the_tables_say(product: str, driver: str) -> None:
    gpus = virtual() if product == "VF" else node(product)
    found = {compute: {memory: judged(gpus, f"{compute}/{memory}", DRIVERS[driver]) for memory in MEMORY}
             for compute in COMPUTE}
    assert found == GRIDS[product, driver]
