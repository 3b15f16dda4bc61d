# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is told of RDMA on a node, and what does not work though everything was done."""

from __future__ import annotations

import dataclasses as dc
import json

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.ibv_devinfo import Complaint, Said
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.report import failure, report
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.seen import Seen
from ansible_collections.instinct.fleet.tests.unit.support.rdma import (
    CATALOGUE,
    IONIC,
    MLX5,
    NOTHING,
    PINNED,
    RXE,
    WISH,
)

OLD = dc.replace(MLX5, said=Said(complaints=(Complaint("mlx5", 4, 1, 1, "mlx5_0"),)))
MIXED = dc.replace(MLX5, packages={**PINNED, "librdmacm1": "1mlnx2"})


def test_a_good_node() -> None:
    said = report(CATALOGUE, dc.replace(MLX5, drivers={"mlx5_core": "6.8.0"}), WISH)
    assert (said["as_wanted"], said["fabric"], said["families"], said["refusal"]) == (True, "hardware", {"0000:c1:00.0": "mlx5"}, "")
    assert said["devices"] == [{"name": "mlx5_0", "verbs": "uverbs0", "driver": "mlx5_core", "abi": 1, "firmware": "28.46.3048"}]
    assert report(CATALOGUE, dc.replace(MLX5, said=None), WISH)["devices"][0]["firmware"] is None
    assert (said["install"], said["hold"], said["manager"]) == ([], list(PINNED), "apt")
    assert said["drivers"] == {"mlx5_core": "6.8.0"}
    assert said["environment"] == {"NCCL_IB_HCA": "=mlx5_0:1", "NCCL_IB_GID_INDEX": "3"}
    assert json.loads(json.dumps(said))["checks"][0]["verdict"] == "pass"


@pytest.mark.parametrize(("seen", "as_wanted", "fabric"), [
    (IONIC, True, "hardware"), (RXE, True, "software"), (NOTHING, True, "none"), (OLD, False, "hardware"),
    (dc.replace(MLX5, said=None), False, "hardware"), (dc.replace(MLX5, holds=()), False, "hardware"),
])
def test_what_is_unknown_is_not_as_wanted(seen: Seen, as_wanted: bool, fabric: str) -> None:
    said = report(CATALOGUE, seen, WISH)
    assert (said["as_wanted"], said["fabric"]) == (as_wanted, fabric)


def test_nics_that_cannot_be_read_are_not_as_wanted() -> None:
    said = report(CATALOGUE, dc.replace(NOTHING, unknown={"nics": "no /sys"}), WISH)
    assert (said["as_wanted"], said["fabric"], said["refusal"]) == (
        False, "unknown", "RDMA of the node: cannot be read: no /sys; mend that on the node; nothing was changed")


def test_a_mixture_is_told() -> None:
    assert report(CATALOGUE, MIXED, WISH)["refusal"].startswith("RDMA stack: librdmacm1 1mlnx2 beside rdma-core 44.0-2")


def test_a_failure_names_everything() -> None:
    assert failure(CATALOGUE, dc.replace(MLX5, holds=()), WISH) is None
    wrong = failure(CATALOGUE, OLD, WISH)
    assert wrong
    assert wrong.sentence == (
        "RDMA: mlx5_0 should have a provider that speaks ABI 1: mlx5 speaks 1 to 1, and the driver 4 (stacks for mlx5: inbox, doca); "
        "mlx5_0 should have a device that libibverbs opens: ibv_devinfo does not list it; "
        "install user space and kernel driver of one hand and one release")
