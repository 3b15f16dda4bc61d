# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Checks of packages: whole, from one hand, left alone, and made for each other."""

from __future__ import annotations

import re

from ..errors import DataError
from ..look.packages import Package
from ..release.versions import RocmVersion, parse_driver_package
from .driver import PACKAGE
from .values import Values
from .view import Result, UnseenError, View

SHOWN = 4
_SPECIAL = re.compile(r"[^a-z0-9-]")
_POINT = re.compile(r"\d+\.\d+\.\d+", re.ASCII)


def interrupted(view: View, _want: Values) -> Result:
    """Whether the package manager was cut off."""
    cut = view.known(view.packages.interrupted, "packages.interrupted", f"{view.packages.manager} does not tell")
    return Result(not cut, "no package manager cut off or at work",
                  "a run of dpkg was cut off, or is at work" if cut else "no run was cut off")


def whole(view: View, _want: Values) -> Result:
    """Whether every package is wholly installed or wholly gone."""
    broken = view.known(view.packages.broken, "packages.broken")
    names = ", ".join(f"{p.name} ({p.state})" for p in broken[:SHOWN])
    more = f" and {len(broken) - SHOWN} more" if len(broken) > SHOWN else ""
    return Result(not broken, "no half-installed package", f"half done: {names}{more}" if broken else "none is")


def one_source(view: View, want: Values) -> Result | None:
    """Whether packages that AMD and the distribution both have are all AMD's, where AMD's ROCm is installed.

    The grammar of the version tells whose a package is: AMD's carry the code of their release.
    """
    amd = re.compile(want.text("amd"))
    installed = view.known(view.packages.installed, "packages.installed")
    ours = [p for p in installed if p.name in want.texts("marks") and amd.search(p.version)]
    if not ours:
        return None
    others = [p for p in installed if p.name in want.texts("names") and not amd.search(p.version)]
    seen = ", ".join(f"{p.name} {p.version}" for p in others[:SHOWN])
    more = f" and {len(others) - SHOWN} more" if len(others) > SHOWN else ""
    return Result(not others, f"all of ROCm from AMD, as {_said(ours[0])} is",
                  f"not AMD's: {seen}{more}, beside AMD's {_said(ours[0])}" if others
                  else f"{_said(ours[0])} and the rest are AMD's")


def _said(package: Package) -> str:
    return f"{package.name} {package.version}"


def preferred(view: View, want: Values) -> Result | None:
    """Whether apt prefers AMD's repository where it is in use: the distribution has newer numbers of the same names."""
    if view.packages.manager != "apt":
        return None
    origin, least = want.text("origin"), want.number("priority")
    sources = view.known(view.repositories.sources, "repositories.sources")
    if not any(s.enabled and f"//{origin}/{want.text('path')}" in uri for s in sources for uri in s.uris):
        return None
    pins = view.known(view.repositories.preferences, "repositories.preferences")
    names = want.texts("names")
    best = max((p.priority for p in pins if origin in p.pin or p.package.startswith(names)), default=None)
    seen = f"no pin names {origin}" if best is None else f"the best pin of AMD's packages has priority {best}"
    return Result(best is not None and best >= least, f"a pin of {origin} with priority {least} or more", seen)


def unattended(view: View, want: Values) -> Result:
    """Whether nothing upgrades kernel and driver behind our back."""
    on = view.known(view.repositories.unattended_upgrades, "repositories.unattended_upgrades",
                    f"{view.look.packages.manager} does not tell" if view.look.packages else "")
    wanted = f"no unattended upgrade of {', '.join(want.texts('packages'))}"
    if not on:
        return Result(True, wanted, "unattended upgrades are off")
    kept, held = view.repositories.unattended_blacklist, view.packages.holds
    there = {p.name for p in view.known(view.packages.installed, "packages.installed")}
    free = [name for name in want.texts("packages") if any(one.startswith(name) for one in there)
            and not any(_keeps(pattern, name) for pattern in kept) and not any(h.startswith(name) for h in held)]
    return Result(not free, wanted, f"unattended upgrades are on, and may change {', '.join(free)}" if free
                  else "unattended upgrades are on, and leave them alone")


def _keeps(pattern: str, name: str) -> bool:
    """Whether a pattern of the blacklist is about packages whose names begin so.

    It is a regular expression, which is not run here: up to its first special character it is the start of names.
    """
    literal = _SPECIAL.split(pattern.lstrip("^"), maxsplit=1)[0]
    return bool(literal) and (name.startswith(literal) or literal.startswith(name))


def window(view: View, _want: Values) -> Result | None:
    """Whether AMD supports the active ROCm with the installed driver."""
    installed = view.known(view.packages.installed, "packages.installed")
    version = next((p.version for p in installed if p.name == PACKAGE), None)
    rocm = view.look.rocm
    if version is None or rocm is None:
        return None
    active = next((p.version for p in rocm.prefixes if p.path == rocm.active), None)
    point = _POINT.match(active or "")
    if point is None:
        raise UnseenError(view.why("rocm", "prefixes") or "which ROCm is active is not told")
    try:
        driver, number = parse_driver_package(version).release, RocmVersion.parse(point[0])
    except DataError as error:
        raise UnseenError(f"{error.where} {error.what}") from error
    about = [w for w in view.given.windows if driver is not None and w.driver.covers(driver)]
    if driver is None or not about:
        raise UnseenError(f"no compatibility window is known for {PACKAGE} {version}")
    fits = any(pattern.covers(number) for w in about for pattern in w.rocm)
    return Result(fits, f"a ROCm that driver {driver} supports: {', '.join(p.text for w in about for p in w.rocm)}",
                  f"ROCm {number} with driver {driver}")


def binding(view: View, _want: Values) -> Result | None:
    """Whether the Python binding of AMD SMI and the library that it loads belong together."""
    smi = view.look.smi
    if smi is None:
        raise UnseenError("section smi was not looked at")
    if smi.binding_path is None and smi.library_path is None:
        return None
    apart = view.known(smi.mismatch, "smi.mismatch", smi.error or "")
    mine, other = smi.binding_version or "of unknown version", smi.library_version or "of unknown version"
    return Result(not apart, "binding and library of AMD SMI of one release", f"binding {mine} loads library {other}")


def library(view: View, _want: Values) -> Result | None:
    """Whether the GPU library answers where ROCm is installed; where ROCm is in containers, the node has none."""
    smi, driver, rocm = view.look.smi, view.look.driver, view.look.rocm
    if smi is None or rocm is None or driver is None:
        raise UnseenError("sections smi, rocm and driver were not looked at together")
    if not driver.loaded or not rocm.prefixes:
        return None  # without a driver it has nothing to tell
    return Result(not smi.error, "a GPU library (AMD SMI) that answers",
                  f"the GPU library does not answer: {smi.error}" if smi.error else
                  f"the GPU library answers, version {smi.library_version or 'unknown'}")
