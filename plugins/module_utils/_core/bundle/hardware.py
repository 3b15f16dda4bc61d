# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""From what files told about GPUs to the sections gpus, firmware, processes, health and host of a look."""

from __future__ import annotations

import collections
import dataclasses as dc
import re
import typing as t

from ..errors import DataError
from ..formats import lspci
from ..look import kfd, readings
from ..look import shape as lk
from ..look.health import GpuHealth, Health
from ..look.host import Host, PciDevice
from .facts import UNTOLD, Card, Facts, untold

_CLASSES = tuple(text[2:] for text in readings.CLASSES)
_VIRTUAL = re.compile(r"\b(?:MxGPU|VF)\b")  # in the names of pci.ids
_LINKS = {"U": "up", "D": "down", "X": "absent"}
ONLY_TOOLS = "only GPUs that tools list: no whole lspci is in the bundle"
NO_SUPPORT = "not supported: all links of a virtual function read as down"
UNREAD = "not printed: lspci ran without root, or without -vvv"


@dc.dataclass(frozen=True)
class GpuParts:
    """Sections of a look; None where no file told anything of it."""

    gpus: lk.Gpus | None
    firmware: lk.Firmware | None
    processes: lk.Processes | None
    health: Health | None
    host: Host | None


def parts(facts: Facts) -> GpuParts:
    """Return the sections.

    Raises:
        DataError: a file of the KFD topology is not of the form it must have.
    """
    accelerators = {device.bdf: device for device in facts.pci if _accelerator(device)}
    nodes = tuple(node for node in (_node(number, files) for number, files in facts.kfd_nodes.items()) if node)
    bdfs = _addresses(facts, accelerators, nodes)
    owned = kfd.partitions(nodes, bdfs)
    cards = {bdf: _cards(facts, bdf, len(bdfs) == 1) for bdf in bdfs}
    if not bdfs:  # nobody told an address: GPUs are called by their numbers
        cards = {f"GPU {number}": [card] for number, card in sorted(facts.amdsmi.items()) if not card.partition}
        bdfs = tuple(cards)
    told = bool(bdfs) or facts.pci_whole or bool(facts.kfd_nodes) or facts.loaded is False
    return GpuParts(
        gpus=_gpus(facts, bdfs, accelerators, owned, cards) if told else None,
        firmware=_firmware(bdfs, cards), processes=_processes(facts, owned), health=_health(facts, cards),
        host=_host(facts, accelerators),
    )


def _accelerator(device: lspci.Device) -> bool:
    """By vendor and class, or where -nn was forgotten by name: an MI210 may say that it is a display controller."""
    if device.vendor is not None:
        return device.vendor == readings.VENDOR[2:] and (device.code in _CLASSES or device.code is None)
    return "[AMD/ATI]" in device.name and "Instinct" in device.name


def _node(number: int, files: t.Mapping[str, str]) -> kfd.Node | None:
    gpu_id = files.get("gpu_id", "0").strip()
    if not gpu_id.isdigit():
        raise DataError(f"KFD node {number}", f"has {gpu_id[:20]!r} as gpu_id")
    banks = [text for name, text in files.items() if name.startswith("mem_banks/")]
    return kfd.node(number, int(gpu_id), kfd.parse_properties(files.get("properties", "")), kfd.memory(banks))


def _addresses(facts: Facts, accelerators: t.Mapping[str, t.Any], nodes: t.Iterable[kfd.Node]) -> tuple[str, ...]:
    """PCI addresses of all GPUs, whole ones. A partition carries its number in the function of its address."""
    named = [card.bdf for card in (*facts.amdsmi.values(), *facts.rocmsmi.values())
             if card.bdf and not card.partition]
    owners = [f"{card.bdf[:-1]}0" for card in facts.amdsmi.values() if card.bdf and card.partition]
    known = {*accelerators, *named, *owners}
    for bdf, whole in [(n.bdf, n.gpu_bdf) for n in nodes] + [(a.bdf, f"{a.bdf[:-1]}0") for a in facts.agents if a.bdf]:
        if bdf not in known:
            known.add(whole)
    return tuple(sorted(known))


