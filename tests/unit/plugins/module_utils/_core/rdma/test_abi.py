# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ABI between kernel drivers and providers, read out of real libraries and judged."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.formats import elf
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma import abi
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.shape import Provider, UserSpace, VerbsDevice
from ansible_collections.instinct.fleet.tests.unit.support.providers import libibverbs, provider

FOLDER = "/usr/lib/x86_64-linux-gnu/libibverbs"
NAMED = {"ionic": "ionic", "mlx5_core": "mlx5"}
NIC = VerbsDevice("ionic_0", "uverbs0", "ionic", 4)


def read(data: bytes, path: str) -> Provider:
    found = elf.parse(data)
    assert found
    return abi.provider(found, path)


@pytest.mark.parametrize(("name", "least", "greatest"), [("ionic", 1, 4), ("mlx5", 1, 1), ("hns", 0, abi.ANY)])
def test_the_range_is_read_out_of_the_file(name: str, least: int, greatest: int) -> None:
    path = f"{FOLDER}/lib{name}-rdmav34.so"
    assert read(provider(name, least, greatest), path) == Provider(name, path, least, greatest, 34)


def test_a_provider_may_call_itself_by_the_end_of_its_name() -> None:
    found = read(provider("pvrdma", 3, 3), f"{FOLDER}/libvmw_pvrdma-rdmav34.so")
    assert (found.name, found.abi_min, found.abi_max) == ("vmw_pvrdma", 3, 3)


@pytest.mark.parametrize(("path", "data", "name"), [
    (f"{FOLDER}/libionic-rdmav34.so", provider("mlx5", 1, 1), "ionic"),  # it says another name of itself
    (f"{FOLDER}/libionic-rdmav34.so", provider("ionic", 4, 1), "ionic"),  # no range
    ("/usr/lib/libionic.so.1", libibverbs(), "libionic.so.1"),  # registers nothing
])
def test_a_file_that_does_not_tell_is_unknown(path: str, data: bytes, name: str) -> None:
    found = read(data, path)
    assert (found.name, found.abi_min, found.abi_max) == (name, None, None)


def test_a_range_that_is_cut_off_is_unknown() -> None:
    found = elf.parse(provider("ionic", 1, 4))
    assert found
    place = next(place for place, target in found.relatives().items() if found.text(target) == "ionic" and place + 16 in found.relatives())
    short = dc.replace(found, segments=tuple(
        part._replace(size=place + 8 - part.address) if part.address <= place < part.address + part.size else part
        for part in found.segments))
    assert abi.provider(short, f"{FOLDER}/libionic-rdmav34.so").abi_min is None


@pytest.mark.parametrize(("private", "found"), [(34, 34), (50, 50)])
def test_libibverbs_says_its_private_interface(private: int, found: int) -> None:
    read_ = elf.parse(libibverbs(private))
    assert read_ and abi.private(read_) == found


def test_a_library_without_one_private_interface_says_none() -> None:
    read_ = elf.parse(provider("ionic", 1, 1))
    assert read_ and abi.private(read_) is None


def space(*providers: Provider, private: int | None = 34) -> UserSpace:
    return UserSpace("/usr/lib/libibverbs.so.1", None, private, providers)


def ionic(least: int | None, greatest: int | None, private: int | None = 34, missing: tuple[str, ...] = ()) -> Provider:
    return Provider("ionic", f"{FOLDER}/libionic-rdmav{private}.so", least, greatest, private, missing)


OLD = f"{FOLDER}/libionic-rdmav34.so speaks ABI 1, and the kernel's driver has 4"


@pytest.mark.parametrize(("device", "there", "kind", "said"), [
    (NIC, space(ionic(1, 4)), "", ""),
    (NIC, space(ionic(0, abi.ANY)), "", ""),
    (NIC, space(ionic(4, 4, 50), ionic(1, 4)), "", ""),  # the one of this libibverbs counts
    (NIC, space(ionic(1, 4, None), ionic(1, 4)), "", ""),
    (NIC, space(ionic(1, 4, None)), abi.UNKNOWN, f"{FOLDER}/libionic-rdmavNone.so does not tell the interface of libibverbs that it is for"),
    (NIC, space(ionic(1, 4, None), private=None), abi.UNKNOWN, f"{FOLDER}/libionic-rdmavNone.so does not tell the interface of libibverbs "
     "that it is for"),
    (NIC, space(ionic(1, 4), private=None), abi.UNKNOWN, f"/usr/lib/libibverbs.so.1 does not tell its interface, and {FOLDER}/libionic-rdmav34.so "
     "is for 34"),
    (NIC, space(ionic(1, 1), private=None), abi.OLDER, OLD),  # it is too old, whosever it is
    (NIC, space(ionic(1, 1, 50), ionic(1, 4), private=None), abi.UNKNOWN,  # one of them would do
     f"/usr/lib/libibverbs.so.1 does not tell its interface, and {FOLDER}/libionic-rdmav34.so is for 34"),
    (NIC, space(ionic(1, 1), ionic(5, 6, 50), private=None), abi.OLDER, OLD),  # neither does
    (NIC, space(ionic(1, 4, 50), ionic(1, 4, 35)), abi.STRANGE, f"{FOLDER}/libionic-rdmav50.so is for interface 50 of libibverbs, which has 34"),
    (NIC, space(), abi.ABSENT, "there is no provider ionic"),
    (NIC, space(ionic(1, 1)), abi.OLDER, OLD),
    (NIC, space(ionic(5, 6)), abi.NEWER, f"{FOLDER}/libionic-rdmav34.so speaks ABI 5 to 6, and the kernel's driver has 4"),
    (NIC, space(ionic(5, abi.ANY)), abi.NEWER, f"{FOLDER}/libionic-rdmav34.so speaks ABI from 5 on, and the kernel's driver has 4"),
    (NIC, space(ionic(1, 4, missing=("libionic.so.1",))), abi.BROKEN, f"{FOLDER}/libionic-rdmav34.so lacks libionic.so.1"),
    (NIC, space(ionic(1, 4, 50)), abi.STRANGE, f"{FOLDER}/libionic-rdmav50.so is for interface 50 of libibverbs, which has 34"),
    (NIC, space(ionic(None, None)), abi.UNKNOWN, f"{FOLDER}/libionic-rdmav34.so does not tell which ABIs it speaks"),
    (NIC, space(ionic(1, None)), abi.UNKNOWN, f"{FOLDER}/libionic-rdmav34.so does not tell which ABIs it speaks"),
    (dc.replace(NIC, abi=None), space(ionic(1, 4)), abi.UNKNOWN, "which ABI the kernel's driver of ionic_0 has is not known"),
    (dc.replace(NIC, driver="siw"), space(ionic(1, 4)), abi.UNKNOWN, "which provider the driver siw needs is not known"),
    (dc.replace(NIC, driver=None), space(ionic(1, 4)), abi.UNKNOWN, "which provider the driver of it needs is not known"),
])
def test_devices_that_user_space_does_not_serve(device: VerbsDevice, there: UserSpace, kind: str, said: str) -> None:
    gaps = abi.gaps([device], there, NAMED)
    assert [(gap.kind, gap.said, gap.device) for gap in gaps] == ([(kind, said, device)] if kind else [])


def test_a_line_of_configuration_names_a_provider() -> None:
    text = "# comment\ndriver ionic\n  driver   mlx5  \ndrivers none\n"
    assert [match["name"] for match in abi.CONFIGURED.finditer(text)] == ["ionic", "mlx5"]
