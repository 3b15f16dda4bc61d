# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What else of a node decides how its GPUs can be partitioned: driver, library, kernel, other displays."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..errors import FleetError
from ..look.smi import numbers
from .capabilities import Version

if t.TYPE_CHECKING:
    from ..look.shape import Look
    from ..look.whole import WholeLook


class NotReadyError(FleetError):
    """The node is not so far: what is wanted may be right with its driver loaded, or with a newer one or kernel."""


@dc.dataclass(frozen=True)
class Circumstances:
    """As a look saw them.

    Attributes:
        driver_version: of the loaded module: "6.12.12"; None: not known, or the kernel's own driver, which has none.
        library_version: of libamd_smi: "26.2.0"; None: it did not answer.
        kernel: the release that runs.
        displays: DRM devices of other drivers; None: not known.
        reload_allowed: the driver may be reloaded now.
        library_error: why the library did not answer.
        displays_error: why the number of displays is not known.
    """

    driver_version: str | None = None
    library_version: str | None = None
    kernel: str | None = None
    displays: int | None = None
    reload_allowed: bool = True
    library_error: str | None = None
    displays_error: str = "the look did not count them"

    @property
    def driver(self) -> Version:
        """Numbers of the module's version; () if not known."""
        return numbers(self.driver_version)

    @property
    def library(self) -> Version:
        """Numbers of the library's version; () if not known."""
        return numbers(self.library_version)

    @property
    def running(self) -> Version:
        """Numbers of the kernel's release; () if not known."""
        return numbers(self.kernel)

    @classmethod
    def seen(cls, look: Look | WholeLook, reload_allowed: bool) -> Circumstances:
        """What a look says, whichever sections it has. A library that sysfs stands in for did not answer."""
        answered = look.smi is not None and look.smi.source == "amdsmi"
        return cls(
            driver_version=look.driver.version if look.driver else None,
            library_version=look.smi.library_version if look.smi and answered else None,
            kernel=look.kernel.running if look.kernel else None,
            displays=look.devices.displays if look.devices else None, reload_allowed=reload_allowed,
            library_error=look.smi.error if look.smi and not answered else None,
            displays_error=(look.devices.unknown.get("displays") if look.devices else None) or cls.displays_error,
        )
