# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The driver that stays on a node where ROCm alone is managed, against AMD's windows."""

from __future__ import annotations

import typing as t

from ..errors import DataError
from ..look.shape import Look
from .catalogue import Catalogue, Release
from .policy import Book
from .versions import DriverRelease, parse_driver_package
from .windows import check_window

WHERE = "the driver that stays on the node"


def check(catalogue: Catalogue, releases: t.Sequence[Release], look: Look, book: Book) -> None:
    """Hold ROCm of the releases against the driver that nobody changes; what cannot be told is noted.

    Raises:
        FleetError: AMD does not support one of them with this driver.
    """
    package = next((p.version for p in (look.packages.installed if look.packages else ())
                    if p.name == "amdgpu-dkms"), None)
    loaded = look.driver.version if look.driver and look.driver.loaded else None
    if package is None:
        if look.driver and look.driver.loaded and loaded is None:
            book.note("the kernel's own driver stays: AMD states no ROCm window for it")
        elif loaded:
            book.note(f"amdgpu {loaded} stays, which no package brought: whether ROCm supports it cannot be told")
        else:
            book.note("there is no driver on the node yet: whether ROCm supports it cannot be told")
        return
    driver = _release(package)
    if driver is None:
        book.note(f"amdgpu-dkms {package} stays, whose version does not tell its release: "
                  "whether ROCm supports it cannot be told")
        return
    for release in releases:
        check_window(WHERE, catalogue.windows, driver, release.rocm, book)


def _release(package: str) -> DriverRelease | None:
    try:
        return parse_driver_package(package).release
    except DataError:
        return None
