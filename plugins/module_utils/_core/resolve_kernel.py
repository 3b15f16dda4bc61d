# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Which kernel a node is to run under a release, and why another one is refused."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from .catalogue import Catalogue, OsRow, Release
from .errors import FleetError
from .kernel_release import KernelRelease
from .look import Look
from .products import Identity
from .repositories import filled
from .resolved import ResolvedDriver, ResolvedKernel
from .versions import DriverRelease
from .windows import known_failure

DISTRIBUTION = ("debian", "ubuntu")


@dc.dataclass(frozen=True)
class _Unfit:
    """Why a kernel cannot be used, and where that is documented."""

    what: str
    source: str


def choose(
    catalogue: Catalogue, release: Release, row: OsRow, look: Look, gpus: tuple[Identity, ...],
    driver: ResolvedDriver, pinned: str | None, note: t.Callable[[str], None],
) -> ResolvedKernel:
    """The pinned kernel, or else the running one, if the release supports it.

    Raises:
        FleetError: it does not; the message lists the installed kernels that would do.
    """
    series = tuple(dict.fromkeys(k.series.text for k in row.kernels))
    running = look.kernel.running if look.kernel else None
    wanted = pinned or running
    if not series:
        note(f"kernel unchecked: AMD printed no kernel for {row.title} with {release.title}")
    if wanted is None:
        note("kernel unchecked: the look does not tell which one runs")
        return ResolvedKernel(None, series, ())
    unfit = _unfit(catalogue, row, gpus, driver, KernelRelease.parse(wanted))
    if unfit:
        where = f"gpu_release_kernel {wanted}" if pinned else f"kernel {wanted}"
        raise FleetError(where, unfit.what, _hint(catalogue, row, look, gpus, driver), unfit.source)
    return ResolvedKernel(wanted, series, _packages(catalogue, row.id, wanted, note))


def _unfit(catalogue: Catalogue, row: OsRow, gpus: tuple[Identity, ...], driver: ResolvedDriver, kernel: KernelRelease) -> _Unfit | None:
    if row.kernels:
        rows = [k for k in row.kernels if k.series.covers(kernel)]
        if not rows:
            listed = ", ".join(f"{k.series.text} {k.flavour}".strip() for k in row.kernels)
            return _Unfit(f"is not of a series that AMD lists for {row.title} ({listed})", row.provenance.first)
        barred = sorted({n for gpu in gpus for n in gpu.names if all(n in k.gpus_except for k in rows)})
        if barred:
            return _Unfit(f"is of series {rows[0].series.text}, on which AMD does not support {', '.join(barred)}", row.provenance.first)
    if driver.release and driver.build:
        failed = known_failure(catalogue.builds, DriverRelease.parse(driver.release), driver.build, kernel)
        if failed:
            seen = "" if failed.kernel == kernel else f" on {failed.kernel}, and no newer build of that series is known to work"
            return _Unfit(f"is above what driver {driver.release} (build {driver.build}) compiles for: its DKMS build failed{seen}",
                          failed.provenance.first)
    return None


def _hint(catalogue: Catalogue, row: OsRow, look: Look, gpus: tuple[Identity, ...], driver: ResolvedDriver) -> str:
    installed = [k.release for k in look.kernel.installed] if look.kernel else []
    fit = [k for k in installed if not _unfit(catalogue, row, gpus, driver, KernelRelease.parse(k))]
    if fit:
        return f"set gpu_release_kernel to an installed kernel that does: {', '.join(fit)}"
    return "none of the installed kernels does; install one and name it in gpu_release_kernel, or choose another release"


def _packages(catalogue: Catalogue, os_id: str, kernel: str, note: t.Callable[[str], None]) -> tuple[str, ...]:
    if KernelRelease.parse(kernel).family not in DISTRIBUTION:
        note(f"kernel {kernel} is not one of the distribution's: its packages are not managed")
        return ()
    names = next((p.names for p in catalogue.kernel_packages if p.os == os_id), ())
    return tuple(filled(name, {"kernel": kernel}) for name in names)