def _cards(facts: Facts, bdf: str, alone: bool) -> list[Card]:
    """What each tool says of one GPU, the better teller first."""
    found = [card for store in (facts.amdsmi, facts.rocmsmi) for card in store.values()
             if card.bdf == bdf and not card.partition]
    if alone and len(facts.firmware_blocks) == 1:
        found.append(Card(bdf, reading={"firmware": facts.firmware_blocks[0]}))
    return found + [Card(bdf, device=agent.device, reading={
        "market_name": agent.name, "uuid": agent.uuid, "vram_bytes": agent.vram_bytes})
        for agent in facts.agents if agent.bdf == bdf]


def _gpus(facts: Facts, bdfs: tuple[str, ...], accelerators: t.Mapping[str, lspci.Device],
          owned: t.Mapping[str, tuple[tuple[int, kfd.Node], ...]], cards: t.Mapping[str, list[Card]]) -> lk.Gpus:
    gpus, unknown = [], {} if facts.pci_whole else {"gpus": ONLY_TOOLS}
    for index, bdf in enumerate(bdfs):
        device, members = accelerators.get(bdf), owned.get(bdf, ())
        reading = readings.Reading()
        for card in cards[bdf]:
            reading = readings.merge(reading, readings.Reading(**card.reading))
        reading = _joined(reading, device, members)
        ids = [device.device if device else None, *(card.device for card in cards[bdf]),
               *(f"{node.device:04x}" for _number, node in members if node.device)]
        pci = {"device": next(filter(None, ids), ""), "numa_node": _numa(device, cards[bdf])}
        # What the tools list, or KFD has a node of, is driven by amdgpu; nothing else gets that far.
        driver = device.driver if device and device.driver else "amdgpu" if cards[bdf] or members else None
        if driver:
            pci["driver"] = driver
        named_virtual = device is not None and _VIRTUAL.search(device.name) is not None
        virtual = pci["device"] in readings.VIRTUAL_IDS or named_virtual or None
        reading = dc.replace(reading, virtual_function=virtual)
        gpu = readings.gpu(index, bdf, pci, reading, _partitions(facts, bdf, members))
        gpus.append(gpu)
        unknown.update({f"{bdf}.{field}": why for field, why in untold(gpu, ("driver",)).items()})
        if gpu.driver is None and not (device and device.verbose):
            unknown[f"{bdf}.driver"] = UNTOLD
        unknown.update({f"{bdf}.pcie.{field}": why for field, why in untold(gpu.pcie).items()})
        unknown.update({f"{bdf}.errors.{field}": why for field, why in untold(gpu.errors).items()})
    return lk.Gpus(tuple(gpus), unknown)


def _numa(device: lspci.Device | None, cards: t.Iterable[Card]) -> str:
    if device and device.numa_node is not None:
        return str(device.numa_node)
    return next((card.numa for card in cards if card.numa), "")


def _joined(reading: readings.Reading, device: lspci.Device | None,
            members: tuple[tuple[int, kfd.Node], ...]) -> readings.Reading:
    """What lspci and the topology know, where the tools did not say it. Memory of partitions adds up to the GPU's."""
    sizes = list({node.gpu_id: node.vram_bytes for _number, node in members if node.vram_bytes}.values())
    # With one memory partition, every compute partition reports the memory of the whole GPU.
    shared = reading.memory_partition == "NPS1" and len(set(sizes)) == 1
    vram = (sizes[0] if shared else sum(sizes)) if sizes else None
    pcie = lk.Link(device.width, device.max_width, device.speed_mts, device.max_speed_mts) if device else lk.Link()
    hive = next((f"{node.hive:016x}" for _number, node in members if node.hive), None)
    serial = next((f"{node.unique:016x}" for _number, node in members if node.unique), None)
    return readings.merge(reading, readings.Reading(
        market_name=_name(device), vram_bytes=vram, pcie=pcie, xgmi_hive_id=hive, serial=serial))


