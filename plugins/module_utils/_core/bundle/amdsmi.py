# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What amd-smi says, as JSON or as text, of any release."""

from __future__ import annotations

import re
import typing as t

from ..errors import DataError
from ..formats import amdsmi_text, tool_json
from ..formats.quantity import size, speed, whole, word
from ..formats.tool_json import Record
from ..look.health import BlockErrors, ClockRange, Pages
from ..look.shape import Errors, Link
from .amdsmi_keys import CLOCKS, HEALTH, MONITORED, READING, TEMPERATURES, THROTTLES, dig, first, normal_target
from .facts import Card, Facts

_HOST_DRIVERS = ("AMDGPUV", "GIM", "WDDM")  # the tool of the same name on a virtualization host
_UUID = re.compile(r"^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$", re.IGNORECASE)
_FAILED = re.compile(r"(?:ERROR\b.*?:|AMDSMI_STATUS_\w+|Unable to detect any GPU devices|Driver not loaded)[^\n]*")
_NO_DRIVER = ("not found in modules", "driver not loaded", "driver_not_loaded", "not initialized")
_COUNTER = re.compile(r"^ecc_(\w+)_(?:ue|ce)$")
_VERSION = re.compile(r"AMD-?SMI(?: Tool:)? (?P<tool>\d\S*)")
_VERSION_OF = {"library_version": re.compile(r"AMDSMI Library version: ([^\s|]+)"),
               "rocm": re.compile(r"ROCm version: ([^\s|]+)"), "amdgpu": re.compile(r"amdgpu version: ([^\s|]+)")}


def read(facts: Facts, text: str) -> str:
    """Take what one run of amd-smi said.

    Raises:
        DataError: JSON that is cut off or damaged.
    """
    document = tool_json.document(text)
    records = tool_json.records(document) if document is not None else amdsmi_text.blocks(text)
    tables = _tables(facts, document if isinstance(document, dict) else {}, text if document is None else "")
    _versions(facts, text, records)
    told = [words for words in (_record(facts, record) for record in [*records, *tables]) if words]
    failed = _FAILED.search(text)
    if told:
        return "amd-smi: " + ", ".join(dict.fromkeys(told))
    if failed:
        facts.smi["error"] = failed[0].strip()
        if any(sign in failed[0].lower() for sign in _NO_DRIVER):
            facts.loaded = False if facts.loaded is None else facts.loaded
        return f"amd-smi failed: {failed[0].strip()}"
    if "library_version" in facts.smi or facts.xgmi or "TABLE" in text:
        return "amd-smi"
    raise DataError("this file", "holds nothing that amd-smi is known to print", "take it again, without --watch")


def _record(facts: Facts, record: Record) -> str:
    """One record of any command; the words that its kind is called by, empty if nothing of it is known."""
    number = record.get("gpu", record.get("gpu_id"))
    number = whole(number) if not isinstance(number, str) or number.isdigit() else None
    if number is None:
        return ""
    driver = record.get("driver") if isinstance(record.get("driver"), dict) else {}
    name, version = (dig(driver, "name") or dig(driver, "driver_name")), (
        dig(driver, "version") or dig(driver, "driver_version"))
    if str(name).upper() in _HOST_DRIVERS:
        return f"the tool of a virtualization host ({name} {version}), which says nothing about amdgpu"
    card = facts.amdsmi.setdefault(number, Card())
    _place(card, record)
    _driver(facts, word(version))
    _health(card, record)
    _lists(facts, card, record)
    for field, convert, paths in READING:
        value = first(record, paths, convert)
        if value is not None:
            card.reading.setdefault(field, value)
    target = word(dig(record, "asic.target_graphics_version"))
    return f"target {normal_target(target)}" if target else _peers(record) or "GPUs"


def _peers(record: Record) -> str:
    """The links of one GPU to the others in words, of both forms of topology; empty if it is none."""
    links, types = record.get("links"), record.get("link_type")
    if isinstance(links, list):
        told = [(dig(link, "link_type"), dig(link, "link_status")) for link in links]
    else:
        told = [(kind, dig(record, f"link_accessibility.{peer}")) for peer, kind in types.items()] if (
            isinstance(types, dict)) else []
    others = [(str(kind), str(status)) for kind, status in told if kind != "SELF"]
    closed = sum(status == "DISABLED" for _kind, status in others)
    kinds = " and ".join(sorted({kind for kind, _status in others}))
    return f"{len(others)} {kinds} links{f', {closed} without access' if closed else ''}" if others else ""


