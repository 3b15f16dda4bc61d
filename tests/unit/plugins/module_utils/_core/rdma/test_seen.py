# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields of RDMA on a node that others are told of."""

from __future__ import annotations

from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.seen import Port


def test_a_port_is_named_as_rccl_names_it() -> None:
    assert Port("mlx5_0", 2).name == "mlx5_0:2"
