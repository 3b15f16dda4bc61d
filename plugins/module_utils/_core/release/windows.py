# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Compatibility windows: driver against ROCm, driver against GPU, driver build against kernel."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..errors import FleetError
from ..strict import Reader
from .kernel_release import KernelRelease
from .policy import Book
from .products import NAME, Identity
from .provenance import Provenance
from .versions import DriverRelease, Pattern, RocmVersion


@dc.dataclass(frozen=True)
class DriverWindow:
    """ROCm versions that one line of drivers supports; what is less sure of it is a window of its own."""

    driver: Pattern
    rocm: tuple[Pattern, ...]
    provenance: Provenance

    @classmethod
    def read(cls, reader: Reader, sources: t.Mapping[str, str]) -> DriverWindow:
        """One record of kind ``driver_rocm``."""
        return cls(reader.read("driver", Pattern.parse), reader.read_all("rocm", Pattern.parse),
                   Provenance.read(reader, sources))


def check_window(
    where: str, windows: t.Sequence[DriverWindow], driver: DriverRelease, rocm: RocmVersion, book: Book,
) -> None:
    """Hold the pair against the windows.

    Raises:
        FleetError: the pair is outside, no window is known for the driver, or the one that it is in is not sure
            enough for the site.
    """
    about = [w for w in windows if w.driver.covers(driver)]
    if not about:
        raise FleetError(where, f"no compatibility window is known for driver {driver}",
                         "add one to windows/driver_rocm.yml in a directory of gpu_release_catalogue_dirs")
    for window in about:
        if any(pattern.covers(rocm) for pattern in window.rocm):
            return book.accept(where, f"that driver {driver} supports ROCm {rocm}", window.provenance)
    raise FleetError(where, f"driver {driver} does not support ROCm {rocm}",
                     "it supports " + ", ".join(p.text for w in about for p in w.rocm), about[0].provenance.first)


@dc.dataclass(frozen=True)
class GpuRule:
    """A limit that AMD states for some GPUs.

    Attributes:
        name: what the rule is called.
        gpus: products that it is about.
        virtual: only virtual functions.
        rocm_from: the rule holds from this ROCm on; None: always.
        rocm_min: the GPU needs at least this ROCm.
        driver_min: the GPU needs at least this driver.
        driver_not: drivers that must not be used.
    """

    name: str
    gpus: tuple[str, ...]
    virtual: bool
    rocm_from: RocmVersion | None
    rocm_min: RocmVersion | None
    driver_min: DriverRelease | None
    driver_not: tuple[DriverRelease, ...]
    provenance: Provenance

    @classmethod
    def read(cls, reader: Reader, sources: t.Mapping[str, str]) -> GpuRule:
        """One record of kind ``gpu_limits``."""
        return cls(
            name=reader.text("name"),
            gpus=reader.texts("gpus", pattern=NAME),
            virtual=reader.flag("virtual", False),
            rocm_from=reader.read_optional("rocm_from", RocmVersion.parse),
            rocm_min=reader.read_optional("rocm_min", RocmVersion.parse),
            driver_min=reader.read_optional("driver_min", DriverRelease.parse),
            driver_not=reader.read_all("driver_not", DriverRelease.parse, ()),
            provenance=Provenance.read(reader, sources),
        )

    def concerns(self, gpu: Identity, rocm: RocmVersion) -> bool:
        """True when the rule is about this GPU under this ROCm."""
        about = any(name in self.gpus for name in gpu.names) and (gpu.virtual or not self.virtual)
        return about and (self.rocm_from is None or rocm >= self.rocm_from)


def check_gpu(rules: t.Sequence[GpuRule], gpu: Identity, rocm: RocmVersion, driver: DriverRelease | None) -> None:
    """Hold one GPU against the rules. ``driver`` is None when the kernel's own driver is used.

    Raises:
        FleetError: a rule is broken.
    """
    name = ("virtual function of " if gpu.virtual else "") + gpu.name
    where = f"gpu {gpu.bdf}"
    for rule in rules:
        if not rule.concerns(gpu, rocm):
            continue
        source = rule.provenance.first
        if rule.rocm_min and rocm < rule.rocm_min:
            raise FleetError(where, f"{name} needs ROCm {rule.rocm_min} or newer, not {rocm}",
                             "choose a newer release", source)
        if driver and rule.driver_min and driver < rule.driver_min:
            raise FleetError(where, f"{name} needs driver {rule.driver_min} or newer, not {driver}",
                             "choose a newer release", source)
        if driver and driver in rule.driver_not:
            raise FleetError(where, f"{name} must not be used with driver {driver}", "choose another release", source)


@dc.dataclass(frozen=True)
class Evidence:
    """One observed DKMS build of the driver. ``build`` is None where the report does not tell it."""

    driver: DriverRelease
    build: str | None
    kernel: KernelRelease
    result: str
    provenance: Provenance

    @classmethod
    def read(cls, reader: Reader, sources: t.Mapping[str, str]) -> Evidence:
        """One record of kind ``dkms_evidence``."""
        return cls(
            driver=reader.read("driver", DriverRelease.parse),
            build=reader.optional("build", pattern=r"\d{6,7}"),
            kernel=reader.read("kernel", KernelRelease.parse),
            result=reader.choice("result", ("ok", "fail")),
            provenance=Provenance.read(reader, sources),
        )

    def about(self, driver: DriverRelease, build: str) -> bool:
        """True when the observed driver is this one."""
        return self.build == build if self.build else self.driver == driver


def known_failure(
    evidence: t.Sequence[Evidence], driver: DriverRelease, build: str, kernel: KernelRelease,
) -> Evidence | None:
    """The failed build that speaks against this kernel, if there is one.

    The newest observation of the same driver on this kernel or an earlier one of the same line decides: what failed on
    6.8.0-44-generic is taken to fail on 6.8.0-60-generic until a build there is seen to work.
    """
    seen = [e for e in evidence if e.about(driver, build) and kernel.follows(e.kernel)]
    newest = max(seen, key=lambda e: (e.kernel.key, e.result == "ok"), default=None)
    return newest if newest and newest.result == "fail" else None
