# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Forms of lspci."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.lspci import (
    Device,
    above,
    bits,
    parse,
)

WHOLE = """\
\tLnkSta: Speed 1GT/s, Width x1
00:01.1 PCI bridge [0604]: Advanced Micro Devices, Inc. [AMD] Root Port [1022:14ab] (rev 01) (prog-if 00 [Normal decode])
\tBus: primary=00, secondary=01, subordinate=05, sec-latency=0
\tCapabilities: [58] Express (v2) Root Port (Slot+), MSI 00
\t\tDevCap2: Completion Timeout: Range ABCD
\t\t\t AtomicOpsCap: Routing+ 32bit+ 64bit+ 128bitCAS-
\t\tACSCtl:\tSrcValid+ TransBlk- ReqRedir+ CmpltRedir- UpstreamFwd- EgressCtrl- DirectTrans-

0001:05:00.0 Processing accelerators [1200]: Advanced Micro Devices, Inc. [AMD/ATI] Aqua Vanjaram [Instinct MI300X] [1002:74a1]
\tNUMA node: 1
\tRegion 0: Memory at 280000000000 (64-bit, prefetchable) [size=256G]
\tRegion 2: Memory at <unassigned> (64-bit, prefetchable) [size=2M]
\tRegion 4: Memory at c0000000 (32-bit, non-prefetchable) [virtual] [size=512K]
\tRegion 5: I/O ports at 1000 [size=256]
\tCapabilities: [64] Express (v2) Endpoint, MSI 00
\t\tLnkCap:\tPort #0, Speed 32GT/s, Width x16, ASPM L0s L1
\t\tLnkSta:\tSpeed 2.5GT/s (downgraded), Width x16
\t\t\t AtomicOpsCtl: ReqEn+
\tKernel driver in use: amdgpu
"""


def test_parse_whole() -> None:
    assert parse(WHOLE) == (
        Device("0000:00:01.1", "PCI bridge", "Advanced Micro Devices, Inc. [AMD] Root Port", "0604", "1022", "14ab",
               acs=0b101, atomics=0x1C0, buses=(1, 5), port="Root Port", verbose=True),
        Device("0001:05:00.0", "Processing accelerators",
               "Advanced Micro Devices, Inc. [AMD/ATI] Aqua Vanjaram [Instinct MI300X]", "1200", "1002", "74a1",
               bars=[2**38], bars_unplaced=[2**21, 2**19], width=16, max_width=16, speed_mts=2500, max_speed_mts=32000,
               atomics_requested=True, driver="amdgpu", numa_node=1, verbose=True),
    )


def test_parse_without_numbers_and_without_root() -> None:
    (device,) = parse("83:00.0 Display controller: Advanced Micro Devices, Inc. [AMD/ATI] Aldebaran [Instinct MI210] (rev 02)\n"
                      "\tCapabilities: <access denied>\n")
    assert (device.vendor, device.code, device.denied) == (None, None, True)


@pytest.mark.parametrize("text", ["", "words", "\t\tLnkSta:\tSpeed 8GT/s, Width x8\n"])
def test_parse_what_names_no_device(text: str) -> None:
    assert parse(text) == ()


def test_the_bridge_above_is_the_one_with_the_fewest_buses() -> None:
    far, near, other = (Device(bdf, "PCI bridge", "", buses=buses) for bdf, buses in (
        ("0000:00:01.0", (1, 9)), ("0000:01:00.0", (2, 3)), ("0001:01:00.0", (2, 2))))
    gpu = Device("0000:03:00.0", "", "")
    assert above(gpu, [far, near, other]) is near
    assert above(near, [far, other]) is far
    assert above(far, [gpu]) is None


def test_bits_of_names_that_end_like_others() -> None:
    assert bits("EgressCtrl+ XReqRedir+", {"ReqRedir": 2, "EgressCtrl": 5}) == 32
