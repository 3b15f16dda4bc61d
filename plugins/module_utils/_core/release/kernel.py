# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Which kernel a node is to run under a release, and why another one is refused."""

from __future__ import annotations

import dataclasses as dc

from ..errors import DataError, FleetError
from ..look.shape import Look
from .catalogue import Catalogue, OsRow, Release
from .kernel_release import KernelRelease
from .policy import Book
from .products import Identity
from .repositories import filled
from .resolved import ResolvedDriver, ResolvedKernel, ResolvedOs
from .versions import DriverRelease
from .windows import known_failure

# Operating system -> families of the kernels that it comes with.
OWN_KERNELS = {
    "centos": ("el",), "debian": ("debian",), "ol": ("uek", "el"), "rhel": ("el",), "rocky": ("el",), "sles": ("sles",),
    "ubuntu": ("ubuntu",),
}


@dc.dataclass(frozen=True)
class _Unfit:
    """Why a kernel cannot be used, and where that is documented."""

    what: str
    source: str


@dc.dataclass(frozen=True)
class _Judge:
    """Everything that speaks for or against a kernel."""

    catalogue: Catalogue
    row: OsRow
    gpus: tuple[Identity, ...]
    driver: ResolvedDriver

    def unfit(self, text: str) -> _Unfit | None:
        """Why the kernel cannot be used; None if it can."""
        kernel = KernelRelease.parse(text)
        return self._series(kernel) or self._evidence(kernel)

    def fits(self, text: str) -> bool:
        """Whether the kernel can be used. A directory in /lib/modules that is no kernel cannot."""
        try:
            return self.unfit(text) is None
        except DataError:
            return False

    def _series(self, kernel: KernelRelease) -> _Unfit | None:
        source = self.row.provenance.first
        rows = [k for k in self.row.kernels if k.series.covers(kernel)]
        if not self.row.kernels:
            return None
        if not rows:
            listed = ", ".join(f"{k.series.text} {k.flavour}".strip() for k in self.row.kernels)
            return _Unfit(f"is not of a series that AMD lists for {self.row.title} ({listed})", source)
        names = {name for gpu in self.gpus for name in gpu.names}
        barred = sorted(name for name in names if all(name in k.gpus_except for k in rows))
        if barred:
            series = rows[0].series.text
            return _Unfit(f"is of series {series}, on which AMD does not support {', '.join(barred)}", source)
        return None

    def _evidence(self, kernel: KernelRelease) -> _Unfit | None:
        if not self.driver.release or not self.driver.build:
            return None
        driver = DriverRelease.parse(self.driver.release)
        failed = known_failure(self.catalogue.builds, driver, self.driver.build, kernel)
        if failed is None:
            return None
        seen = "its DKMS build failed"
        if failed.kernel != kernel:
            seen += f" on {failed.kernel}, and no later one of that series is known to work"
        return _Unfit(f"is above what driver {driver} (build {self.driver.build}) compiles for: {seen}",
                      failed.provenance.first)


def choose(
    catalogue: Catalogue, release: Release, row: OsRow, look: Look, gpus: tuple[Identity, ...],
    os: ResolvedOs, driver: ResolvedDriver, book: Book,
) -> ResolvedKernel:
    """The pinned kernel, or else the running one, if the release supports it.

    Raises:
        FleetError: it does not; the message lists the installed kernels that would do.
    """
    series = tuple(dict.fromkeys(k.series.text for k in row.kernels))
    pinned = book.policy.kernel
    wanted = pinned or (look.kernel.running if look.kernel else None)
    if not series:
        book.note(f"kernel unchecked: AMD printed no kernel for {row.title} with {release.title}")
    if wanted is None:
        book.note("kernel unchecked: the look does not tell which one runs")
        return ResolvedKernel(None, series, ())
    where = f"gpu_release_kernel {wanted}" if pinned else f"kernel {wanted}"
    judge = _Judge(catalogue, row, gpus, driver)
    try:
        unfit = judge.unfit(wanted)
    except DataError as error:
        raise DataError(where.split(maxsplit=1)[0], f"{error.where} {error.what}", error.hint) from error
    if unfit:
        raise FleetError(where, unfit.what, _hint(judge, look), unfit.source)
    packages = _packages(catalogue, os, wanted, driver.source == "dkms", book)
    if pinned and not packages and look.kernel and wanted not in {k.release for k in look.kernel.installed}:
        raise FleetError(where, "is not installed, and which packages it comes from is not known",
                         "install it by hand, or name a kernel of the distribution")
    return ResolvedKernel(wanted, series, packages)


def _hint(judge: _Judge, look: Look) -> str:
    installed = [k.release for k in look.kernel.installed] if look.kernel else []
    fit = [kernel for kernel in installed if judge.fits(kernel)]
    if fit:
        return f"set gpu_release_kernel to an installed kernel that does: {', '.join(fit)}"
    return "none of the installed kernels does; name one to install in gpu_release_kernel, or choose another release"


def _packages(
    catalogue: Catalogue, os: ResolvedOs, text: str, dkms: bool, book: Book,
) -> tuple[str, ...]:
    kernel = KernelRelease.parse(text)
    if kernel.family not in OWN_KERNELS.get(os.id, ()):
        book.note(f"kernel {kernel} is not one of the distribution's: its packages are not managed")
        return ()
    packages = next((p for p in reversed(catalogue.kernel_packages) if p.covers(kernel.family, os.version)), None)
    if packages is None:
        return ()
    words = {"kernel": text, "build": text.removesuffix(f"-{kernel.flavour}"), "flavour": kernel.flavour}
    names = tuple(filled(name, words) for name in packages.names)
    return names if dkms else (*names, *packages.in_tree)
