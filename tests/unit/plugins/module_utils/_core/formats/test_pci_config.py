# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""PCI configuration space, resources and counters, as sysfs has them."""

from __future__ import annotations

import os
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.instinct.fleet.plugins.module_utils._core.formats import pci_config as pci
from ansible_collections.instinct.fleet.tests.unit.plugins.config_space import (
    ACS_AT,
    EXPRESS_AT,
    REBAR_AT,
    config_space,
)

# name, space, what it says
EXPRESS = [
    ("a GPU at full speed", config_space(), pci.Express("endpoint", 16, 16, 32000, 32000, 0x180, True)),
    ("a root port that routes", config_space(port=4, speed=4, atomics=0x3C0, requested=False),
     pci.Express("root_port", 16, 16, 16000, 16000, 0x3C0, False)),
    ("ports of a switch", config_space(port=5, width=8, speed=3, atomics=0x40), pci.Express("upstream", 8, 8, 8000, 8000, 0x40, True)),
    ("a speed of the future", config_space(port=6, speed=9), pci.Express("downstream", 16, 16, None, None, 0x180, True)),
    ("no link", config_space(port=9, width=0, speed=0), pci.Express("endpoint", None, None, None, None, 0x180, True)),
    ("a port of unknown kind", config_space(port=0xF, atomics=0), pci.Express(None, 16, 16, 32000, 32000, 0, True)),
    ("version 1 has no second registers", config_space(version=1), pci.Express("endpoint", 16, 16, 32000, 32000, 0, False)),
]


@pytest.mark.parametrize(("space", "said"), [c[1:] for c in EXPRESS], ids=[c[0] for c in EXPRESS])
def test_express(space: bytearray, said: pci.Express) -> None:
    assert pci.express(bytes(space)) == said
    assert pci.express(bytes(space[:256])) == said


def test_a_link_that_trained_low() -> None:
    space = config_space()
    struct.pack_into("<H", space, EXPRESS_AT + 18, 8 << 4 | 3 | 0x2000)
    assert pci.express(bytes(space)) == pci.Express("endpoint", 8, 16, 8000, 32000, 0x180, True)


def damaged(**bytes_at: int) -> bytes:
    """A space with other bytes at some places, given as at_<hexadecimal>."""
    space = config_space(acs=0x1D)
    for place, value in bytes_at.items():
        space[int(place.removeprefix("at_"), 16)] = value
    return bytes(space)


@pytest.mark.parametrize("space", [
    b"", bytes(64), damaged()[:64], damaged(at_6=0), damaged(at_34=0), damaged(at_34=0x3C), damaged(at_51=0x50),
    damaged(at_50=0x10, at_51=0x50, at_34=0xF0, at_f0=0x10),
], ids=["nothing", "zeros", "what others than root may read", "no list", "empty list", "a list into the header", "a circle",
        "a capability beyond the end"])
def test_without_express(space: bytes) -> None:
    assert pci.express(space) is None


@pytest.mark.parametrize(("space", "control"), [
    (config_space(acs=0x1D), 0x1D), (config_space(acs=0), 0), (config_space(), None), (config_space()[:256], None), (b"\0" * 4096, None),
], ids=["on", "all off", "no capability", "short", "zeros"])
def test_acs_control(space: bytes, control: int | None) -> None:
    assert pci.acs_control(bytes(space)) == control
    assert pci.acs_ability(bytes(space)) == (None if control is None else 0x5F)


def test_a_circle_of_extended_capabilities_ends() -> None:
    space = config_space(acs=1)
    struct.pack_into("<I", space, ACS_AT, 0x03 | 1 << 16 | 0x100 << 20)
    assert pci.acs_control(bytes(space)) is None
    struct.pack_into("<I", space, 0x100, 0x03 | 0xFFF << 20)  # beyond the end
    assert pci.acs_control(bytes(space)) is None


@given(st.binary(max_size=600), st.integers(0, 4096))
def test_noise_ends_without_an_error(noise: bytes, size: int) -> None:
    space = (noise * 8)[:size] if noise else os.urandom(size)
    pci.express(space)
    pci.acs_control(space)
    pci.bar_sizes(space)
    pci.resources(noise.decode("latin-1"), space)


