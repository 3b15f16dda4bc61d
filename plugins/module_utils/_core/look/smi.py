# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Do a binding and a library of amdsmi belong together, and what do raw answers of the library mean."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from .readings import Reading
from .shape import Errors, Link

# ROCm release -> first numbers of its library. source: amdsmi.h of each release, in ROCm/amdsmi up to 6.3 and in
# ROCm/device-metrics-exporter since; ROCm/amdsmi#132
_LIBRARY_OF: dict[tuple[int, ...], tuple[tuple[int, ...], ...]] = {
    (6, 1): ((24, 2),), (6, 2): ((24, 5), (24, 6)), (6, 3): ((24, 7),), (6, 4): ((25,),), (7, 0): ((26, 0),),
    (7, 1): ((26, 1), (26, 2)),
    (7, 2): ((26, 2),), (7, 12): ((26, 3), (26, 4)), (7, 13): ((26, 4),), (7, 14): ((26, 5),),
    (10, 0): ((27, 0),), (10, 1): ((27, 1),),
}
_FIRST_LIBRARY = 22  # libraries are numbered from 22 on, ROCm releases below that
# The tool and binding of ROCm 6.1 counted for themselves: 23.4.2 beside library 24.2. source:
# ROCm/amdsmi:CHANGELOG.md
_OWN_NUMBERS = (22, 23)


def numbers(version: str | None) -> tuple[int, ...]:
    """Return the leading numbers of a version: (25, 5, 1) for 25.5.1+c11e6492."""
    match = re.match(r"\d+(?:\.\d+)*", version or "")
    return tuple(int(part) for part in match[0].split(".")) if match else ()


def acceptable(binding: str | None, rocm: str | None, same_tree: bool) -> tuple[tuple[int, ...], ...]:
    """Return the first numbers of the libraries that may meet this binding.

    A binding carries the number of its library (25.5.1) or, as republished on PyPI, of its ROCm (6.4.4).
    One that does not match may import and then let the library write past its structures: library 25 or 26 writes 896
    bytes into the 456 that binding 6.3.3 has for amdsmi_asic_info_t (seen by comparing their ctypes layouts).

    Args:
        binding: version that the binding states.
        rocm: version of the ROCm installation that holds the library.
        same_tree: the binding lies in that installation.
    """
    have = numbers(binding)
    if len(have) < 2:
        return ()
    if have[0] in _OWN_NUMBERS:
        return _LIBRARY_OF.get(numbers(rocm)[:2], ()) if same_tree else ()
    if have[0] >= _FIRST_LIBRARY:
        return (have[:2],)
    if not same_tree and numbers(rocm) != have:
        return ()
    return _LIBRARY_OF.get(have[:2], ())


def mismatch_words(binding: str | None, library: t.Sequence[int], rocm: str | None) -> str:
    """Return why binding and library do not meet, in one sentence."""
    return (f"amdsmi binding {binding or 'of unknown version'} does not belong to library {'.'.join(map(str, library))}"
            f" of ROCm {rocm or 'of unknown version'}, so it is not called; install the binding of this ROCm")


_TOO_LARGE = frozenset({2**32 - 1, 2**64 - 1})
_TOO_LARGE_16 = _TOO_LARGE | {2**16 - 1}