def _place(card: Card, record: Record) -> None:
    bdf = word(dig(record, "bdf")) or word(dig(record, "bus.bdf"))
    card.bdf = bdf.lower() if bdf else card.bdf
    card.partition = first(record, ("partition_id", "partition.partition_id"), whole) or card.partition
    card.kfd_id = first(record, ("kfd_id",), whole) or card.kfd_id
    card.kfd_node = first(record, ("node_id",), whole) or card.kfd_node
    device, uuid, render = word(dig(record, "asic.device_id")), word(dig(record, "uuid")), word(dig(record, "render"))
    card.device = device.lower().removeprefix("0x") if device else card.device
    card.render = f"/dev/dri/{render}" if render else card.render
    card.numa = str(first(record, ("numa.node",), whole) or card.numa)
    if uuid and _UUID.match(uuid):
        card.reading["uuid"] = uuid
    most = first(record, ("bus.max_pcie_width", "bus.max_pcie_lanes"), whole)
    now = Link(first(record, ("pcie.width",), whole), most,
               first(record, ("pcie.speed",), speed), first(record, ("bus.max_pcie_speed",), speed))
    old = card.reading.get("pcie", Link())
    card.reading["pcie"] = Link(now.width or old.width, now.max_width or old.max_width,
                                now.speed_mts or old.speed_mts, now.max_speed_mts or old.max_speed_mts)


def _driver(facts: Facts, version: str | None) -> None:
    if version is None:
        return
    facts.loaded = True
    # The driver that comes with the kernel has no version, and the tool prints /proc/version instead.
    if version.startswith("Linux version"):
        facts.in_tree, facts.running = True, facts.running or version.split()[2]
    else:
        facts.version = version


def _health(card: Card, record: Record) -> None:
    health = card.health
    for field, convert, paths in HEALTH:
        value = first(record, paths, convert)
        if value is not None:
            health[field] = value
    both = re.match(r"^([\d.]+)/([\d.]+) ?([KMGT]?B)$", str(record.get("vram_usage")))  # 0.3/192.0 GB
    if both:
        health["vram_used_bytes"], health["vram_total_bytes"] = (size(f"{part} {both[3]}") for part in both.group(1, 2))
    naks = [whole(dig(record, f"pcie.nak_{way}_count")) for way in ("sent", "received")]
    if any(count is not None for count in naks):
        health["pcie_naks"] = sum(count or 0 for count in naks)
    _mapped(health, "temperatures_c", TEMPERATURES, record.get("temperature"), whole)
    limits = {key.split("_")[1]: value for key, value in (record.get("limit") or {}).items()
              if key.startswith("slowdown_")} if isinstance(record.get("limit"), dict) else {}
    _mapped(health, "limits_c", TEMPERATURES, limits, whole)
    _mapped(health, "clocks", CLOCKS, record.get("clock"), _clock)
    throttle = record.get("throttle") or {}
    _mapped(health, "throttled", {f"{name}_violation_status": name for name in THROTTLES}, throttle, _active)
    _mapped(health, "throttled_percent", {f"{name}_violation_activity": name for name in THROTTLES}, throttle, whole)
    _mapped(health, "throttled_percent", MONITORED, record, whole)
    _mapped(health, "throttled", {"tviol_active": "socket_thermal"}, record, _active)
    _mapped(health, "blocks", None, record.get("ecc_blocks"), _block)
    for block in {match[1] for match in map(_COUNTER.match, record) if match}:  # of rdci
        health.setdefault("blocks", {})[block] = BlockErrors(
            whole(record.get(f"ecc_{block}_ce")), whole(record.get(f"ecc_{block}_ue")))
    _total(card, record)


def _mapped(health: dict[str, t.Any], field: str, names: t.Mapping[str, str] | None, values: t.Any,
            convert: t.Callable[[t.Any], t.Any]) -> None:
    """Take what is in ``values`` into one mapping of the health; without names, everything in it."""
    for key, raw in (values.items() if isinstance(values, dict) else ()):
        name, value = str(key).lower() if names is None else names.get(str(key)), convert(raw)
        if name is not None and value is not None:
            health.setdefault(field, {})[name] = value


def _active(value: t.Any) -> bool | None:
    return {"ACTIVE": True, "TRUE": True, "NOT ACTIVE": False, "FALSE": False}.get(str(value).upper())


