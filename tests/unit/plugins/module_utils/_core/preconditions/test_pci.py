# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bridges, links, memory windows and the IOMMU, as our own file wants them."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.gpus import Link
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.health import GpuHealth
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.host import PciDevice
from ansible_collections.instinct.fleet.tests.unit.support.preconditions import (
    FULL,
    GIB,
    GOOD,
    GPU,
    PORT,
    ROOT_PORT,
    SWITCH,
    but,
    device,
    gpu,
    judged,
)

RDMA, VMS = ("bare_metal", "rdma"), ("passthrough",)
GUEST = but(os={"virtualization": "kvm"})
NO_ROOT = {"devices.0000:c4:00.0.acs": "needs root", "devices.0000:c3:00.0": "off the bus", "devices.0000:c5:00.0.atomics": "x"}


def at(look: lk.Look, *bdfs: str, **changes: object) -> lk.Look:
    """The look with the same change of several devices."""
    devices = tuple(PciDevice(**{**d.__dict__, **changes}) if d.bdf in bdfs else d for d in look.host.devices)
    return but(look, host={"devices": devices})


def bdf(text: str) -> str:
    """The bus address in a table's text."""
    return text.format(gpu=GPU, port=PORT, switch=SWITCH, root=ROOT_PORT)


CASES = [
    ("iommu", "no look at the host", but(host=None), (), [("unknown", "section host was not looked at")]),
    ("iommu", "translating", but(host={"iommu_types": ("DMA-FQ", "identity")}), (), [
        ("warn", "the GPUs' IOMMU groups are of type DMA-FQ")]),
    ("iommu", "off where it should not be", but(host={"iommu_groups": 0}), (), [("warn", "no IOMMU is in use")]),
    ("iommu", "off for an APU", but(host={"iommu_groups": 0}, gpus=gpu(product="MI300A")), (), [("pass", "no IOMMU is in use")]),
    ("iommu", "on for an APU", but(gpus=gpu(product="MI300A")), (), [("warn", "the IOMMU is in use (80 groups)")]),
    ("iommu", "translating, for virtual machines", but(host={"iommu_types": ("DMA",)}), VMS, [
        ("pass", "the IOMMU is in use (80 groups)")]),
    ("iommu", "off, for virtual machines", but(host={"iommu_groups": 0}), VMS, [("warn", "no IOMMU is in use")]),
    ("iommu", "in a virtual machine", but(GUEST, host={"iommu_groups": 0}), (), []),
    ("iommu", "no mode", but(host={"iommu_types": ()}), (), [("unknown", "the mode of the GPUs' IOMMU groups is not told")]),
    ("iommu", "not read", but(host={"iommu_groups": None, "unknown": {"iommu_groups": "there is no folder"}}), (), [
        ("unknown", "host.iommu_groups: there is no folder")]),
    ("iommu-cpus", "all of many CPUs", but(host={"cpus": 384}), (), [("pass", "384 CPUs and 80 IOMMU groups")]),
    ("iommu-cpus", "cut off", but(host={"cpus": 255, "iommu_groups": 0}), (), [("warn", "255 CPUs and 0 IOMMU groups")]),
    ("iommu-cpus", "few CPUs", but(host={"cpus": 254, "iommu_groups": 0}), (), [("pass", "254 CPUs and 0 IOMMU groups")]),
    ("acs", "nobody asks", at(GOOD, PORT, acs=29), (), []),
    ("acs", "off", GOOD, RDMA, [("pass", "ACS is off at {port}, {root}")]),
    ("acs", "on at one bridge", at(GOOD, PORT, acs=29), RDMA, [("warn", "ACS is on at {port}, above {gpu}")]),
    ("acs", "on at the GPU itself", at(GOOD, GPU, acs=29), RDMA, [("pass", "ACS is off at {port}, {root}")]),
    ("acs", "off, for virtual machines", at(GOOD, ROOT_PORT, acs=29), VMS, [("warn", "ACS is off at {port}, above {gpu}")]),
    ("acs", "half on, for virtual machines", at(GOOD, PORT, ROOT_PORT, acs=1), VMS, [
        ("warn", "ACS is off at {port}, {root}, above {gpu}")]),
    ("acs", "on, for virtual machines", at(GOOD, PORT, ROOT_PORT, acs=29), VMS, [("pass", "ACS is on at {port}, {root}")]),
    ("acs", "no bridge has it", at(GOOD, PORT, ROOT_PORT, acs=None), RDMA, [
        ("pass", "no bridge above {gpu} has access control services")]),
    ("acs", "no bridge has it, for virtual machines", at(GOOD, PORT, ROOT_PORT, acs=None), VMS, [
        ("unknown", "no bridge above {gpu} has access control services")]),
    ("acs", "without root", but(at(GOOD, PORT, acs=None), host={"unknown": NO_ROOT}), RDMA, [
        ("unknown", "host.devices.{port}.acs: needs root")]),
    ("acs", "a bridge that is gone", but(host={"unknown": {"devices.0000:c3:00.0": "off the bus"}}), RDMA, [
        ("unknown", "host.devices.{switch}: off the bus")]),
    ("acs", "in a virtual machine", GUEST, RDMA, []),
    ("bar-space", "one without an address", but(host=device(GPU, bars_unplaced=(256 * GIB, -1))), (), [
        ("fail", "{gpu} has no address for its memory windows (BARs) of 256 GiB, unknown size")]),
    ("bar-space", "of a bridge", but(host=device(PORT, bars_unplaced=(1 << 20,))), (), [
        ("pass", "2 memory windows (BARs) of {gpu} have an address")]),
    ("bar-space", "not read", but(host={**device(GPU, bars=()), "unknown": {"devices.0000:c5:00.0.bars": "no sysfs"}}), (), [
        ("unknown", "host.devices.{gpu}.bars: no sysfs")]),
    ("bar-space", "no such device", but(host={"devices": GOOD.host.devices[1:]}), (), [
        ("unknown", "{gpu} was not seen in the PCI tree")]),
    ("bar-space", "no GPU section", but(gpus=None), (), [("unknown", "section gpus was not looked at")]),
    ("bar-space", "no GPU", but(gpus={"gpus": ()}), (), []),
    ("bar-space", "a tree that runs in a circle", but(host=device(ROOT_PORT, above=GPU)), (), [
        ("pass", "2 memory windows (BARs) of {gpu} have an address")]),
    ("large-bar", "a small window", but(host=device(GPU, bars=(256 << 20, 2 << 20))), (), [
        ("warn", "the largest memory window (BAR) of {gpu} has 256 MiB")]),
    ("large-bar", "one as large as the memory", but(host=device(GPU, bars=(192 * GIB,))), (), [
        ("pass", "the largest memory window (BAR) of {gpu} has 192 GiB")]),
    ("large-bar", "an odd size", but(host=device(GPU, bars=(1000,))), (), [
        ("warn", "the largest memory window (BAR) of {gpu} has 1000 bytes")]),
    ("large-bar", "memory of the product, where no driver tells", but(gpus=gpu(vram_bytes=None, product=None)), (), [
        ("pass", "the largest memory window (BAR) of {gpu} has 256 GiB")]),
    ("large-bar", "an unknown product without a driver", but(gpus=gpu(vram_bytes=None, product=None, device_id="ffff")), (), [
        ("unknown", "memory or memory windows (BARs) of {gpu} are not told")]),
    ("large-bar", "a virtual function", but(gpus=gpu(device_id="74b5")), (), []),
    ("large-bar", "no window at all", but(host=device(GPU, bars=(), bars_unplaced=(1,))), (), []),
    ("pcie-atomics", "a switch that does not route", but(host=device(SWITCH, atomics=0)), (), [
        ("fail", "bridge {switch} above {gpu} does not route PCIe atomics")]),
    ("pcie-atomics", "a root port that completes 32 bits alone", but(host=device(ROOT_PORT, atomics=0x80)), (), [
        ("fail", "root port {root} above {gpu} does not complete PCIe atomics")]),
    ("pcie-atomics", "a root port that does not route them further", but(host=device(ROOT_PORT, atomics=0x180)), (), [
        ("pass", "PCIe atomics pass from {gpu} to {root}")]),
    ("pcie-atomics", "a GPU that does not ask", but(host=device(GPU, atomics_requested=False)), (), [
        ("fail", "the path of {gpu} carries PCIe atomics and the GPU does not request them")]),
    ("pcie-atomics", "a GPU that nobody drives yet", but(host=device(GPU, atomics_requested=False), gpus=gpu(driver=None)), (), [
        ("pass", "PCIe atomics pass from {gpu} to {root}")]),
    ("pcie-atomics", "a product without", but(gpus=gpu(product="MI300A"), host=device(SWITCH, atomics=0)), (), []),
    ("pcie-atomics", "in a virtual machine", but(GUEST, host=device(SWITCH, atomics=0)), (), []),
    ("pcie-atomics", "not read", but(host={**device(PORT, atomics=None), "unknown": {"devices.0000:c4:00.0.atomics": "needs root"}}),
     (), [("unknown", "host.devices.{port}.atomics: needs root")]),
    ("pcie-atomics", "not told", but(host=device(PORT, atomics=None)), (), [
        ("unknown", "what {port} does with atomics is not told")]),
    ("pcie-atomics", "nothing above", but(host=device(GPU, above=None)), (), [("unknown", "no bridge above {gpu} was seen")]),
    ("pcie-width", "x4 of x16", at(GOOD, GPU, PORT, link=Link(4, 16, 16000, 16000)), (), [
        ("fail", "the link of {gpu} at port {port} runs x4 of x16")]),
    ("pcie-width", "x4 of x16 while it idles at 2.5 GT/s", at(GOOD, GPU, PORT, link=Link(4, 16, 2500, 32000)), (), [
        ("fail", "the link of {gpu} at port {port} runs x4 of x16")]),
    ("pcie-width", "lanes lost further up", at(GOOD, SWITCH, ROOT_PORT, link=Link(8, 16, 32000, 32000)), (), [
        ("fail", "the link of {switch} at port {root} runs x8 of x16, above {gpu}")]),
    ("pcie-width", "a narrow slot further up", at(GOOD, ROOT_PORT, link=Link(8, 8, 32000, 32000)), (), [
        ("fail", "the link of {switch} at port {root} has x8 at most, above {gpu}")]),
    ("pcie-width", "a narrow slot, product unknown", but(at(GOOD, PORT, link=Link(8, 8, 32000, 32000)),
                                                         gpus=gpu(product=None, device_id="ffff")), (), [("pass", "{gpu} runs x8")]),
    ("pcie-width", "a port that could do more with another device", at(GOOD, ROOT_PORT, link=Link(16, 32, 32000, 64000)), (), [
        ("pass", "{gpu} runs x16")]),
    ("pcie-width", "told by the library alone", but(at(GOOD, GPU, PORT, link=Link()), gpus=gpu(pcie=Link(8, 16, 32000, 32000))), (), [
        ("fail", "the link of {gpu} at port {port} runs x8 of x16")]),
    ("pcie-width", "of a GPU without a bridge", but(host={"devices": (PciDevice(GPU, "1002", "74a1", "gpu", link=FULL),)}), (), [
        ("pass", "{gpu} runs x16")]),
    ("pcie-width", "a bridge too many", at(but(host=device(PORT, above=ROOT_PORT)), ROOT_PORT, link=Link(8, 16)), (), [
        ("pass", "{gpu} runs x16")]),
    ("pcie-width", "a virtual root port", but(at(GOOD, PORT, link=Link(1, 1, 2500, 2500)), os={"virtualization": "kvm"}), (), [
        ("pass", "{gpu} runs x16")]),
    ("pcie-width", "not told", at(GOOD, GPU, PORT, link=Link()), (), [("unknown", "the width of the link of {gpu} is not told")]),
    ("pcie-speed", "2.5 GT/s while it idles", at(GOOD, GPU, PORT, link=Link(16, 16, 2500, 32000)), (), [
        ("pass", "the link of {gpu} at port {port} runs at 2.5 GT/s of 32 GT/s while the GPU idles (0 %)")]),
    ("pcie-speed", "2.5 GT/s under load", but(at(GOOD, GPU, PORT, link=Link(16, 16, 2500, 32000)), health={
        "gpus": (GpuHealth(GPU, gfx_activity_percent=97),)}), (), [
        ("warn", "the link of {gpu} at port {port} runs at 2.5 GT/s of 32 GT/s while the GPU works (97 %)")]),
    ("pcie-speed", "slow, and nobody knows whether it works", but(at(GOOD, GPU, PORT, link=Link(16, 16, 2500, 32000)), health=None), (), [
        ("unknown", "the link of {gpu} at port {port} runs at 2.5 GT/s of 32 GT/s, and whether the GPU works is not told")]),
    ("pcie-speed", "full, and nobody knows whether it works", but(health=None), (), [("pass", "{gpu} runs at 32 GT/s")]),
    ("pcie-speed", "an older port", at(GOOD, ROOT_PORT, link=Link(16, 16, 16000, 16000)), (), [
        ("warn", "the link of {switch} at port {root} has 16 GT/s at most, above {gpu}")]),
    ("pcie-speed", "an older port, product unknown", but(at(GOOD, PORT, link=Link(16, 16, 16000, 16000)),
                                                         gpus=gpu(product=None, device_id="ffff")), (), [
        ("pass", "{gpu} runs at 16 GT/s")]),
    ("pcie-speed", "not told", at(GOOD, GPU, PORT, link=Link()), (), [("unknown", "the speed of the link of {gpu} is not told")]),
]


@pytest.mark.parametrize(("ident", "look", "profiles", "expected"), [(c[0], *c[2:]) for c in CASES],
                         ids=[f"{c[0]}: {c[1]}" for c in CASES])
def test_verdict(ident, look, profiles, expected):
    assert judged(ident, look, profiles or ("bare_metal",)) == [(verdict, bdf(seen)) for verdict, seen in expected]
