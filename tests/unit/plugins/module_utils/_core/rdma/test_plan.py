# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is done to a node for RDMA, and what keeps it from that."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.act.fileset import Seen as SeenFile
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.plan import (
    ENVIRON,
    MODULES,
    NAMES,
    Plan,
    plan,
    refusal,
    removal,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.seen import Seen
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.wish import Wish
from ansible_collections.instinct.fleet.tests.unit.support.rdma import (
    CATALOGUE,
    IONIC,
    MLX5,
    NOTHING,
    PINNED,
    PLAIN,
    RXE,
    VERSIONS,
    WISH,
)

HEAD = "# Managed by instinct.fleet, changes are overwritten.\n"
OFED = "2410mlnx54-1.2410068"


def texts(found: Plan) -> dict[str, str | None]:
    """Path of each file to what it is to hold."""
    return {one.wanted.path: None if one.wanted.content is None else one.wanted.content.decode() for one in found.files}


def with_files(seen: Seen, found: Plan) -> Seen:
    """The node after the plan."""
    files = {one.wanted.path: SeenFile("file", one.wanted.content or b"", owner="root", group="root", mode=0o644)
             for one in found.files}
    return dc.replace(seen, files={**seen.files, **files})


def test_a_node_gets_what_its_nic_needs_once() -> None:
    bare = dc.replace(IONIC, packages={"libibverbs1": "44.0-2", "rdma-core": "43.0-1"}, modules={"ionic"})
    found = plan(CATALOGUE, bare, dc.replace(WISH, names="kernel"))
    assert found.install == ("rdma-core=44.0-2", "ibverbs-providers=44.0-2", "librdmacm1=44.0-2", "ibverbs-utils=44.0-2",
                             "perftest=4.5-1")
    assert (found.hold, found.load) == (tuple(PINNED), ("ionic_rdma", "ib_uverbs"))
    assert texts(found) == {
        ENVIRON: f"{HEAD}IONIC_LOCKFREE=all\nNCCL_GDR_FLUSH_DISABLE=1\nNCCL_IB_GID_INDEX=3\nNCCL_IB_HCA==ionic_0:1\nNCCL_IB_USE_INLINE=1\n"
                 "RCCL_GDR_FLUSH_GPU_MEM_NO_RELAXED_ORDERING=0\n",
        MODULES: f"{HEAD}ionic\nionic_rdma\nib_uverbs\n",
        NAMES: f'{HEAD}ACTION=="add", SUBSYSTEM=="infiniband", PROGRAM="rdma_rename %k NAME_KERNEL"\n'}
    assert found.actions == (f"write {ENVIRON}", f"write {MODULES}", f"write {NAMES}", "load ionic_rdma", "load ib_uverbs")
    there = with_files(IONIC, found)
    assert plan(CATALOGUE, there, dc.replace(WISH, names="kernel")) == Plan(hold=tuple(PINNED))
    assert removal(CATALOGUE, there, WISH).actions == (f"remove {ENVIRON}", f"remove {MODULES}", f"remove {NAMES}")
    without = dc.replace(there, nics=(), devices=(), ports=())
    assert plan(CATALOGUE, without, WISH) == Plan(files=removal(CATALOGUE, there, WISH).files)
    # What was held when there were NICs is let go without them.
    assert removal(CATALOGUE, without, WISH).hold == tuple(PINNED)


@pytest.mark.parametrize(("system", "name"), [("debian 12", "librdmacm1"), ("ubuntu 24.04", "librdmacm1t64"), ("debian 13", "librdmacm1t64")])
def test_a_library_has_the_name_that_the_system_has_for_it(system: str, name: str) -> None:
    seen = dc.replace(MLX5, packages={}, system=system)
    assert f"{name}=44.0-2" in plan(CATALOGUE, seen, WISH).install and name in plan(CATALOGUE, seen, WISH).hold
    ofed = dc.replace(seen, packages={"rdma-core": "44.0-2", name: OFED})
    assert refusal(CATALOGUE, ofed, PLAIN) and name in CATALOGUE.packages


@pytest.mark.parametrize("part", ["nics", "devices", "ports"])
def test_nics_that_cannot_be_read_are_no_absence(part: str) -> None:
    against = refusal(CATALOGUE, dc.replace(NOTHING, unknown={part: "no answer from the driver in 10 s"}), PLAIN)
    assert against and against.sentence == ("RDMA of the node: cannot be read: no answer from the driver in 10 s; "
                                            "mend that on the node; nothing was changed")


def test_states_that_need_little() -> None:
    assert plan(CATALOGUE, NOTHING, WISH) == Plan()
    assert plan(CATALOGUE, RXE, PLAIN) == Plan()
    assert plan(CATALOGUE, dc.replace(MLX5, manager="dnf", packages=None), WISH).install[0] == "rdma-core-44.0-2"


@pytest.mark.parametrize(("seen", "wish", "sentence"), [
    (MLX5, Wish("ofed", VERSIONS), "rdma_stack_stack: the catalogue of RDMA has no 'ofed'; choose one of broadcom, doca, inbox, pollara"),
    (MLX5, Wish("inbox", {"rdma-core": "1"}), "rdma_stack_versions: has no version of perftest, of which the stack inbox has "
                                              "perftest; add perftest: <version>"),
    (MLX5, Wish("inbox", {**VERSIONS, "libibverbs1": "1"}), "rdma_stack_versions: the stack inbox has no source 'libibverbs1'; "
                                                            "it has rdma-core, perftest"),
    (dc.replace(MLX5, manager="zypper"), Wish("doca", VERSIONS), "stack doca: has no packages for zypper; "),
    (dc.replace(MLX5, manager=None), WISH, "stack inbox: has no packages for an unknown package manager; "),
])
def test_pins_that_do_not_fit(seen: Seen, wish: Wish, sentence: str) -> None:
    with pytest.raises(FleetError) as caught:
        plan(CATALOGUE, seen, wish)
    assert caught.value.sentence.startswith(sentence)


@pytest.mark.parametrize(("packages", "paths", "wish", "words"), [
    ({**PINNED, "libibverbs1": OFED}, (), PLAIN, "libibverbs1 2410mlnx54-1.2410068 beside rdma-core 44.0-2, "),
    (dict.fromkeys(PINNED, OFED), (), WISH, "is not of the stack inbox; name the stack that the node has in rdma_stack_stack"),
    ({}, ("/usr/local/lib/libbnxt_re-rdmav34.so", "/usr/lib64/libibverbs/libbnxt_re-rdmav34.so"), PLAIN,
     "/usr/local/lib/libbnxt_re-rdmav34.so beside /usr/lib64/libibverbs/libbnxt_re-rdmav34.so: "),
    ({"libionic1": "54.0-149", "ibverbs-providers": "61.0-1"}, (), PLAIN, "libionic1 54.0-149 beside ibverbs-providers 61.0-1"),
])
def test_what_is_mixed_is_refused(packages: dict[str, str], paths: tuple[str, ...], wish: Wish, words: str) -> None:
    against = refusal(CATALOGUE, dc.replace(MLX5, packages=packages, paths=paths), wish)
    assert against
    assert words in against.sentence
    assert against.hint


@pytest.mark.parametrize(("packages", "paths", "wish"), [
    (PINNED, (), WISH), (None, (), WISH), (dict.fromkeys(PINNED, OFED), (), PLAIN), (PINNED, (), Wish("doca", VERSIONS)),
    ({}, ("/usr/local/lib/libbnxt_re-rdmav34.so",), PLAIN), ({"libionic1": "54.0"}, (), PLAIN),
    ({"libionic1": "54.0", "ibverbs-providers": "57.0-1"}, ("/usr/lib/x86_64-linux-gnu/libibverbs/libionic-rdmav57.so",), PLAIN),
    ({}, ("/usr/lib64/libibverbs/libbnxt_re-rdmav34.so", "/usr/local/lib/sub/libbnxt_re-rdmav34.so"), PLAIN),
])
def test_what_is_of_one_hand_is_not(packages: dict[str, str] | None, paths: tuple[str, ...], wish: Wish) -> None:
    assert refusal(CATALOGUE, dc.replace(MLX5, packages=packages, paths=paths), wish) is None
