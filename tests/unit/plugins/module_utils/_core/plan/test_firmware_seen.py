# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Verdicts about each device, and what distinguishes devices of one kind."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.whole import WholeLook, whole
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.firmware_match import nic_version
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.firmware_seen import (
    NicSet,
    differences,
    gpu_verdicts,
    nic_verdicts,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.resolved import Resolved
from ansible_collections.instinct.fleet.tests.unit.support.catalogue import look as node_of
from ansible_collections.instinct.fleet.tests.unit.support.catalogue import resolved
from ansible_collections.instinct.fleet.tests.unit.support.world import bare_node

BDFS = tuple(f"0000:{5 + i:02x}:00.0" for i in range(8))
A, B, C = BDFS[:3]
BMC = "nothing inside the node tells %s; the BMC does"


def firmware(*gpus: lk.GpuFirmware, nics: tuple[lk.NicFirmware, ...] = (), **unknown: str) -> lk.Firmware:
    """The section; a keyword names a GPU by letter and a field: A_bundle."""
    bdfs = {"A": A, "B": B}
    reasons = {".".join([bdfs[key[0]], *filter(None, [key[2:]])]): why for key, why in unknown.items()}
    return lk.Firmware(gpus, "amdsmi", nics=nics, unknown=reasons)


def gpu(bdf: str = A, bundle: str | None = None, part: str | None = None, source: str = "amdsmi", **blocks: str) -> lk.GpuFirmware:
    """Firmware of one GPU."""
    return lk.GpuFirmware(bdf, blocks, source, "022.040", part, bundle)


def seen(section: lk.Firmware, device_id: str = "74a1", gpus: int = 1, virtual: bool = False) -> WholeLook:
    """A node of one product with that firmware."""
    node = bare_node(gpus=gpus, device_id=device_id)
    assert node.gpus
    every = tuple(dc.replace(g, virtual_function=virtual) for g in node.gpus.gpus)
    return whole(dc.replace(node, firmware=section, gpus=lk.Gpus(every)))


def release(name: str, device_id: str = "74a1", gpus: int = 1) -> Resolved:
    """A release of the catalogue for such a node."""
    ubuntu = ("ubuntu 24.04.3", "6.8.0-87-generic", ("6.8.0-87-generic",))  # on which AMD supports all of them
    return resolved(name, node_of(*ubuntu, gpus=(device_id,) * gpus), accept=["third_party", "derived", "unverified"], driver_source="in_tree")


# id, release, PCI device id, firmware, (kind, verdict, seen, why)
GPUS = [
    ("a bundle that was validated", "rocm-7.2.2", "74a1", firmware(gpu(bundle="01.25.03.12")), ("pldm", "validated", "01.25.03.12", "")),
    ("one that was not", "rocm-7.2.2", "74a1", firmware(gpu(bundle="01.25.03.02")), ("pldm", "other", "01.25.03.02", "")),
    ("a later one where that will do", "rocm-10.0.0", "74a1", firmware(gpu(bundle="01.26.02.00")), ("pldm", "validated", "01.26.02.00", "")),
    ("the library knows no bundle", "rocm-7.2.2", "74a1", firmware(gpu(), A_bundle="no bundle"), ("pldm", "unknown", None, "no bundle")),
    ("nothing of the GPU was read", "rocm-7.2.2", "74a1", firmware(A="no driver"), ("pldm", "unknown", None, "no driver")),
    ("nothing was read, nobody says why", "rocm-7.2.2", "74a1", firmware(), ("pldm", "unknown", None, "it was not read")),
    ("a minimum of some modes", "rocm-7.0.2", "75a3", firmware(gpu(bundle="01.25.17.07")),
     ("pldm", "unknown", "01.25.17.07", "nothing says whether 01.25.17.07 will do")),
    ("a part number", "rocm-7.2.2", "738c", firmware(gpu(part="113-D3430401-037")), ("vbios", "validated", "113-D3430401-037", "")),
    ("another part number", "rocm-7.2.2", "738c", firmware(gpu(part="113-D3431500-101")), ("vbios", "other", "113-D3431500-101", "")),
    ("a BKC is told by nothing", "rocm-7.2.2", "74a0", firmware(gpu(bundle="01.25.03.12")), ("bkc", "unknown", None, BMC % "BKC")),
    ("nor is a maintenance update", "rocm-7.2.2", "740f", firmware(gpu(part="113-D67301-075")),
     ("mu/ifwi", "unknown", None, BMC % "IFWI and MU")),
    ("nor is a platform's PI", "rocm-10.0.0", "74a0", firmware(gpu()), ("platform PI", "unknown", None, BMC % "PI")),
    ("a product without a set", "rocm-7.2.3", "74a1", firmware(gpu(bundle="01.25.03.12")),
     ("", "unknown", None, "rocm-7.2.3 lists no set for it")),
]


@pytest.mark.parametrize(("name", "device_id", "section", "expected"), [g[1:] for g in GPUS], ids=[g[0] for g in GPUS])
def test_the_verdict_about_a_gpu(name: str, device_id: str, section: lk.Firmware, expected: tuple[str, str, str | None, str]) -> None:
    (found,) = gpu_verdicts(seen(section, device_id), release(name, device_id))
    assert (found.device, found.kind, found.verdict, found.seen, found.why) == (A, *expected)


def test_a_verdict_names_the_set_and_its_source() -> None:
    wanted = release("rocm-7.2.2")
    (found,) = gpu_verdicts(seen(firmware(gpu(bundle="01.25.03.02"))), wanted)
    assert (found.product, found.wanted, found.confidence, found.source) == (
        "MI300X", ("01.25.06.04", "01.25.03.12", "01.25.02.04"), "documented", wanted.firmware[0].source)
    assert found.source.startswith("ROCm 7.2.2 release notes")


def test_a_virtual_function_says_nothing_of_its_hosts_firmware() -> None:
    (found,) = gpu_verdicts(seen(firmware(gpu(bundle="01.25.03.12")), virtual=True), release("rocm-7.2.2"))
    assert (found.verdict, found.seen, found.why) == ("unknown", None, "it is a virtual function, and the firmware is the host's")


def test_where_two_products_are_possible_both_must_agree() -> None:
    """740c is MI250 or MI250X, for which ROCm 10 lists the same set and ROCm 7.2.2 sets of two kinds."""
    node = seen(firmware(gpu(bundle="01.25.03.12")), "740c")
    assert [(v.product, v.kind, v.verdict) for v in gpu_verdicts(node, release("rocm-7.2.2", "740c"))] == [
        ("MI250 or MI250X", "ifwi", "unknown"), ("MI250 or MI250X", "mu/ifwi", "unknown")]
    wanted = release("rocm-7.2.2", "740c")
    bundles = tuple(dc.replace(row, kind="pldm", versions=release("rocm-7.2.2").firmware[0].versions) for row in wanted.firmware)
    assert [v.verdict for v in gpu_verdicts(node, dc.replace(wanted, firmware=bundles))] == ["validated"]
    other = dc.replace(bundles[1], versions=bundles[1].versions[:1])
    assert [v.verdict for v in gpu_verdicts(node, dc.replace(wanted, firmware=(bundles[0], other)))] == ["unknown"]
    assert [v.verdict for v in gpu_verdicts(node, dc.replace(wanted, firmware=bundles[:1]))] == ["unknown"]


def nic(bdf: str = A, version: str | None = "28.46.3048", board: str | None = "MT_0000000838", family: str | None = "mlx5") -> lk.NicFirmware:
    """One NIC."""
    return lk.NicFirmware(bdf, "mlx5_0", "mlx5_core", family, board, version, "sysfs")


def nic_set(*versions: str, family: str = "mlx5", board: str = "") -> NicSet:
    """Versions that a site wants."""
    return NicSet(family, board, tuple(v for v in map(nic_version, versions) if v))


# id, NIC, sets, (verdict, wanted, why); None: no verdict
NICS = [
    ("one of its versions", nic(), [nic_set("28.46.3048")], ("validated", ("28.46.3048",), "")),
    ("another version", nic(), [nic_set("28.43.1014")], ("other", ("28.43.1014",), "")),
    ("or later", nic(), [nic_set("28.43.1014 or later")], ("validated", ("28.43.1014 or later",), "")),
    ("an unreadable version", nic(version=None), [nic_set("28.46.3048")], ("unknown", ("28.46.3048",), "it was not read")),
    ("no order", nic(version="28.46-a"), [nic_set("28.43.1014 or later")],
     ("unknown", ("28.43.1014 or later",), "nothing says whether 28.46-a will do")),
    ("the set of the board counts first", nic(), [nic_set("1.1"), nic_set("28.46.3048", board="MT_0000000838")],
     ("validated", ("28.46.3048",), "")),
    ("the set of another board", nic(), [nic_set("1.1", board="MT_1"), nic_set("28.46.3048")], ("validated", ("28.46.3048",), "")),
    ("a board that is not told", nic(board=None), [nic_set("28.46.3048", board="MT_1")],
     ("unknown", ("28.46.3048",), "the driver states no board")),
    ("no set for its family", nic(), [nic_set("28.46.3048", family="bnxt")], None),
    ("no family", nic(family=None), [nic_set("28.46.3048")], None),
    ("no set at all", nic(), [], None),
]


@pytest.mark.parametrize(("card", "sets", "expected"), [n[1:] for n in NICS], ids=[n[0] for n in NICS])
def test_the_verdict_about_a_nic(card: lk.NicFirmware, sets: list[NicSet], expected: tuple[str, tuple[str, ...], str] | None) -> None:
    found = nic_verdicts(seen(firmware(nics=(card,))), sets)
    assert [(v.verdict, v.wanted, v.why) for v in found] == ([] if expected is None else [expected])


def test_a_nic_that_says_why_it_does_not_tell() -> None:
    section = firmware(nics=(nic(version=None, board=None),), A_version="ethtool cannot be run")
    (found,) = nic_verdicts(seen(section), [nic_set("28.46.3048")])
    assert (found.device, found.product, found.kind, found.why) == (A, "mlx5", "nic", "ethtool cannot be run")


SAME = [gpu(bdf, "01.25.03.12", PM="00.85.127.00", VCN="05.10") for bdf in BDFS]
# id, firmware, lines
ODD = [
    ("all alike", firmware(*SAME), []),
    ("one bundle", firmware(*SAME[:7], gpu(BDFS[7], "01.25.02.04", PM="00.85.127.00", VCN="05.10")),
     [f"firmware differs among 8 x MI300X: {BDFS[7]} has PLDM bundle 01.25.02.04 (others 01.25.03.12)"]),
    ("blocks of two", firmware(*SAME[2:], gpu(A, "01.25.03.12", PM="00.1", VCN="05.10"), gpu(B, "01.25.03.12", PM="00.85.127.00", VCN="05.11")),
     [f"firmware differs among 8 x MI300X: {A} has PM 00.1 (others 00.85.127.00); {B} has VCN 05.11 (others 05.10)"]),
    ("no majority", firmware(gpu(A, "01.25.03.12"), gpu(B, "01.25.02.04")),
     [f"firmware differs among 2 x MI300X: {A} has PLDM bundle 01.25.03.12; {B} has PLDM bundle 01.25.02.04"]),
    ("many blocks are counted", firmware(*(gpu(bdf, a="1", b="1", c="1", d="1", e="1") for bdf in (B, C)), gpu(A, a="2", b="2", c="2", d="2", e="2")),
     [f"firmware differs among 3 x MI300X: {A} has a 2 (others 1), b 2 (others 1), c 2 (others 1) and 2 more"]),
    ("what one does not tell is no difference", firmware(gpu(A, "01.25.03.12"), gpu(B)), []),
    ("sources print differently", firmware(gpu(A, PM="00.85.127.00"), gpu(B, source="sysfs", PM="0x00557f00")), []),
    ("two NICs of one model", firmware(nics=(nic(A), nic(B, "28.43.1014"), nic(C))),
     [f"firmware differs among 3 x mlx5 MT_0000000838: {B} has firmware 28.43.1014 (others 28.46.3048)"]),
    ("NICs of two models", firmware(nics=(nic(A), nic(B, "28.43.1014", "MT_1"), nic(C, None), nic(BDFS[3], "1.2", family=None))), []),
]


@pytest.mark.parametrize(("section", "lines"), [o[1:] for o in ODD], ids=[o[0] for o in ODD])
def test_devices_that_are_not_as_the_others(section: lk.Firmware, lines: list[str]) -> None:
    assert list(differences(seen(section, gpus=8), release("rocm-7.2.2", gpus=8))) == lines
