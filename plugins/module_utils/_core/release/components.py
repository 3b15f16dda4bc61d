# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What a component of ROCm, as a site names it, is called in each stream of packages."""

from __future__ import annotations

import dataclasses as dc
import difflib
import typing as t

from ..errors import FleetError
from ..strict import Reader
from .provenance import Provenance

NAME = r"[a-z][a-z0-9+-]*"
# A look sees packages of these names alone: another one would be installed again and again.
STEMS = ("amd-smi", "amdrocm", "comgr", "composablekernel", "half", "hip", "hsa", "migraphx", "miopen", "mivisionx",
         "openmp-extras", "rccl", "rdc", "roc", "rpp")
STEM = rf"(?:{'|'.join(STEMS)})[a-z0-9+-]*"


@dc.dataclass(frozen=True)
class Component:
    """One component in one stream.

    Attributes:
        name: what a site calls it.
        stream: legacy or therock.
        deb: stem of its package for apt: without the number of the release that side by side packages end in.
        rpm: the same for dnf and zypper.
        per_gpu: there is a package for each LLVM target of GPUs, besides the large one for all of them.
    """

    name: str
    stream: str
    deb: str
    rpm: str
    per_gpu: bool
    provenance: Provenance

    @classmethod
    def read(cls, reader: Reader, sources: t.Mapping[str, str]) -> Component:
        """One record of ``components``."""
        return cls(
            name=reader.text("name", pattern=NAME),
            stream=reader.choice("stream", ("legacy", "therock")),
            deb=reader.text("deb", pattern=STEM),
            rpm=reader.text("rpm", pattern=STEM),
            per_gpu=reader.flag("per_gpu", False),
            provenance=Provenance.read(reader, sources),
        )

    def packages(self, form: str, targets: t.Sequence[str]) -> tuple[str, ...]:
        """Names of its packages, with ``{line}`` where the release's number stands if it does.

        ``form`` is deb or rpm; without ``targets`` of GPUs it is the package for all of them.
        """
        stem = f"{self.deb if form == 'deb' else self.rpm}{{line}}"
        return tuple(f"{stem}-{target}" for target in targets) if self.per_gpu and targets else (stem,)


def pick(components: t.Sequence[Component], name: str, stream: str, release: str) -> Component:
    """The component of that name in a stream.

    Raises:
        FleetError: the stream has none; the message lists names that come near, or all.
    """
    found = {c.name: c for c in components if c.stream == stream}
    if name not in found:
        close = difflib.get_close_matches(name, found, 5, 0.5) or sorted(found)
        raise FleetError("rocm_userspace_components", f"release {release} has no component {name!r}",
                         f"in the stream {stream} there are {', '.join(close)}")
    return found[name]
