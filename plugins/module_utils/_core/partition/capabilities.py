# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What products can be partitioned into, and what drivers and libraries make of it: the catalogue's data."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from .shape import DEVICES, MEMORY

Version = tuple[int, ...]  # the numbers of a version; () where it is not known


@dc.dataclass(frozen=True)
class Period:
    """How well a pair is known from a driver on; of several that hold the last counts.

    Attributes:
        standing: one of STANDINGS.
        driver_from: first module version (6.12.12) as numbers; empty: from the first that there is.
    """

    standing: str
    driver_from: tuple[int, ...] = ()


@dc.dataclass(frozen=True)
class Pair:
    """A compute mode with a memory mode of one product. Pairs that are not listed are refused."""

    compute: str
    memory: str
    devices: int  # logical devices of one GPU
    periods: tuple[Period, ...]
    note: str = ""
    sources: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """CPX/NPS4."""
        return f"{self.compute}/{self.memory}"

    def standing(self, driver: Version) -> str | None:
        """How well it is known with a driver; None: not with one that old.

        Of a driver whose version is not known the newest is assumed.
        """
        held = [period.standing for period in self.periods if not driver or driver >= period.driver_from]
        return held[-1] if held else None

    @property
    def since(self) -> str:
        """The first driver that has it: "6.19.4"; empty: all have it."""
        return ".".join(map(str, min(period.driver_from for period in self.periods)))


@dc.dataclass(frozen=True)
class ProductModes:
    """What one product can be.

    Attributes:
        name: MI300X.
        xcds: accelerator dies; a partition has xcds / devices of them.
        compute_units: of the whole GPU.
        memory_mib: of the whole GPU, as amd-smi tells it.
        memory_change: how the memory mode changes: reload (of the driver, for a whole hive), bios, none.
        pairs: that it can be; none: it cannot be partitioned.
        virtual: pairs as (virtual functions of a GPU, compute, memory) that a host can give its guests.
        automatic: memory mode -> compute mode that the driver chooses when it is loaded.
        alternative: how such a GPU is shared where it cannot be partitioned; empty where it can.
        sources: of all that is not of a pair.
    """

    name: str
    xcds: int
    compute_units: int
    memory_mib: int
    memory_change: str
    pairs: tuple[Pair, ...] = ()
    virtual: tuple[tuple[int, str, str], ...] = ()
    automatic: t.Mapping[str, str] = dc.field(default_factory=dict)
    alternative: str = ""
    sources: tuple[str, ...] = ()

    def pair(self, compute: str, memory: str) -> Pair | None:
        """The pair, if the table lists it."""
        return next((pair for pair in self.pairs if (pair.compute, pair.memory) == (compute, memory)), None)

    def devices(self, compute: str) -> int | None:
        """Logical devices of one GPU in a compute mode; None: it has no such mode."""
        return next((pair.devices for pair in self.pairs if pair.compute == compute), None)

    def devices_in(self, compute: str) -> int:
        """The same, also of a mode that only the node offers and no pair lists."""
        return self.devices(compute) or DEVICES.get(compute, self.xcds)

    @property
    def memories(self) -> tuple[str, ...]:
        """The memory modes of its pairs, fewest parts first."""
        return tuple(mode for mode in MEMORY if any(pair.memory == mode for pair in self.pairs))


@dc.dataclass(frozen=True)
class Reloading:
    """What libraries from a version on do when a memory mode is set.

    Attributes:
        library_from: first numbers of libamd_smi: (26,).
        by_library: the call reloads the driver itself, and waits; else it only asks, and the caller reloads.
    """

    library_from: tuple[int, ...]
    by_library: bool
    sources: tuple[str, ...] = ()


@dc.dataclass(frozen=True)
class MinorLimit:
    """How many DRM devices a kernel has numbers for, from a kernel on (major, minor); None: enough for any node."""

    kernel_from: tuple[int, ...]
    devices: int | None
    sources: tuple[str, ...] = ()


@dc.dataclass(frozen=True)
class Capabilities:
    """All of it."""

    products: t.Mapping[str, ProductModes]
    reloading: tuple[Reloading, ...] = ()
    minors: tuple[MinorLimit, ...] = ()

    def reloading_of(self, library: Version) -> Reloading | None:
        """What a library does; None where no record is old enough."""
        return _latest(self.reloading, library, "library_from")

    def minors_of(self, kernel: Version) -> MinorLimit | None:
        """How many DRM devices a kernel has numbers for; None where no record is old enough."""
        return _latest(self.minors, kernel, "kernel_from")


R = t.TypeVar("R", Reloading, MinorLimit)


def _latest(records: t.Iterable[R], version: Version, since: str) -> R | None:
    held = [record for record in records if version >= getattr(record, since)]
    return max(held, key=lambda record: t.cast(Version, getattr(record, since)), default=None)
