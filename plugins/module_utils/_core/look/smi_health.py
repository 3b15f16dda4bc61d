# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What raw answers of the library about health mean, in the units of the look.

"Not supported" is an answer: the GPU has no such thing, and the field stays empty without a reason. So it is with the
edge temperature of MI300 and later, with HBM sensors where the product has one memory sensor, with blocks without RAS,
with links of a GPU outside a hive, with throttling before MI300, and with bad pages of virtual functions. "N/A", the
largest number of a width and a missing key are unknown, with a reason.
"""

from __future__ import annotations

import calendar
import re
import typing as t

from .health import BlockErrors, ClockRange, Cper, GpuHealth, Health, Pages
from .ras import enabled
from .smi import number, word

Item = t.Mapping[str, t.Any]

_SENTINELS = frozenset({2**16 - 1, 2**32 - 1, 2**64 - 1})
# Call -> fields that it answers, where their names differ.
_FIELDS = {
    "power": ("power_w",), "power_cap": ("power_cap_w", "power_cap_default_w"),
    "pcie": ("pcie_replays", "pcie_recoveries", "pcie_naks"),
    "activity": ("gfx_activity_percent", "memory_activity_percent"), "throttling": ("throttled", "throttled_percent"),
    "pages": ("pages.retired", "pages.pending", "pages.unreservable"),
}
_NOT_TOLD = "the library answers, but not this"
# Name in the look -> ending of the keys active_ and per_. source: amdsmi_get_violation_status of binding 6.4.4
_THROTTLING = {"prochot": "prochot_thrm", "ppt": "ppt_pwr", "socket_thermal": "socket_thrm", "vr_thermal": "vr_thrm",
               "hbm_thermal": "hbm_thrm"}
_KINDS = ("correctable", "uncorrectable", "deferred")
_LINKS = {"U": "up", "D": "down", "X": "absent"}
# The library's words for performance levels -> the kernel's. source: ROCm/rocm-systems:projects/rocm-smi-lib/src/
# rocm_smi_device.cc
_LEVELS = {"DETERMINISM": "perf_determinism", "STABLE_STD": "profile_standard", "STABLE_PEAK": "profile_peak",
           "STABLE_MIN_MCLK": "profile_min_mclk", "STABLE_MIN_SCLK": "profile_min_sclk"}
_MOST_RECORDS = 64
_FILE_ERROR = "error 14"
# source: ROCm/rocm-systems:projects/amdsmi/CHANGELOG.md, 7.14
_EMPTY_TOO = "libraries before 26.5 answer so for an empty ring too"
_IN_TREE = "Linux version "  # how the text of /proc/version begins


def health(items: t.Mapping[str, Item], bdfs: t.Sequence[str], root: bool) -> Health:
    """Return what the library said about the health of whole GPUs.

    Args:
        items: PCI address as the library has it -> its raw answers, ``unknown`` among them.
        bdfs: PCI addresses of the GPUs on the bus.
        root: whether root asked; others see their own processes alone.
    """
    known = {bdf: items[bdf] for bdf in bdfs if bdf in items}
    unknown = {}
    pids, why = _pids(list(known.values()), root)
    if why:
        unknown["pids"] = why
    versions = [word(_part(item, "driver").get("driver_version")) for item in known.values()]
    version = next((text for text in versions if text), None)
    in_tree = None if version is None else version.startswith(_IN_TREE)
    return Health(tuple(gpu(bdf, item) for bdf, item in known.items()), "amdsmi", pids, None if in_tree else version,
                  in_tree, unknown)


def gpu(bdf: str, item: Item) -> GpuHealth:
    """Return the health of one GPU."""
    unknown = dict(_reasons(item))
    throttled, percent = _throttling(item.get("throttling"), unknown)
    cap = _part(item, "power_cap")
    now, activity = _part(_part(item, "pcie"), "pcie_metric"), _part(item, "activity")
    values: dict[str, t.Any] = {
        "power_w": _power(_part(item, "power")),
        "power_cap_w": _watts(cap.get("power_cap")), "power_cap_default_w": _watts(cap.get("default_power_cap")),
        "pcie_replays": number(now.get("pcie_replay_count")),
        "pcie_recoveries": number(now.get("pcie_l0_to_recovery_count")), "pcie_naks": _naks(now),
        "gfx_activity_percent": _percent(activity.get("gfx_activity")),
        "memory_activity_percent": _percent(activity.get("umc_activity")),
    }
    for call, fields in _FIELDS.items():
        if call in item:
            unknown.update({field: _NOT_TOLD for field in fields if field in values and values[field] is None})
    return GpuHealth(
        bdf=bdf, temperatures_c=_numbers(item, "temperatures_c", unknown),
        limits_c={name: limit for name, limit in _numbers(item, "limits_c", unknown).items() if limit},
        clocks=_clocks(item), performance_level=_level(item.get("performance_level")), throttled=throttled,
        throttled_percent=percent, blocks=_blocks(item), ras_blocks=enabled(number(item.get("ras_blocks")) or 0),
        pages=_pages(item), cper=_records(item.get("cper")), xgmi_links=_links(item.get("xgmi_links")),
        unknown=unknown, **values,
    )


def _reasons(item: Item) -> t.Iterator[tuple[str, str]]:
    for call, why in item["unknown"].items():
        words = f"{why}; {_EMPTY_TOO}" if call == "cper" and _FILE_ERROR in why else why
        yield from ((field, words) for field in _FIELDS.get(call, (call,)))


def _part(value: Item, key: str) -> Item:
    part = value.get(key)
    return part if isinstance(part, dict) else {}


def _under(item: Item, prefix: str) -> t.Iterator[tuple[str, t.Any]]:
    """Answers of calls that are named after a field and one of its keys."""
    yield from ((name[len(prefix) + 1:], value) for name, value in item.items() if name.startswith(f"{prefix}."))


def _numbers(item: Item, field: str, unknown: dict[str, str]) -> dict[str, int]:
    found = {name: number(value, _SENTINELS) for name, value in _under(item, field)}
    unknown.update({f"{field}.{name}": _NOT_TOLD for name, value in found.items() if value is None})
    return {name: value for name, value in found.items() if value is not None}


def _watts(microwatts: t.Any) -> int | None:
    value = number(microwatts)
    return value // 1_000_000 if value else None  # the library puts 0 where a sub-call failed


def _power(info: Item) -> int | None:
    """Watts; the key differs by version and product. The second die of an MI250X answers 0: it is not measured."""
    found = (number(info.get(key), _SENTINELS)
             for key in ("socket_power", "current_socket_power", "average_socket_power"))
    return next((watts for watts in found if watts), None)


def _naks(metric: Item) -> int | None:
    counts = [number(metric.get(key)) for key in ("pcie_nak_sent_count", "pcie_nak_received_count")]
    return None if None in counts else sum(count or 0 for count in counts)


def _percent(value: t.Any) -> int | None:
    found = number(value)
    return found if found is not None and found <= 100 else None


def _clocks(item: Item) -> dict[str, ClockRange]:
    return {name: ClockRange(*(number(value.get(key), _SENTINELS) for key in ("clk", "min_clk", "max_clk")))
            for name, value in _under(item, "clocks") if isinstance(value, dict)}


def _level(value: t.Any) -> str | None:
    text = (word(value) or "").replace("AMDSMI_DEV_PERF_LEVEL_", "")
    return _LEVELS.get(text, text.lower()) if text not in ("", "UNKNOWN") else None


def _throttling(value: t.Any, unknown: dict[str, str]) -> tuple[dict[str, bool], dict[str, int]]:
    active: dict[str, bool] = {}
    percent: dict[str, int] = {}
    for name, key in _THROTTLING.items() if isinstance(value, dict) else ():
        now, share = value.get(f"active_{key}"), _percent(value.get(f"per_{key}"))
        if isinstance(now, bool):
            active[name] = now
        else:
            unknown[f"throttled.{name}"] = _NOT_TOLD
        if share is not None:
            percent[name] = share
        else:
            unknown[f"throttled_percent.{name}"] = _NOT_TOLD
    return active, percent


def _blocks(item: Item) -> dict[str, BlockErrors]:
    return {name: BlockErrors(*(number(value.get(f"{kind}_count")) for kind in _KINDS))
            for name, value in _under(item, "blocks") if isinstance(value, dict)}


def _pages(item: Item) -> Pages:
    records, threshold = item.get("pages"), number(item.get("pages.threshold"))
    if not isinstance(records, list):
        return Pages(threshold=threshold)
    # 0 retired, 1 pending, 2 unreservable. source: amdsmi_memory_page_status_t of every binding
    states = [record.get("status") for record in records if isinstance(record, dict)]
    return Pages(states.count(0), states.count(1), states.count(2), threshold)


def _links(value: t.Any) -> tuple[str, ...]:
    states = value.get("status") if isinstance(value, dict) else None
    return tuple(_LINKS.get(str(state), "absent") for state in states) if isinstance(states, list) else ()


def _records(value: t.Any) -> tuple[Cper, ...]:
    found = value if isinstance(value, list) else []
    return tuple(Cper(str(record["severity"]), _epoch(str(record["time"])), _afids(record["afids"]))
                 for record in found[-_MOST_RECORDS:])


def _afids(values: t.Sequence[t.Any]) -> tuple[int, ...]:
    numbers = (number(value) for value in values)  # a damaged record gives the largest number
    return tuple(value for value in numbers if value is not None)


def _epoch(text: str) -> float | None:
    """Seconds since 1970 of "2026/03/01 12:30:00", which is UTC; None for what is no time.

    source: linux:drivers/gpu/drm/amd/amdgpu/amdgpu_cper.c, amdgpu_cper_get_timestamp
    """
    match = re.fullmatch(r"(\d{4})/(\d\d)/(\d\d) (\d\d):(\d\d):(\d\d)", text)
    if match is None or not ("01" <= match[2] <= "12" and "01" <= match[3] <= "31"):
        return None
    return float(calendar.timegm((*map(int, match.groups()), 0, 0, 0)))


def _pids(items: t.Sequence[Item], root: bool) -> tuple[tuple[int, ...] | None, str | None]:
    lists = [item["processes"] for item in items if isinstance(item.get("processes"), list)]
    if not root:
        return None, "only root sees the processes of others"
    if not lists:
        whys = [item["unknown"]["processes"] for item in items if "processes" in item["unknown"]]
        return None, whys[0] if whys else None
    numbers = {number(entry.get("pid")) for entries in lists for entry in entries if isinstance(entry, dict)}
    return tuple(sorted(pid for pid in numbers if pid)), None
