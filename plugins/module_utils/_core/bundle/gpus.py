# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What files of a bundle tell about GPUs besides amd-smi: lspci, rocm-smi, rocminfo, KFD."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from ..errors import DataError
from ..formats import lspci, rocminfo, tool_json
from ..formats.quantity import size, whole, word
from ..look.health import BlockErrors
from .facts import Card, Facts

_OF_NODE = r"nodes/(?P<node>\d{1,5})/(?P<rest>(?:mem_banks/\d+/)?properties|gpu_id|name)"
_KFD_PATH = re.compile(rf"(?:^|/){_OF_NODE}$")
_KFD_LINE = re.compile(rf"^\S*/{_OF_NODE}[:=] ?(?P<text>.*)$")
_PROC_PATH = re.compile(r"(?:^|/)kfd/(?:kfd/)?proc/(?P<pid>\d{1,9})/(?P<name>[a-z]+(?:_\d+)?)$")
_PROC_LINE = re.compile(r"^\S*kfd/proc/(?P<pid>\d{1,9})/(?P<name>[a-z]+(?:_\d+)?) ?[:=] ?(?P<text>\S*)$")
_HWLOC_PCI = re.compile(r'type="PCIDev"[^>]*pci_busid="(?P<bdf>[^"]+)" pci_type="(?P<class>[0-9a-f]{4}) '
                        r"\[(?P<vendor>[0-9a-f]{4}):(?P<device>[0-9a-f]{4})\]")
_HWLOC_INFO = re.compile(r'<info name="(?P<name>OSRelease|CPUVendor|Architecture)" value="(?P<value>[^"]*)"')
_METRIC = re.compile(r'^(?:amd_)?gpu_ecc_(?P<un>un)?correct_(?P<block>\w+)\{[^}]*gpu_id="(?P<gpu>\d+)"[^}]*\} '
                     r"(?P<value>\d+)", re.MULTILINE)
_CLIENT = re.compile(r"^\d+\s+[0-9a-f-]{36}\s+(\w+)", re.MULTILINE)
_FIRMWARE = re.compile(r"^(?P<name>\w+) feature version: \d+, firmware version: (?P<version>0x[0-9a-f]+)", re.MULTILINE)
# Keys of rocm-smi --json of ROCm 5 to 7. source: ROCm/rocm-systems:projects/rocm-smi-lib/python_smi_tools/rocm_smi.py
_READING: tuple[tuple[str, t.Callable[[t.Any], t.Any], tuple[str, ...]], ...] = (
    ("market_name", word, ("Card Series", "Card series", "Card Model", "Device Name")),
    ("vbios_part", word, ("VBIOS version",)),
    ("vram_bytes", size, ("VRAM Total Memory (B)",)),
    ("compute_partition", word, ("Compute Partition",)),
    ("memory_partition", word, ("Memory Partition",)),
    ("power_cap_w", whole, ("Max Graphics Package Power (W)",)),
    ("temperature_hotspot_c", whole, ("Temperature (Sensor junction) (C)",)),
    ("temperature_memory_c", whole, ("Temperature (Sensor memory) (C)",)),
)
_HEALTH: tuple[tuple[str, t.Callable[[t.Any], t.Any], tuple[str, ...]], ...] = (
    ("power_w", whole, ("Current Socket Graphics Package Power (W)", "Average Graphics Package Power (W)")),
    ("power_cap_w", whole, ("Max Graphics Package Power (W)",)),
    ("pcie_replays", whole, ("PCIe Replay Count",)),
    ("vram_total_bytes", size, ("VRAM Total Memory (B)",)),
    ("vram_used_bytes", size, ("VRAM Total Used Memory (B)",)),
    ("gfx_activity_percent", whole, ("GPU use (%)",)),
    ("performance_level", word, ("Performance Level",)),
)
_NOTHING = ("No JSON data to report", "No AMD GPUs specified")


def pci(facts: Facts, text: str) -> str:
    """Take lspci in any form.

    Raises:
        DataError: no line that names a device.
    """
    devices = lspci.parse(text)
    if not devices:
        raise DataError("this file", "has no line that names a device", "take lspci -nnvvv whole")
    facts.pci += devices
    # Every machine has host bridges; who filters lspci leaves them out.
    facts.pci_whole = facts.pci_whole or any(device.kind == "Host bridge" for device in devices)
    return f"lspci: {len(devices)} devices"


def rocm_smi(facts: Facts, text: str) -> str:
    """Take ``rocm-smi --json``; of its tables for people only that there is nothing in them.

    Raises:
        DataError: JSON that is cut off or damaged.
    """
    nothing = next((words for words in _NOTHING if words in text), None)
    if nothing:
        return f"rocm-smi tells nothing: {nothing}"
    records = tool_json.records(tool_json.document(text))
    for record in records:
        card = facts.rocmsmi.setdefault(whole(record.get("gpu")) or 0, Card())
        _card(card, record)
    version = re.search(r'"Driver version": "([^"]+)"', text)
    if version:
        facts.loaded, facts.version = True, facts.version or version[1]
    return f"rocm-smi: {len(records)} GPUs" if records else "rocm-smi: a table for people, which is not read"