def test_bar_sizes() -> None:
    assert pci.bar_sizes(bytes(config_space(rebar={0: 18, 2: 1}))) == {0: 256 << 30, 2: 2 << 20}
    assert pci.bar_sizes(bytes(config_space())) == {}
    cut = config_space(rebar={0: 18})
    struct.pack_into("<I", cut, REBAR_AT, 0x03 | 0xFF8 << 20)
    struct.pack_into("<I", cut, 0xFF8, 0x15)
    assert pci.bar_sizes(bytes(cut)) == {}


def line(start: int, size: int, flags: int) -> str:
    """One line of a file resource."""
    return f"0x{start:016x} 0x{start + size - 1 if size else 0:016x} 0x{flags:016x}\n"


NONE = line(0, 0, 0)
VRAM, DOORBELL, REGISTERS = (0x20000000000, 256 << 30, 0x14220C), (0x24000000000, 2 << 20, 0x14220C), (0xF0000000, 1 << 19, 0x40200)
PORTS = (0x3000, 256, 0x40101)  # of I/O, which count as nothing
BARS = (0x0000000C, 0x00000200, 0x0000000C, 0x00000240, 0x00000001, 0xF0000000)
# name, file, configuration space, placed, unplaced
RESOURCES = [
    ("all placed", line(*VRAM) + NONE + line(*DOORBELL) + NONE + line(*PORTS) + line(*REGISTERS) + line(0xF0100000, 1 << 17, 0x46200),
     config_space(bars=BARS), (256 << 30, 2 << 20, 1 << 19), ()),
    ("kept without an address", line(0, 256 << 30, 0x2014220C) + NONE + line(*DOORBELL) + NONE + NONE + line(*REGISTERS),
     config_space(bars=BARS), (2 << 20, 1 << 19), (256 << 30,)),
    ("forgotten, with a size in the device", NONE * 2 + line(*DOORBELL) + NONE * 2 + line(*REGISTERS),
     config_space(bars=(0xC, 0, *BARS[2:]), rebar={0: 18}), (2 << 20, 1 << 19), (256 << 30,)),
    ("forgotten, no size", NONE * 6, config_space(bars=(0xC, 0xC, 0xC, 0, 1, 0)), (), (-1, -1)),
    ("others than root", NONE * 2 + line(*DOORBELL), config_space(bars=(0xC, 0, *BARS[2:]), rebar={0: 18})[:64], (2 << 20,), (-1,)),
    ("no space at all", NONE * 2 + line(*DOORBELL), b"", (2 << 20,), ()),
    ("windows of a bridge are no BARs", NONE * 6, config_space(header=1, bars=(0, 0, 0x00010100, 0xC, 0, 0)), (), ()),
    ("not of the form", "what\n0x1 0x2\n", config_space(), (), ()),
    ("empty", "", b"", (), ()),
]


@pytest.mark.parametrize(("text", "space", "placed", "unplaced"), [c[1:] for c in RESOURCES], ids=[c[0] for c in RESOURCES])
def test_resources(text: str, space: bytes, placed: tuple[int, ...], unplaced: tuple[int, ...]) -> None:
    assert pci.resources(text, bytes(space)) == (placed, unplaced)


@pytest.mark.parametrize(("text", "total"), [
    ("RxErr 0\nBadTLP 7\nBadDLLP 1\nTOTAL_ERR_COR 8\n", 8), ("Undefined 0\nDLP 0\nTOTAL_ERR_FATAL 0\n", 0), ("BadTLP 7\n", None), ("", None)])
def test_aer_total(text: str, total: int | None) -> None:
    assert pci.aer_total(text) == total


def test_path_from_the_root_complex_down() -> None:
    assert pci.path("/sys/devices/pci0000:00/0000:00:01.1/0000:01:00.0/0000:02:00.0/0000:03:00.0") == (
        "0000:00:01.1", "0000:01:00.0", "0000:02:00.0", "0000:03:00.0")
    assert pci.path("/sys/devices/pci10000:e0/10000:e0:06.0") == ("10000:e0:06.0",)
    assert pci.path("/sys/devices/platform/x") == ()


@pytest.mark.parametrize(("space", "gone"), [(b"\xff" * 64, True), (bytes(config_space()), False), (b"\xff", False)])
def test_lost(space: bytes, gone: bool) -> None:
    assert pci.lost(space) is gone