def number(value: t.Any, sentinels: t.Collection[int] = _TOO_LARGE) -> int | None:
    """Return a whole number; None for "N/A", for the largest number of a width, and for anything else."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0 or value in sentinels:
        return None
    return value


def word(value: t.Any) -> str | None:
    """Return a text; None for "N/A", for an empty one, and for anything that is no text."""
    return value.strip() if isinstance(value, str) and value.strip() not in ("", "N/A", "UNKNOWN") else None


def reading(item: t.Mapping[str, t.Any]) -> Reading:
    """Return what the library said about one whole GPU, in the units of the look."""
    firmware = _firmware(item.get("firmware"))
    megabytes, cap = number(item.get("vram_mb")), _member(item, "power_cap", "power_cap")
    unknown = {_FIELDS.get(name, name): why for name, why in item["unknown"].items()}
    return Reading(
        market_name=_market_name(item.get("market_name")), virtual_function=_virtual(item.get("virtualization")),
        uuid=word(item.get("uuid")), serial=_serial(item.get("serial")),
        vram_bytes=None if megabytes is None else megabytes * 1024 * 1024,
        compute_partition=word(item.get("compute_partition")), memory_partition=word(item.get("memory_partition")),
        available_memory=_caps(item.get("available_memory")), xgmi_hive_id=_hive(item.get("hive")),
        pcie=_link(item.get("pcie")), errors=_errors(item),
        temperature_hotspot_c=number(item.get("temperature_hotspot_c"), _TOO_LARGE_16),
        temperature_memory_c=number(item.get("temperature_memory_c"), _TOO_LARGE_16),
        power_cap_w=cap // 1_000_000 if cap else None,  # the library puts 0 where a sub-call failed
        firmware={name: text for name, text in firmware.items() if name != "PLDM_BUNDLE"},
        vbios=word(item.get("vbios")), vbios_part=word(item.get("vbios_part")),
        bundle=_bundle(firmware.get("PLDM_BUNDLE")), unknown=unknown,
    )


_FIELDS = {"vram_mb": "vram_bytes", "virtualization": "virtual_function", "hive": "xgmi_hive_id",
           "ecc": "errors.correctable", "bad_pages": "errors.bad_pages", "power_cap": "power_cap_w",
           "pcie": "pcie.width"}


def _member(item: t.Mapping[str, t.Any], name: str, key: str) -> int | None:
    value = item.get(name)
    return number(value.get(key)) if isinstance(value, dict) else None


def _market_name(value: t.Any) -> str | None:
    text = word(value)
    return None if text and text.startswith("0x") else text  # the library prints the device id if it has no name


def _virtual(value: t.Any) -> bool | None:
    known = {"GUEST": True, "BAREMETAL": False, "HOST": False, "PASSTHROUGH": False}
    return known.get(str(value).rpartition("_")[2])


def _serial(value: t.Any) -> str | None:
    text = (word(value) or "").lower().removeprefix("0x")
    return text if text.strip("f") and text.strip("0") else None


def _caps(value: t.Any) -> tuple[str, ...]:
    return tuple(text for text in map(word, value) if text) if isinstance(value, list) else ()


def _hive(value: t.Any) -> str | None:
    found = number(value)
    return f"{found:016x}" if found else None


def _errors(item: t.Mapping[str, t.Any]) -> Errors:
    pages = item.get("bad_pages")
    return Errors(
        correctable=_member(item, "ecc", "correctable_count"),
        uncorrectable=_member(item, "ecc", "uncorrectable_count"),
        deferred=_member(item, "ecc", "deferred_count"), bad_pages=len(pages) if isinstance(pages, list) else None,
    )


def _link(value: t.Any) -> Link:
    if not isinstance(value, dict):
        return Link()
    now, most = value.get("pcie_metric", {}), value.get("pcie_static", {})
    return Link(number(now.get("pcie_width"), _TOO_LARGE_16), number(most.get("max_pcie_width"), _TOO_LARGE_16),
                number(now.get("pcie_speed"), _TOO_LARGE_16), number(most.get("max_pcie_speed"), _TOO_LARGE_16))


def _firmware(value: t.Any) -> dict[str, str]:
    blocks = {}
    for entry in value if isinstance(value, list) else ():
        name, version = str(entry.get("fw_name")), word(entry.get("fw_version"))
        if version:
            blocks[name.replace("AMDSMI_FW_ID_", "").replace("FW_ID_", "")] = version
    return blocks


def _bundle(version: str | None) -> str | None:
    """Return the version of a PLDM bundle; None where the library prints an empty or a full register as one."""
    return None if version is None or set(version.split(".")) in ({"00"}, {"255"}) else version


def by_gpu(items: t.Sequence[t.Mapping[str, t.Any]], bdfs: t.Collection[str]) -> dict[str, Reading]:
    """Return PCI address of each GPU -> its reading, with the UUIDs of its partitions.

    A partition may answer with its number in the function part of the address, as in the KFD topology.
    """
    readings: dict[str, Reading] = {}
    uuids: dict[str, dict[int, str]] = {}
    for item in items:
        bdf = str(item["bdf"]).lower()
        owner = bdf if bdf in bdfs and not item["partition"] else bdf[:-1] + "0"
        if owner not in bdfs:
            continue
        identifier = word(item.get("uuid"))
        if identifier:
            uuids.setdefault(owner, {}).setdefault(item["partition"] or 0, identifier)
        if not item["partition"]:
            readings.setdefault(owner, reading(item))
    return {bdf: _with_uuids(found, uuids.get(bdf, {})) for bdf, found in readings.items()}


def _with_uuids(found: Reading, uuids: dict[int, str]) -> Reading:
    if len(set(uuids.values())) == len(uuids):
        return dc.replace(found, partition_uuids=uuids)
    why = "the library gives all partitions the UUID of the GPU"  # as drivers before ROCm 7.0 do
    return dc.replace(found, unknown={**found.unknown, "partitions.uuid": why})
