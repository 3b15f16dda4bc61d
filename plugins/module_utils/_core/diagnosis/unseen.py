# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What a look could not see, and what of it nobody can do without who calls a node healthy."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from ..look import shape as lk

# Section and field -> how people call it. Without them "nothing is wrong" would only mean "nothing was seen".
NEEDED = {
    ("kernel", "running"): "the running kernel",
    ("driver", "loaded"): "whether amdgpu is loaded",
    ("gpus", "gpus"): "the GPUs on the PCI bus",
    ("log", "kernel"): "the kernel log",
    ("health", "gpus"): "the health of the GPUs",
}
# Sections that a diagnosis asks for. The others have nothing that it judges.
SECTIONS = ("os", "kernel", "packages", "repositories", "dkms", "driver", "boot", "firmware", "rocm", "smi", "gpus",
            "devices", "processes", "host", "log", "health", "settings")
NOT_LOOKED_AT = "was not looked at"
_BDF = re.compile(r"^(?:gpus\.)?([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])\.?")
_NAMED = 4  # fields that are named before the rest is counted


@dc.dataclass(frozen=True)
class Unseen:
    """Something that could not be read.

    Attributes:
        what: what it is, in words: "the kernel log", "health: clocks, power_w".
        why: why it could not be read.
        needed: nobody can call the node healthy without it.
    """

    what: str
    why: str
    needed: bool = False


def unseen(look: lk.Look) -> tuple[Unseen, ...]:
    """What could not be read, what is needed first; fields of one section with one reason are one entry."""
    needed = [Unseen(words, why, True) for (section, field), words in NEEDED.items()
              for why in [_why(look, section, field)] if why]
    others: dict[tuple[str, str], dict[str, set[str]]] = {}
    for section in SECTIONS:
        part = getattr(look, section)
        if part is None and all(name != section for name, _field in NEEDED):
            others[(section, NOT_LOOKED_AT)] = {}
        for path, why in _unknown(part) if part else ():
            if (section, path) not in NEEDED:
                gpu = _BDF.match(path)
                fields = others.setdefault((section, why), {})
                fields.setdefault(path[gpu.end():] if gpu else path, set()).add(gpu.group(1) if gpu else "")
    return (*needed, *(Unseen(_words(section, fields), why) for (section, why), fields in others.items()))


def _why(look: lk.Look, section: str, field: str) -> str:
    """Why a field is unknown; empty if it is known."""
    part = getattr(look, section)
    if part is None:
        return NOT_LOOKED_AT
    found: str = part.unknown.get(field, "")
    return found


def _unknown(part: t.Any) -> t.Iterator[tuple[str, str]]:
    """Fields of a section and of the GPUs in it that could not be read."""
    yield from part.unknown.items()
    if isinstance(part, lk.Health):
        for gpu in part.gpus:
            yield from ((f"{gpu.bdf}.{path}", why) for path, why in gpu.unknown.items())


def _words(section: str, fields: t.Mapping[str, set[str]]) -> str:
    """A section with its fields, and how many GPUs they are of."""
    names = sorted(filter(None, fields))
    gpus = len(set().union(*fields.values()) - {""}) if fields else 0
    shown = names if len(names) <= _NAMED else [*names[:_NAMED - 1], f"{len(names) - _NAMED + 1} more"]
    of = f" of {gpus} GPU{'' if gpus == 1 else 's'}" if gpus else ""
    return f"{section}: {', '.join(shown)}{of}" if shown else f"section {section}{of}"
