# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What rocminfo prints: whether the driver is there, why it cannot be opened, and the agents.

source: ROCm/rocm-systems:projects/rocminfo/rocminfo.cc
"""

from __future__ import annotations

import dataclasses as dc
import re

from .quantity import word

_LOADED = re.compile(r"^ROCk module (?:version (?P<version>\S+) )?is loaded", re.MULTILINE)
_NOT_LOADED = re.compile(r"^ROCk module is NOT loaded", re.MULTILINE)
_REFUSED = re.compile(r"^Unable to open /dev/kfd read-write: (?P<why>.+?)\s*$", re.MULTILINE)
_AGENT = re.compile(r"^Agent \d+\s*$", re.MULTILINE)
_FIELD = re.compile(r"^ {2}(?P<name>[A-Z][\w ]*?):+[ \t]+(?P<value>\S.*?)[ \t]*$", re.MULTILINE)
_POOL = re.compile(r"^ +Pool 1\b(?:[^\n]*\n)*?[^\n]*?Size:\s+(?P<kib>\d+)", re.MULTILINE)
_HEX = re.compile(r"\(0x([0-9a-f]+)\)", re.IGNORECASE)


@dc.dataclass(frozen=True)
class Agent:
    """One agent that is a GPU."""

    target: str | None  # gfx942
    name: str | None  # AMD Instinct MI300X
    device: str | None  # 74a1
    bdf: str | None  # 0000:1b:00.0
    uuid: str | None = None
    vram_bytes: int | None = None


@dc.dataclass(frozen=True)
class Info:
    """One run of rocminfo."""

    loaded: bool | None = None
    version: str | None = None  # of the module; drivers that come with the kernel have none
    refused: str | None = None  # why /dev/kfd could not be opened
    agents: tuple[Agent, ...] = ()


def parse(text: str) -> Info:
    """Return what one run told."""
    loaded, refused = _LOADED.search(text), _REFUSED.search(text)
    agents = [_agent(part) for part in _AGENT.split(text)[1:]]
    return Info(
        loaded=True if loaded else False if _NOT_LOADED.search(text) else None,
        version=loaded["version"] if loaded else None, refused=refused["why"] if refused else None,
        agents=tuple(agent for agent in agents if agent),
    )


def _agent(text: str) -> Agent | None:
    fields: dict[str, str] = {}
    for match in _FIELD.finditer(text):
        fields.setdefault(match["name"], match["value"])
    if fields.get("Device Type") != "GPU":
        return None
    chip, pool = _HEX.search(fields.get("Chip ID", "")), _POOL.search(text)
    return Agent(word(fields.get("Name")), word(fields.get("Marketing Name")), chip[1].lower() if chip else None,
                 _bdf(fields.get("BDFID"), fields.get("Domain")), _uuid(fields.get("Uuid")),
                 int(pool["kib"]) * 1024 if pool else None)


def _bdf(location: str | None, domain: str | None) -> str | None:
    if location is None or not location.isdigit():
        return None
    number, of = int(location), int(domain) if domain and domain.isdigit() else 0
    return f"{of:04x}:{number >> 8 & 0xFF:02x}:{number >> 3 & 0x1F:02x}.{number & 7}"


def _uuid(text: str | None) -> str | None:
    found = word(text)
    return found if found and found.rpartition("-")[2].strip("0X") else None