def _card(card: Card, record: dict[str, t.Any]) -> None:
    for into, fields in ((card.reading, _READING), (card.health, _HEALTH)):
        for field, convert, keys in fields:
            value = next((value for value in (convert(record.get(key)) for key in keys) if value is not None), None)
            if value is not None:
                into[field] = value
    bdf, device = word(record.get("PCI Bus")), word(record.get("GPU ID")) or word(record.get("Device ID"))
    card.bdf = bdf.lower() if bdf else card.bdf
    card.device = device.lower().removeprefix("0x") if device else card.device
    blocks = {key.removesuffix(" firmware version"): value for key, value in record.items()
              if key.endswith(" firmware version") and word(value)}
    if blocks:
        card.reading["firmware"] = {**card.reading.get("firmware", {}), **blocks}


def rocm_info(facts: Facts, text: str) -> str:
    """Take rocminfo."""
    info = rocminfo.parse(text)
    if info.loaded is not None:
        facts.loaded = info.loaded
        facts.version = facts.version or info.version
        facts.in_tree = info.loaded and info.version is None
    facts.agents += info.agents
    if info.refused:
        return f"rocminfo failed: /dev/kfd cannot be opened: {info.refused}"
    if info.loaded is False:
        return "rocminfo failed: amdgpu is not loaded"
    return f"rocminfo: {len(info.agents)} GPU agents"


def kfd_file(facts: Facts, file: str, text: str) -> str | None:
    """Take one file of the trees below /sys/class/kfd by its path; None if the path is none of them."""
    node, process = _KFD_PATH.search(file), _PROC_PATH.search(file)
    if node:
        facts.kfd_nodes.setdefault(int(node["node"]), {})[node["rest"]] = text
        return "KFD topology"
    if process:
        facts.kfd_processes = facts.kfd_processes or {}
        facts.kfd_processes.setdefault(int(process["pid"]), {})[process["name"]] = text.strip()
        return "KFD process"
    return None


def kfd_lines(facts: Facts, text: str) -> str:
    """Take the same trees as lines of path and content, as ``grep -r . /sys/class/kfd/kfd`` prints them."""
    nodes = processes = 0
    for line in text.splitlines():
        node, process = _KFD_LINE.match(line), _PROC_LINE.match(line)
        if node:
            files, nodes = facts.kfd_nodes.setdefault(int(node["node"]), {}), nodes + 1
            files[node["rest"]] = files.get(node["rest"], "") + node["text"] + "\n"
        elif process:
            facts.kfd_processes, processes = facts.kfd_processes or {}, processes + 1
            facts.kfd_processes.setdefault(int(process["pid"]), {})[process["name"]] = process["text"]
    return f"KFD: {nodes} lines of the topology, {processes} of processes"


def hwloc(facts: Facts, text: str) -> str:
    """Take the XML of lstopo: kernel, CPU and devices on the bus, by the few attributes that matter."""
    told = {match["name"]: match["value"] for match in _HWLOC_INFO.finditer(text)}
    facts.running = facts.running or told.get("OSRelease")
    facts.cpu_vendor = facts.cpu_vendor or told.get("CPUVendor")
    facts.architecture = facts.architecture or told.get("Architecture")
    found = [lspci.Device(match["bdf"], "", "", match["class"], match["vendor"], match["device"])
             for match in _HWLOC_PCI.finditer(text)]
    facts.pci += found
    return f"hwloc: {len(found)} devices"


def exporter(facts: Facts, text: str) -> str:
    """Take lines of the metrics exporter, or the table of its client. source: ROCm/device-metrics-exporter:docs"""
    counted = list(_METRIC.finditer(text))
    for match in counted:
        blocks = facts.amdsmi.setdefault(int(match["gpu"]), Card()).health.setdefault("blocks", {})
        field = "uncorrectable" if match["un"] else "correctable"
        blocks[match["block"]] = dc.replace(blocks.get(match["block"], BlockErrors()), **{field: int(match["value"])})
    states = [match[1] for match in _CLIENT.finditer(text)]
    bad = sum(state != "healthy" for state in states)
    if states:
        return f"exporter: {'failed' if bad else 'healthy'}: {len(states)} GPUs, {bad} of them not healthy"
    return f"exporter: {len(counted)} error counters"


def firmware_info(facts: Facts, text: str) -> str:
    """Take amdgpu_firmware_info of debugfs; it does not say which GPU it is of, so only the machine with one has it."""
    blocks = {match["name"].lower(): match["version"] for match in _FIRMWARE.finditer(text)}
    facts.firmware_blocks.append(blocks)
    return f"firmware of a GPU: {len(blocks)} blocks"


def enumerator(_facts: Facts, text: str) -> str:
    """Take rocm_agent_enumerator: targets that sysfs shows, which is no proof that a GPU can be used."""
    targets = [word for word in text.split() if word != "gfx000"]
    return f"agent enumerator: {', '.join(sorted(set(targets))) or 'no GPU'}"
