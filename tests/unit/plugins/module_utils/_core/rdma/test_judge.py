# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether RDMA of a node works: each thing good, wrong and unknown."""

from __future__ import annotations

import dataclasses as dc
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.dcb import Dcb
from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.ibv_devinfo import Complaint, Listed, Said
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.judge import checks
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.seen import Seen
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.shape import VerbsDevice
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.wish import Roce, Wish
from ansible_collections.instinct.fleet.tests.unit.support.rdma import (
    CATALOGUE,
    GIDS,
    IONIC,
    MLX5,
    NOTHING,
    PINNED,
    PLAIN,
    RXE,
    WISH,
    port,
)

ALL = Wish("inbox", WISH.versions, roce=Roce(9000, (3,), {24: 3, 46: 6}), drivers={"mlx5_core": "24.10-1.1.4", "ionic": "1"},
           firmware={"mlx5": "1.0", "15b3:1021": "28.46.3048", "ionic": "1"})
GOOD = dc.replace(MLX5, drivers={"mlx5_core": "24.10-1.1.4"}, dcb={"eth-mlx5_0": Dcb((3,), {24: 3, 46: 6, 10: 1})})
BONDED = dc.replace(GOOD, nics=tuple(dc.replace(MLX5.nics[0], bdf=f"0000:c1:00.{number}", bond="bond0") for number in (0, 1)))
NODE, BDF, NAME, PORT = "node", "0000:c1:00.0", "mlx5_0", "mlx5_0:1"
OPENED = {NAME: Listed(NAME, {}, {})}
OLD = Complaint("mlx5", 4, 1, 1, "mlx5_0")


def verdict(seen: Seen, ident: str, subject: str, wish: Wish = ALL) -> tuple[str, str]:
    """Verdict on one thing, and what was seen."""
    return next((one.verdict, one.seen) for one in checks(CATALOGUE, seen, wish) if (one.id, one.subject) == (ident, subject))


def test_a_good_node_passes_everything() -> None:
    found = checks(CATALOGUE, GOOD, ALL)
    assert {one.verdict for one in found} == {"pass"}
    assert {one.id for one in found} == set(CATALOGUE.texts) - {"rdma-name"}


def test_nothing_is_no_error_and_soft_roce_is_judged() -> None:
    assert checks(CATALOGUE, NOTHING, ALL) == ()
    assert {one.id for one in checks(CATALOGUE, RXE, PLAIN)} == {"rdma-mixture", "rdma-package", "rdma-abi", "rdma-opens",
                                                                 "rdma-port", "rdma-gid", "rdma-memlock"}


def ports(**changed: t.Any) -> Seen:
    return dc.replace(GOOD, ports=(port(NAME, BDF, **changed),))