def _name(device: lspci.Device | None) -> str | None:
    """The product in the brackets of pci.ids: Aldebaran/MI200 [Instinct MI210]."""
    product = readings.product(device.name.rpartition("[")[2]) if device else None
    return f"AMD Instinct {product}" if product else None


def _partitions(facts: Facts, bdf: str, members: tuple[tuple[int, kfd.Node], ...]) -> tuple[lk.Partition, ...]:
    if members:
        return tuple(lk.Partition(number, f"/dev/dri/renderD{node.render_minor}" if node.render_minor else None,
                                  None, node.number, node.gpu_id, node.rocr_uuid) for number, node in members)
    listed = [card for card in facts.amdsmi.values() if card.bdf and card.bdf[:-1] == bdf[:-1] and card.kfd_node]
    return tuple(sorted((lk.Partition(card.partition, card.render, None, card.kfd_node, card.kfd_id)
                         for card in listed), key=lambda part: part.id))


def _firmware(bdfs: tuple[str, ...], cards: t.Mapping[str, list[Card]]) -> lk.Firmware | None:
    found: list[lk.GpuFirmware] = []
    unknown: dict[str, str] = {}
    for bdf in bdfs:
        reading = readings.Reading()
        for card in cards[bdf]:
            reading = readings.merge(reading, readings.Reading(**card.reading))
        firmware, missing = readings.firmware(bdf, reading, "amdsmi", None)
        found += [firmware] if firmware else []
        unknown.update(missing)
    firmware_section = lk.Firmware(tuple(found), "amdsmi", unknown={**unknown, "baseboard": UNTOLD, "nics": UNTOLD})
    return firmware_section if found else None


def _processes(facts: Facts, owned: t.Mapping[str, tuple[tuple[int, kfd.Node], ...]]) -> lk.Processes | None:
    if facts.kfd_processes is None:
        return None
    gpus = {str(node.gpu_id): bdf for bdf, members in owned.items() for _number, node in members}
    found = []
    for pid, files in sorted(facts.kfd_processes.items()):
        used = {name[5:]: text for name, text in files.items() if name.startswith("vram_")}
        sizes = [int(text) for text in used.values() if text.isdigit()]
        found.append(lk.Process(pid, gpus=tuple(sorted({gpus[gpu] for gpu in used if gpu in gpus})),
                                vram_bytes=sum(sizes) if sizes else None))
    names = dict.fromkeys(("command", "user", "unit"), UNTOLD)
    return lk.Processes(tuple(found), names if gpus else {**names, "gpus": UNTOLD})


def _health(facts: Facts, cards: t.Mapping[str, list[Card]]) -> Health | None:
    """Health of whole GPUs. A GPU whose address nobody told is called by its number, as the tool calls it."""
    named = [(bdf, card) for bdf, members in cards.items() for card in members]
    named += [(f"GPU {number}", card) for number, card in facts.amdsmi.items()
              if card.bdf is None and not card.partition and f"GPU {number}" not in cards]
    named += [(f"card{number}", card) for number, card in facts.rocmsmi.items() if card.bdf is None]
    told: dict[str, dict[str, t.Any]] = {}
    for name, card in named:
        fields = told.setdefault(name, {})
        fields.update({field: value for field, value in card.health.items() if field not in fields})
    virtual = any(card.device in readings.VIRTUAL_IDS for _name, card in named)
    for bdf, states in facts.xgmi.items():
        told.setdefault(bdf, {})["xgmi_links"] = tuple(_LINKS[state] for state in states if state in _LINKS)
    gpus = [_gpu_health(name, fields, virtual) for name, fields in sorted(told.items()) if fields]
    if not gpus and facts.pids is None:
        return None
    pids = None if facts.pids is None else tuple(sorted(facts.pids))
    health = Health(tuple(gpus), "amdsmi", pids, facts.version, facts.in_tree or None)
    known = ("gpus", "pids") if pids is not None else ("gpus",)
    return dc.replace(health, unknown=untold(health, (*known, "driver_version", "driver_in_tree")))


