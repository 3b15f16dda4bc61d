# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Which packages of AMD's ROCm are on a node, which should be, and which should not."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from ..errors import FleetError
from ..look.shape import Package
from ..look.whole import WholeLook
from ..release.components import STEM
from ..release.userspace import components, lines

if t.TYPE_CHECKING:
    from ..release.resolved import Resolved

# <upstream>.<code>-<build>, and the distribution: 7.0.1.70001-42~24.04 (ROCm/ROCm#5797), 70203-90.el9, sles156.120.
# The code is a digit and twice two, and the last number never had more than one: 7.0.2 is 70002, 5.5.1 is 50501.
# The driver's builds have six digits and more, and stand before a dot in the world of apt.
_LEGACY = re.compile(r"\.(?P<code>[4-9]\d\d0\d)-(?:\d{1,4}(?:~\d\d\.\d\d|\.el\d+)|sles\d+\.\d{1,4})$", re.ASCII)
# A number alone may be anybody's. Names end in that of their release where releases stand side by side.
_NAME = re.compile(rf"(?:{STEM}|rvs)(?:\.\d+)*", re.ASCII)
# amdrocm-amdsmi7.14, amdrocm7.14-gfx942, amdrocm-core; the version begins with that of ROCm: 7.14.0-3
# (ROCm/TheRock:build_tools/packaging/linux/packaging_utils.py). Packages that bring a repository are not ROCm.
_THEROCK = re.compile(r"amdrocm(?:-(?!repo)[a-z-]+)?(?P<line>\d+\.\d+)?(?:-gfx[0-9a-z]+)?", re.ASCII)
_NUMBER = re.compile(r"(?P<rocm>(?P<line>\d+\.\d+)\.\d+)(?:[-~+]|$)", re.ASCII)


@dc.dataclass(frozen=True)
class Found:
    """A package of AMD's ROCm.

    Attributes:
        stream: legacy or therock.
        rocm: the ROCm that it belongs to: 7.2.3.
        line: what ends its name, as in rocm-core7.2.3 and amdrocm-core7.14; empty if nothing does.
        version_line: what would end its name.
    """

    package: Package
    stream: str
    rocm: str
    line: str
    version_line: str


def found(look: WholeLook) -> tuple[Found, ...]:
    """All packages of AMD's ROCm, half installed ones too."""
    return tuple(f for f in map(of, look.packages.installed) if f)


def of(package: Package) -> Found | None:
    """What of ROCm a package is; None if it is no package of AMD's ROCm."""
    name, number = _THEROCK.fullmatch(package.name), _NUMBER.match(package.version)
    if name:
        return Found(package, "therock", number["rocm"], name["line"] or "", number["line"]) if number else None
    legacy = _LEGACY.search(package.version)
    if not legacy or not _NAME.fullmatch(package.name):
        return None
    code = legacy["code"]
    rocm = f"{code[0]}.{int(code[1:3])}.{int(code[3:])}"
    return Found(package, "legacy", rocm, rocm if package.name.endswith(rocm) else "", rocm)


def to_install(look: WholeLook, wanted: Resolved) -> dict[str, str]:
    """Package -> pattern of versions: all components, and whatever else moves with them because it is there already.

    Raises:
        FleetError: no component was named.
    """
    packages = {name: rocm.package_pattern for name, rocm in components(wanted).items()}
    if not packages:
        raise FleetError("rocm_userspace_components", "names no component", "name at least one")
    for item in found(look):
        owner = lines(wanted).get(f"{item.stream} {item.line}")
        if owner:
            packages.setdefault(item.package.name, owner.package_pattern)
    return packages


def in_the_way(look: WholeLook, wanted: Resolved) -> tuple[Found, ...]:
    """Packages of ROCm that nobody asked for: of other releases, or called otherwise than they should be now."""
    keep = lines(wanted)
    lines_of_therock = {r.line for r in (wanted.rocm, *wanted.beside) if r.stream == "therock"}
    return tuple(
        f for f in found(look) if f"{f.stream} {f.line}" not in keep
        and not (f.stream == "therock" and not f.line and f.version_line in lines_of_therock))


def clash(item: Found, wanted: Resolved) -> bool:
    """True if the package lies where one that is wanted lies, so that both cannot be there."""
    return any((item.stream, item.version_line) == (r.stream, r.line) for r in (wanted.rocm, *wanted.beside))


def pins(wanted: Resolved) -> dict[str, str]:
    """Pins of packages by version: TheRock has the point releases of a line in one repository, under the same names."""
    return {name: r.package_pattern for r in (wanted.rocm, *wanted.beside) if r.stream == "therock"
            for name in (f"amdrocm*{r.line}", f"amdrocm*{r.line}-*")}