def _clock(value: t.Any) -> ClockRange | None:
    if not isinstance(value, dict):
        return None
    return ClockRange(*(whole(value.get(key)) for key in ("clk", "min_clk", "max_clk")))


def _block(value: t.Any) -> BlockErrors | None:
    counts = [whole(dig(value, f"{kind}_count")) for kind in ("correctable", "uncorrectable", "deferred")]
    return None if counts == [None] * 3 else BlockErrors(*counts)


def _total(card: Card, record: Record) -> None:
    counts = [first(record, (f"ecc.total_{kind}_count", f"ecc.total_{kind}"), whole)
              for kind in ("correctable", "uncorrectable", "deferred")]
    if counts != [None] * 3:
        card.reading["errors"] = Errors(*counts)


def _lists(facts: Facts, card: Card, record: Record) -> None:
    """What comes as a list: firmware, pages, processes, links."""
    blocks = record.get("fw_list")
    for entry in (blocks.values() if isinstance(blocks, dict) else blocks if isinstance(blocks, list) else ()):
        name, version = word(dig(entry, "fw_id")) or word(dig(entry, "fw_name")), word(dig(entry, "fw_version"))
        if name and version:
            card.reading.setdefault("firmware", {})[name] = version
    pages = {field: _pages(record.get(key)) for field, key in
             (("retired", "retired"), ("pending", "pending"), ("unreservable", "un_res"))}
    if any(count is not None for count in pages.values()):
        card.health["pages"] = Pages(**pages, threshold=whole(record.get("bad_page_threshold")))
    _processes(facts, record)
    link = record.get("link_status")
    if isinstance(link, list) and card.bdf:
        facts.xgmi[card.bdf] = tuple(str(word) for word in link)


def _pages(value: t.Any) -> int | None:
    if isinstance(value, str):
        return 0 if value.lower().startswith("no bad pages") else None
    return len(value) if isinstance(value, (list, dict)) else None


def _processes(facts: Facts, record: Record) -> None:
    listed = record.get("process_list")
    entries = listed if isinstance(listed, list) else []
    entries = entries + [{key: value} for key, value in record.items() if key.startswith("process_info")]
    for entry in entries:
        facts.pids = facts.pids or set()
        pid = whole(dig(entry, f"{next(iter(entry))}.pid")) if isinstance(entry, dict) and entry else None
        if pid:
            facts.pids.add(pid)


def _tables(facts: Facts, document: Record, text: str) -> list[Record]:
    """Records of the tables for people, and of the JSON that holds several lists."""
    found = amdsmi_text.tables(text)
    reached, kinds = (amdsmi_text.matrix(found.get(title, ())) for title in ("ACCESS TABLE", "LINK TYPE TABLE"))
    between = [{"gpu": number, "bdf": bdf, "link_type": kinds.get(bdf), "link_accessibility": reached.get(bdf)}
               for number, bdf in enumerate(kinds or reached)]
    named = [{"gpu": number, "bdf": bdf} for lines in found.values()
             for number, bdf in amdsmi_text.places(lines).items()]
    facts.xgmi.update(amdsmi_text.link_status(found.get("XGMI LINK STATUS TABLE", ())))
    facts.xgmi.update(amdsmi_text.link_status(found.get("LINK STATUS TABLE", ())))
    rows = amdsmi_text.columns(found[""]) + amdsmi_text.aligned(found.get("CURRENT PARTITION", ()))
    for key in ("current_partition", "link_status", "xgmi_metric"):
        inner = document.get(key)
        rows += [item for item in inner if isinstance(item, dict)] if isinstance(inner, list) else []
    return [*rows, *between, *named]


def _versions(facts: Facts, text: str, records: t.Sequence[Record]) -> None:
    one = records[0] if records and "amdsmi_library_version" in records[0] else {}
    tool = _VERSION.search(text)
    told = {"binding_version": word(one.get("version")) or (tool["tool"] if tool else None),
            "library_version": word(one.get("amdsmi_library_version")), "rocm": word(one.get("rocm_version")),
            "amdgpu": word(one.get("amdgpu_version"))}
    for field, pattern in _VERSION_OF.items():
        match = pattern.search(text)
        told[field] = told[field] or (word(match[1]) if match else None)
    _driver(facts, told.pop("amdgpu"))
    facts.smi.update({field: value for field, value in told.items() if value})
