# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""A driver that neither AMD's packages nor the kernel brought: refused, or taken over where the site says so."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from ..errors import DataError, FleetError
from ..look.whole import WholeLook
from ..release.versions import parse_driver_package
from . import packaging
from .driver_seen import MODULE, Seen
from .plan import Step

# Where modules are put that are taken away: below it, kernel and path as they were.
ADOPTED = "/var/lib/instinct/adopted"
# Packages of other hands, and AMD's own of before ROCm 4.1, that register amdgpu with DKMS. source:
# ROCm/ROCm:docs/about/release-history, rock-dkms; the amdgpu-pro installer
_OTHERS = re.compile(r"^(?:rock-dkms|amdgpu-pro-dkms)\b")
HINT = "remove it with the tool that installed it, or set gpu_driver_adopt to true, then run again"


@dc.dataclass(frozen=True)
class Foreign:
    """What of another hand is on the node.

    Attributes:
        versions: versions of amdgpu in DKMS that no package of AMD owns.
        modules: modules on disk that neither DKMS nor the kernel's package put there.
        packages: packages that register another amdgpu.
        package: version of an amdgpu-dkms that is not one of AMD's; empty if there is none.
    """

    versions: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    package: str = ""

    @classmethod
    def of(cls, look: WholeLook) -> Foreign:
        """Pick it out of a look."""
        have = {p.name: p.version for p in look.packages.installed}
        package = have.get("amdgpu-dkms", "")
        unknown = package if package and not _is_amds(package) else ""
        versions = sorted({m.version for m in look.dkms.modules if m.module == MODULE})
        return cls(
            versions=tuple(versions) if not package or unknown else (),
            modules=tuple(d.path for d in look.driver.on_disk if d.kind not in ("dkms", "in_tree")),
            packages=tuple(sorted(name for name in have if _OTHERS.match(name))), package=unknown)


def _is_amds(version: str) -> bool:
    try:
        parse_driver_package(version)
    except DataError:
        return False
    return True


def refuse_foreign(foreign: Foreign) -> None:
    """Refuse what is of another hand, if anything is.

    Raises:
        FleetError: names the first of it.
    """
    node = "driver amdgpu"
    if foreign.package:
        raise FleetError(node, f"version {foreign.package} of amdgpu-dkms is not one of AMD's", HINT)
    if foreign.packages:
        raise FleetError(node, f"the package {foreign.packages[0]} brings another one", HINT)
    if foreign.versions:
        what = f"DKMS holds amdgpu {', '.join(foreign.versions)} but no amdgpu-dkms package is installed"
        raise FleetError(node, what, HINT)
    for path in foreign.modules:
        raise FleetError(node, f"{path} is neither a DKMS build nor the kernel's own module", HINT)


def refuse_untried(foreign: Foreign, seen: Seen, manager: str) -> None:
    """Refuse to take a driver over where the next one cannot be built on trial first: a node without any would be left.

    The kernel's own driver is there already.

    Raises:
        FleetError: names the package manager that cannot.
    """
    if foreign != Foreign() and seen.source == "dkms" and not seen.built and not packaging.tries_builds(manager):
        raise FleetError("gpu_driver_adopt", f"takes the driver of another hand away, and with {manager} the next one "
                         "cannot be built on trial before", "remove it with the tool that installed it, then run again")


def adopt_steps(foreign: Foreign, wanted: str | None) -> list[Step]:
    """Take away what would be in the way of the wanted version; between the trial build and the transaction."""
    steps = []
    if foreign.packages:
        steps.append(Step("evict", "remove " + ", ".join(foreign.packages), before="\n".join(foreign.packages),
                          data={"packages": list(foreign.packages)}))
    versions = [version for version in foreign.versions if version != wanted]
    if versions or foreign.modules:
        words = [f"remove amdgpu {', '.join(versions)} from DKMS"] if versions else []
        words += [f"move {path} to {ADOPTED}" for path in foreign.modules]
        steps.append(Step(
            "adopt", "take over the driver of another hand: " + ", ".join(words),
            before="\n".join([f"amdgpu/{version}" for version in versions] + list(foreign.modules)),
            data={"versions": versions, "modules": list(foreign.modules)}))
    return steps


def adopt_notes(foreign: Foreign) -> t.Iterator[str]:
    """What a person should know: it can be taken back."""
    for version in foreign.versions:
        yield f"amdgpu {version} was in DKMS without a package; its source, if it is in /usr/src, stays there"
    if foreign.package:
        yield f"version {foreign.package} of amdgpu-dkms is not one of AMD's and is replaced"