def _gpu_health(bdf: str, fields: dict[str, t.Any], virtual: bool) -> GpuHealth:
    links = fields.get("xgmi_links", ())
    unsupported = virtual and "down" in links and "up" not in links
    health = GpuHealth(bdf, **{**fields, "xgmi_links": () if unsupported else links})
    unknown = {**untold(health), **{f"pages.{field}": why for field, why in untold(health.pages).items()}}
    return dc.replace(health, unknown={**unknown, "xgmi_links": NO_SUPPORT} if unsupported else unknown)


def _host(facts: Facts, accelerators: t.Mapping[str, lspci.Device]) -> Host | None:
    """The platform, as far as lspci, lsmod, lscpu and the RDMA tools tell."""
    wanted = dict(accelerators)
    for device in list(wanted.values()):
        bridge = lspci.above(device, facts.pci)
        while bridge is not None and bridge.bdf not in wanted:
            wanted[bridge.bdf] = bridge
            bridge = lspci.above(bridge, [other for other in facts.pci if other.bdf != bridge.bdf])
    devices, unknown = [], {}
    for bdf, device in wanted.items() if any(device.verbose for device in wanted.values()) else ():
        upper = lspci.above(device, [other for other in facts.pci if other.bdf != bdf])
        kind = "gpu" if bdf in accelerators else "root_port" if device.port == "Root Port" else "bridge"
        devices.append(PciDevice(
            bdf, device.vendor or readings.VENDOR[2:], device.device or "", kind, upper.bdf if upper else None,
            lk.Link(device.width, device.max_width, device.speed_mts, device.max_speed_mts), tuple(device.bars),
            tuple(device.bars_unplaced), device.acs, device.atomics, device.atomics_requested))
        if device.denied or not device.verbose:
            unknown.update({f"devices.{bdf}.{field}": UNREAD for field in ("link", "acs", "atomics")})
        unknown.update({f"devices.{bdf}.{field}": UNTOLD for field in ("aer_correctable", "aer_fatal")})
    drivers, minors = _drm(facts, accelerators)
    host = Host(devices=tuple(devices), cpu_vendor=facts.cpu_vendor, loaded_modules=facts.modules or (),
                rdma=tuple(facts.rdma),
                drm_devices=drivers, drm_minors=minors)
    told = devices or facts.cpu_vendor or facts.modules is not None or facts.rdma or minors
    known = ("loaded_modules",) if facts.modules is not None else ()
    return dc.replace(host, unknown={**untold(host, known), **unknown}) if told else None


def _drm(facts: Facts, accelerators: t.Mapping[str, lspci.Device]) -> tuple[dict[str, int], int | None]:
    """Card and render nodes of each driver, and how many there are of the kind that has the most."""
    if facts.drm is None:
        return {}, None
    ours = {*accelerators, *(card.bdf for card in facts.amdsmi.values())}
    drivers = {device.bdf: device.driver or "unknown" for device in facts.pci}
    found = collections.Counter[str]()
    for path in filter(None, facts.drm.values()):
        parts = path.split("/")
        at = next((part for part in reversed(parts) if part.count(":") == 2), "")
        amdgpu = at in ours or "amdgpu_xcp" in path
        found["amdgpu" if amdgpu else drivers.get(at, "unknown")] += 1
    kinds = collections.Counter(name.rstrip("0123456789") for name in facts.drm)
    return dict(found), max(kinds.values())
