# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What a look says about the driver, in the terms in which gpu_driver plans."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..errors import DataError
from ..formats.dkms import is_built
from ..look.shape import DkmsModule, OnDisk
from ..look.whole import WholeLook
from ..release.versions import parse_driver_package

if t.TYPE_CHECKING:
    from ..release.resolved import Resolved

DRIVER_PACKAGES = ("amdgpu-dkms", "amdgpu-dkms-firmware")
MODULE = "amdgpu"


@dc.dataclass(frozen=True)
class Seen:
    """The driver for the kernel that the release wants.

    Attributes:
        kernel: release of the wanted kernel.
        source: ``dkms`` or ``in_tree``, as wanted.
        running: whether the wanted kernel is the running one.
        on_disk: the module that modprobe would load under the wanted kernel.
        built: the wanted DKMS version is installed for the wanted kernel and is the module on disk.
        dkms_line: what DKMS says about the wanted kernel now; empty if nothing, which is also what a failed build says.
        stale: DKMS versions of amdgpu that neither the release wants nor the installed package owns.
        broken: DKMS versions without source, wanted ones too: packages cannot be changed before they are gone.
        sourceless: the package is installed in the wanted version, DKMS does not know it, and its source is gone.
        orphans: modules on disk, of ``trial_kernels``, that DKMS installed and knows no more of.
        forced: DKMS calls the wanted version built or installed, which is not all of the truth.
        trial_kernels: kernels that a change of the driver package will build for: the wanted one and each with headers.
        loaded_right: the loaded module is the wanted one, by srcversion; None if that cannot be told.
    """

    kernel: str
    source: str
    running: bool
    on_disk: OnDisk | None
    built: bool
    dkms_line: str
    stale: tuple[str, ...]
    broken: tuple[str, ...]
    sourceless: bool
    orphans: tuple[str, ...]
    forced: bool
    trial_kernels: tuple[str, ...]
    loaded_right: bool | None

    @classmethod
    def of(cls, look: WholeLook, wanted: Resolved) -> Seen:
        """Pick out what matters for the wanted release."""
        kernel = wanted.kernel.wanted or look.kernel.running or ""
        source, version = wanted.driver.source, wanted.driver.dkms_version
        on_disk = next((d for d in look.driver.on_disk if d.kernel == kernel), None)
        modules = [m for m in look.dkms.modules if m.module == MODULE]
        here = next((m for m in modules if m.version == version and m.kernel == kernel), None)
        broken = {m.version for m in modules if m.state == "broken"}
        trial_kernels = tuple(dict.fromkeys([kernel, *(k.release for k in look.kernel.installed if k.headers)]))
        built = (is_built(here) and on_disk is not None and on_disk.kind == "dkms"
                 and on_disk.version == wanted.driver.module)
        keep = broken | {version if source == "dkms" else None, _owned_by_package(look)}
        return cls(
            kernel=kernel, source=source, running=look.kernel.running == kernel, on_disk=on_disk,
            built=built, broken=tuple(sorted(broken)),
            sourceless=source == "dkms" and version not in {m.version for m in modules} and _sourceless(look, version),
            orphans=_orphans(look, modules, trial_kernels),
            forced=not built and here is not None,
            dkms_line="; ".join(_line(m) for m in modules if m.kernel in (kernel, None)),
            stale=tuple(sorted({m.version for m in modules} - keep)),
            trial_kernels=trial_kernels,
            loaded_right=_loaded_right(look, on_disk, source),
        )


def _owned_by_package(look: WholeLook) -> str | None:
    versions = [p.version for p in look.packages.installed if p.name == "amdgpu-dkms"]
    try:
        return parse_driver_package(versions[0]).dkms_version if versions else None
    except DataError:
        return None


def _sourceless(look: WholeLook, version: str | None) -> bool:
    return look.dkms.sources is not None and version == _owned_by_package(look) and version not in look.dkms.sources


def _orphans(look: WholeLook, modules: t.Sequence[DkmsModule], kernels: t.Collection[str]) -> tuple[str, ...]:
    """Of other kernels none: nothing would be built in their place."""
    if "modules" in look.dkms.unknown:
        return ()
    lost = set(kernels) - {m.kernel for m in modules if m.state.startswith("installed")}
    return tuple(d.path for d in look.driver.on_disk if d.kind == "dkms" and d.kernel in lost)


def _line(module: DkmsModule) -> str:
    where = f", {module.kernel}" if module.kernel else ""
    return f"{module.module}/{module.version}{where}: {module.state}"


def _loaded_right(look: WholeLook, on_disk: OnDisk | None, source: str) -> bool | None:
    driver = look.driver
    if not driver.loaded or on_disk is None or on_disk.kernel != look.kernel.running or on_disk.kind != source:
        return False
    if driver.version is None and driver.srcversion is None and not {"version", "srcversion"} & set(driver.unknown):
        return source == "in_tree"  # AMD's module has both; the kernel's own may have neither
    return driver.loaded_is_on_disk