@pytest.mark.parametrize(("seen", "ident", "subject", "expected"), [
    (dc.replace(GOOD, packages={**PINNED, "librdmacm1": "1mlnx2"}), "rdma-mixture", NODE, ("fail", "librdmacm1 1mlnx2 beside")),
    (dc.replace(GOOD, packages=None, unknown={"packages": "no database"}), "rdma-mixture", NODE, ("unknown", "no database")),
    (dc.replace(GOOD, packages=None), "rdma-package", "perftest", ("unknown", "packages are not known")),
    (dc.replace(GOOD, packages={**PINNED, "perftest": "9"}), "rdma-package", "perftest", ("warn", "9")),
    (dc.replace(GOOD, packages={}), "rdma-package", "perftest", ("warn", "not installed")),
    (dc.replace(GOOD, holds=()), "rdma-package", "perftest", ("warn", "4.5-1, not held")),
    (dc.replace(GOOD, modules={"mlx5_core"}), "rdma-module", BDF, ("fail", "mlx5_ib, ib_uverbs not loaded")),
    (BONDED, "rdma-verbs", "0000:c1:00.1", ("pass", "mlx5_0, by bond0")),
    (BONDED, "rdma-verbs", BDF, ("pass", "mlx5_0")),
    (dc.replace(BONDED, nics=(BONDED.nics[0], dc.replace(BONDED.nics[1], bond="bond1"))), "rdma-verbs", "0000:c1:00.1", ("fail", "none")),
    (dc.replace(GOOD, drivers={}), "rdma-driver", "mlx5_core", ("unknown", "its version is not known")),
    (dc.replace(GOOD, said=Said(OPENED)), "rdma-firmware", NAME, ("unknown", "ibv_devinfo does not tell it")),
    (dc.replace(GOOD, ports=()), "rdma-verbs", BDF, ("fail", "none")),
    (dc.replace(GOOD, said=Said(complaints=(OLD,))), "rdma-abi", NAME, ("fail", "mlx5 speaks 1 to 1, and the driver 4 (stacks for mlx5: ")),
    (dc.replace(GOOD, said=Said(complaints=(dc.replace(OLD, device=""),))), "rdma-abi", NAME, ("fail", "mlx5 speaks 1 to 1")),
    (dc.replace(GOOD, said=Said(OPENED, (dc.replace(OLD, device="rxe0"),))), "rdma-abi", NAME, ("pass", "mlx5 does")),
    (dc.replace(GOOD, said=Said(OPENED, (dc.replace(OLD, provider="rxe"),))), "rdma-abi", NAME, ("pass", "mlx5 does")),
    (dc.replace(GOOD, said=Said(taken=(NAME,))), "rdma-abi", NAME, ("pass", "mlx5 does")),  # and it does not open
    (dc.replace(GOOD, said=Said(taken=(NAME,))), "rdma-opens", NAME, ("fail", "libibverbs cannot open it")),
    (dc.replace(GOOD, said=Said()), "rdma-abi", NAME, ("unknown", "ibv_devinfo does not list it")),
    (dc.replace(GOOD, said=Said(unserved=(NAME,))), "rdma-abi", NAME, ("fail", "no provider is there (stacks for mlx5: inbox, doca)")),
    (dc.replace(GOOD, said=Said(unloaded=("libmlx5-rdmav34.so",))), "rdma-abi", NAME, ("fail", "the library of mlx5 does not load")),
    (dc.replace(GOOD, said=Said(unloaded=("/opt/lib/libmlx5-rdmav34.so",))), "rdma-abi", NAME, ("fail", "the library of mlx5 does not load")),
    (dc.replace(GOOD, said=Said(OPENED, unloaded=("libmlx4-rdmav34.so",))), "rdma-abi", NAME, ("pass", "mlx5 does")),
    (dc.replace(GOOD, said=None, unknown={"said": "no ibv_devinfo"}), "rdma-abi", NAME, ("unknown", "no ibv_devinfo")),
    (dc.replace(GOOD, said=None), "rdma-opens", NAME, ("unknown", "ibv_devinfo was not asked")),
    (dc.replace(GOOD, said=Said()), "rdma-opens", NAME, ("fail", "ibv_devinfo does not list it")),
    (ports(state="DOWN"), "rdma-port", PORT, ("warn", "DOWN")),
    (ports(state=None), "rdma-port", PORT, ("unknown", "its state is not known")),
    (ports(gids=GIDS[:1]), "rdma-gid", PORT, ("warn", "none")),
    (ports(gids=GIDS[:2]), "rdma-gid", PORT, ("warn", "fe80:0000:0000:0000:0202:c9ff:fe00:0001 at 1")),
    (ports(mtu=1500), "rdma-mtu", PORT, ("warn", "eth-mlx5_0: 1500")),
    (ports(mtu=None, interface=None), "rdma-mtu", PORT, ("unknown", "its interface: not known")),
    (dc.replace(GOOD, dcb={"eth-mlx5_0": Dcb((), {24: 3})}), "rdma-pfc", PORT, ("warn", "eth-mlx5_0: none")),
    (dc.replace(GOOD, dcb={"eth-mlx5_0": Dcb((), {24: 1})}), "rdma-dscp", PORT, ("warn", "eth-mlx5_0: 24: 1, 46: none")),
    (dc.replace(GOOD, dcb={}), "rdma-pfc", PORT, ("unknown", "eth-mlx5_0: dcb says nothing of it")),
    (dc.replace(GOOD, dcb={}, unknown={"dcb": "no dcb"}), "rdma-dscp", PORT, ("unknown", "eth-mlx5_0: no dcb")),
    (dc.replace(GOOD, peer=False), "rdma-direct", NODE, ("unknown", "the kernel's configuration is not known")),
    (dc.replace(GOOD, peer=False, options={"CONFIG_PCI_P2PDMA": "y", "CONFIG_DMABUF_MOVE_NOTIFY": "y"}), "rdma-direct", NODE,
     ("pass", "dma-buf")),
    (dc.replace(GOOD, peer=False, options={"CONFIG_PCI_P2PDMA": "y"}), "rdma-direct", NODE,
     ("warn", "no peer memory, and no CONFIG_DMABUF_MOVE_NOTIFY")),
    (dc.replace(GOOD, peer=False, modules={*GOOD.modules, "amdgpu"}, options={"CONFIG_PCI_P2PDMA": "y", "CONFIG_DMABUF_MOVE_NOTIFY": "y"}),
     "rdma-direct", NODE, ("warn", "no peer memory, and no CONFIG_HSA_AMD_P2P")),
    (dc.replace(GOOD, memlock={"slurmd": 8388608}), "rdma-memlock", "slurmd", ("warn", "8388608 bytes")),
    (dc.replace(GOOD, memlock={"slurmd": None}), "rdma-memlock", "slurmd", ("unknown", "not known")),
])
def test_what_is_wrong_or_unknown(seen: Seen, ident: str, subject: str, expected: tuple[str, str]) -> None:
    found, words = verdict(seen, ident, subject)
    assert (found, words[:len(expected[1])]) == expected


