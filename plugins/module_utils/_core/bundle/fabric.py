# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What files of a bundle tell about NICs, RDMA and tests of collectives: a state each, in words.

States are healthy, failed or unknown. What failed is said; what nobody said is unknown, never healthy.
"""

from __future__ import annotations

import re
import typing as t

from ..formats import fabric, tool_json
from ..formats.quantity import whole
from .facts import Facts

HEALTHY, FAILED, UNKNOWN = "healthy", "failed", "unknown"
_BUSBW = re.compile(r"Avg bus bandwidth\s*:\s*([\d.]+)")
_WRITE_BW = re.compile(r"^\s*\d+\s+\d+\s+[\d.]+\s+([\d.]+)\s+[\d.]+\s*$", re.MULTILINE)
_BROKEN = re.compile(r"^.*(?:ibv_create_qp failed|Couldn't|Unable to create QP|exit=[1-9]).*$", re.MULTILINE)
_MISSING = re.compile(r"^\s+(Missing communicator data.*?)\s*$", re.MULTILINE)
_GROUP = re.compile(r"^\s*\d+(?:\s+\d+){5}\s+[A-Z]+\s+(?P<errors>[A-Z]+)\s*$", re.MULTILINE)
_COUNTER = re.compile(r"^\s+(?P<name>[\w.-]+):\s+(?P<value>\d+)\s*$", re.MULTILINE)
_BAD = re.compile(r"(?:_bad_|_bad$|aborted|over_errors|missed_errors|csum_error|symbol_error|link_down)")
_UP = ("ACTIVE", "UP")


def rdma(facts: Facts, text: str) -> str:
    """Take ``rdma link`` or ``ibv_devinfo``."""
    ports = fabric.ports(text)
    facts.rdma += ports
    down = [f"{port.device}/{port.port}" for port in ports if port.state not in _UP]
    if not ports:
        return f"RDMA ports: {UNKNOWN}: none is named"
    return f"RDMA ports: {FAILED}: {', '.join(down)} not active" if down else f"RDMA ports: {HEALTHY}: {len(ports)}"


def ibv_devices(_facts: Facts, text: str) -> str:
    """Take ``ibv_devices``: names, no states."""
    names = fabric.devices(text)
    return f"RDMA devices: {UNKNOWN}: {len(names)} without a state" if names else f"RDMA devices: {FAILED}: none"


def ip_links(_facts: Facts, text: str) -> str:
    """Take ``ip link``."""
    links = fabric.links(text)
    down = sorted(name for name, state in links.items() if state not in ("UP", "UNKNOWN"))
    if not links:
        return f"links: {UNKNOWN}: none is named"
    return f"links: {FAILED}: {', '.join(down)} down" if down else f"links: {HEALTHY}: {len(links)}"


def ethtool(_facts: Facts, text: str) -> str:
    """Take ``ethtool -S``."""
    counters = {match["name"]: int(match["value"]) for match in _COUNTER.finditer(text)}
    bad = sorted(name for name, value in counters.items() if value and _BAD.search(name))
    if not counters:
        return f"NIC counters: {UNKNOWN}: none"
    return f"NIC counters: {FAILED}: {', '.join(bad[:5])}" if bad else f"NIC counters: {HEALTHY}: {len(counters)}"


def nicctl(_facts: Facts, text: str) -> str:
    """Take ``nicctl show ... -j``, or its list of firmware versions.

    Raises:
        DataError: JSON that is cut off or damaged.
    """
    document = tool_json.document(text)
    if document is None:
        versions = set(re.findall(r"^\S+: (\d+(?:\.\d+)+\S*)$", text, re.MULTILINE))
        if not versions:
            return f"NIC cards: {UNKNOWN}: nothing was printed"
        same = len(versions) == 1
        return f"NIC cards: {HEALTHY if same else FAILED}: firmware {', '.join(sorted(versions))}"
    states = [state for state in _states(document) if state]
    down = [state for state in states if state.upper() not in _UP]
    if down:
        return f"NIC cards: {FAILED}: {len(down)} of {len(states)} states are {down[0]}"
    return f"NIC cards: {HEALTHY}: {len(states)} states are up" if states else f"NIC cards: {UNKNOWN}: without a state"


def _states(value: t.Any) -> t.Iterator[str]:
    """Every state in a document; it came through the JSON reader, so it is not nested deep."""
    if isinstance(value, list):
        for item in value:
            yield from _states(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key in ("oper_state", "operational_status", "link_fsm_state") and isinstance(item, str):
                yield item
            yield from _states(item)


def rccl_report(_facts: Facts, text: str) -> str:
    """Take a report of RCCL's own service, as text or JSON.

    Raises:
        DataError: JSON that is cut off or damaged.
    """
    document = tool_json.document(text) if text.lstrip().startswith("{") else None
    if isinstance(document, dict):
        comms = tool_json.records(document.get("communicators"))
        missing = sum(whole(comm.get("missing_ranks_count")) or 0 for comm in comms)
        ranks = [rank.get("status") for comm in comms for rank in tool_json.records(comm.get("ranks"))]
        bad = [status for status in ranks if isinstance(status, dict)
               and (status.get("async_error") or status.get("abort_flag"))]
        words = f"{missing} ranks missing, {len(bad)} with errors" if missing or bad else f"{len(comms)} communicators"
        return f"RCCL: {UNKNOWN if not comms else FAILED if missing or bad else HEALTHY}: {words}"
    states = [match["errors"] for match in _GROUP.finditer(text)]
    wrong, missing_words = sorted(set(states) - {"OK"}), _MISSING.search(text)
    if wrong:
        return f"RCCL: {FAILED}: {', '.join(wrong)}" + (f", {missing_words[1]}" if missing_words else "")
    return f"RCCL: {HEALTHY}: {len(states)} groups" if states else f"RCCL: {UNKNOWN}: no group is named"


def rccl_test(_facts: Facts, text: str) -> str:
    """Take the output of rccl-tests, or of a job around them: without a result nobody knows."""
    found = _BUSBW.search(text)
    if found and "FAILED" not in text:
        return f"RCCL test: {HEALTHY}: {found[1]} GB/s"
    if "FAILED" in text:
        return f"RCCL test: {FAILED}"
    complete = len(re.findall(r"Init COMPLETE", text))
    if complete:
        return f"RCCL test: {HEALTHY}: {complete} communicators complete"
    return f"RCCL test: {UNKNOWN}: it ended without a result"


def write_bandwidth(_facts: Facts, text: str) -> str:
    """Take the output of ib_write_bw."""
    broken, found = _BROKEN.search(text), _WRITE_BW.search(text)
    if broken:
        return f"RDMA test: {FAILED}: {broken[0].strip()}"
    return f"RDMA test: {HEALTHY}: {found[1]} Gb/s" if found else f"RDMA test: {UNKNOWN}: it ended without a result"


def buffer(_facts: Facts, _text: str) -> str:
    """Take the output of perftest with buffers in GPU memory."""
    return f"RDMA test: {HEALTHY}: GPU memory is registered over dma-buf"
