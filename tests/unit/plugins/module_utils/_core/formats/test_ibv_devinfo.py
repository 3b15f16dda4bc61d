# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What ibv_devinfo says, and what libibverbs complains of."""

from __future__ import annotations

from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.ibv_devinfo import (
    Complaint,
    Listed,
    Said,
    names,
    parse,
)

# As ibv_devinfo 44.0 says it of a device of Soft-RoCE.
OUT = """hca_id:\trxe0
\ttransport:\t\t\tInfiniBand (0)
\tfw_ver:\t\t\t\t0.0.0
\tnode_guid:\t\t\t5054:00ff:fe12:3456
\tphys_port_cnt:\t\t\t1
\t\tport:\t1
\t\t\tstate:\t\t\tPORT_ACTIVE (4)
\t\t\tactive_mtu:\t\t1024 (3)
\t\t\tlink_layer:\t\tEthernet

hca_id:\trxe1
\tfw_ver:\t\t\t\t0.0.1
\t\tport:\t1
\t\t\tstate:\t\t\tPORT_DOWN (1)

"""
ERR = """libibverbs: Warning: Driver ionic does not support the kernel ABI of 4 (supports 1 to 1) for device /sys/class/infiniband/ionic_0
Driver bnxt_re does not support the kernel ABI of 6 (supports 1 to 1)
libibverbs: Warning: couldn't load driver 'libmlx5-rdmav34.so': libmlx5-rdmav34.so: cannot open shared object file
libibverbs: Warning: couldn't load driver 'libmlx5-rdmav34.so': libmlx5-rdmav34.so: cannot open shared object file
libibverbs: Warning: no userspace device-specific driver found for mlx5_0
libibverbs: Warning: no userspace device-specific driver found for mlx5_1
"""


def test_devices_with_their_ports() -> None:
    said = parse(OUT, "")
    assert (list(said.devices), said.complaints, said.unloaded, said.unserved) == (["rxe0", "rxe1"], (), (), ())
    assert said.devices["rxe0"].fields["fw_ver"] == "0.0.0"
    assert said.devices["rxe0"].ports == {1: {"state": "PORT_ACTIVE (4)", "active_mtu": "1024 (3)", "link_layer": "Ethernet"}}
    assert said.devices["rxe1"] == Listed("rxe1", {"fw_ver": "0.0.1"}, {1: {"state": "PORT_DOWN (1)"}})


def test_complaints() -> None:
    assert parse("No IB devices found\n", ERR) == Said(
        {}, (Complaint("ionic", 4, 1, 1, "ionic_0"), Complaint("bnxt_re", 6, 1, 1, "")), ("libmlx5-rdmav34.so",), ("mlx5_0", "mlx5_1"))


def test_a_port_without_a_device() -> None:
    assert parse("\tport:\t1\n\tfw_ver:\t1\n", "") == Said()


def test_names_of_devices_that_a_provider_takes() -> None:
    assert names("2 HCAs found:\n\tmlx5_0\n\tmlx5_1\n\n") == ("mlx5_0", "mlx5_1")
    assert names("0 HCAs found:\n\n") == ()