@pytest.mark.parametrize(("name", "rule", "good"), [
    ("rocep193s0", "pci", True), ("ibP2p3s0f1", "pci", True), ("mlx5_0", "pci", False), ("rocex98039b0300a1b2c3", "guid", True),
    ("mlx5_0", "guid", False), ("mlx5_0", "kernel", True), ("rocep193s0", "kernel", False), ("rocex98039b0300a1b2c3", "kernel", False),
])
def test_names(name: str, rule: str, good: bool) -> None:
    seen = dc.replace(GOOD, devices=(dc.replace(GOOD.devices[0], name=name),))
    assert verdict(seen, "rdma-name", name, Wish("inbox", names=rule)) == ("pass" if good else "warn", name)


@pytest.mark.parametrize(("said", "expected"), [
    (Said({"x0": Listed("x0", {}, {})}), ("pass", "one does")),
    (Said({"x0": Listed("x0", {}, {})}, (dc.replace(OLD, device="x0"),)), ("pass", "one does")),  # another provider complains
    (Said(), ("unknown", "ibv_devinfo does not list it")),
    (Said(complaints=(dc.replace(OLD, device="x0"),)), ("fail", "mlx5 speaks 1 to 1, and the driver 4")),
    (Said(complaints=(dc.replace(OLD, device=""),)), ("unknown", "mlx5 speaks 1 to 1, and the driver 4")),
    (Said(complaints=(dc.replace(OLD, device=""),), unserved=("x0",)), ("fail", "mlx5 speaks 1 to 1, and the driver 4")),
    (Said(complaints=(dc.replace(OLD, device="x1"),)), ("unknown", "ibv_devinfo does not list it")),
    (Said(unserved=("x0",)), ("fail", "no provider is there")),
    (None, ("unknown", "ibv_devinfo was not asked")),
])
def test_a_device_of_no_known_family(said: Said | None, expected: tuple[str, str]) -> None:
    seen = dc.replace(NOTHING, devices=(VerbsDevice("x0", "uverbs0", None, None),), said=said)
    assert verdict(seen, "rdma-abi", "x0", PLAIN) == expected
    assert {one.wanted for one in checks(CATALOGUE, seen, PLAIN) if one.id == "rdma-abi"} == {
        "a provider that speaks the ABI of the driver"}


def test_packages_are_only_looked_for_without_pins() -> None:
    seen = dc.replace(IONIC, packages={"perftest": "1"}, holds=())
    assert verdict(seen, "rdma-package", "perftest", PLAIN) == ("pass", "1")
    assert verdict(seen, "rdma-package", "librdmacm1", PLAIN) == ("warn", "not installed")
    assert verdict(dc.replace(seen, system="ubuntu 24.04"), "rdma-package", "librdmacm1t64", PLAIN) == ("warn", "not installed")
