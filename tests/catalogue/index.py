# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/catalogue.md: every release and what a site must accept to use it, as the resolver itself judges it."""

from __future__ import annotations

import dataclasses as dc
import pathlib
import re
import sys
from collections.abc import Iterator

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from plugins.module_utils._core.errors import FleetError
from plugins.module_utils._core.look.shape import Gpu, Gpus, InstalledKernel, Kernel, Look, Os
from plugins.module_utils._core.release.catalogue import Catalogue, OsRow, Release
from plugins.module_utils._core.release.resolve import Policy, resolve

HEAD = """\
# The catalogue

<!-- Written by tests/catalogue/generate.py: change the facts, not this page. -->

Every release of the catalogue, newest first, and what comes of it on the operating systems that it lists.
*Documented*: the release resolves there as it is. *Accept*: the variable `gpu_release_accept` must list these
confidences first. *Refused*: no choice of the site's helps; the reason stands [below](#refused). The sources of each
value stand in the release's file, and what they were made from in [the facts](../tests/catalogue/facts).

A driver is pinned by the exact version of its package, build number included: the version of the module does not tell
builds apart.

| release | date | stream | driver | module | operating systems | GPUs | confidence | apt | dnf | zypper |
|---|---|---|---|---|---|---|---|---|---|---|
"""
# A kernel for each operating system for which AMD prints none.
USUAL = {"azurelinux": "6.6", "centos": "4.18.0", "debian": "6.1.0", "ol": "5.14.0", "rhel": "5.14.0",
         "rocky": "5.14.0", "sles": "6.4.0-150700.51", "ubuntu": "6.8"}
UEK = {"UEK 7": "5.15.0", "UEK 8": "6.12.0"}
MANAGERS = ("apt", "dnf", "zypper")


@dc.dataclass(frozen=True)
class Verdict:
    """What comes of a release on an operating system: what must be accepted, or why it is refused."""

    system: str
    manager: str
    accept: tuple[str, ...]
    why: str

    @property
    def words(self) -> str:
        """documented; accept derived; refused."""
        if self.why:
            return "refused"
        return f"accept {', '.join(self.accept)}" if self.accept else "documented"


def kernel_of(os_id: str, series: str) -> str:
    """A kernel of a series as the operating system names it."""
    series = UEK.get(series[:5], series)
    base = series if "-" in series or series.count(".") == 2 else f"{series}.0"
    abi = base if "-" in base else f"{base}-100.1"
    if os_id in ("debian", "ubuntu"):
        return (base if "-" in base else f"{base}-30") + ("-amd64" if os_id == "debian" else "-generic")
    if os_id == "sles":
        return (base if re.search(r"-\d+\.", base) else f"{base}.7" if "-" in base else f"{base}-150000.1") + "-default"
    if os_id == "azurelinux":
        return f"{abi}.azl3"
    return f"{abi}.el9{'uek' if os_id == 'ol' else ''}.x86_64"


def node(row: OsRow, series: str, device_id: str) -> Look:
    """A look at a node of an operating system, with one GPU."""
    numbers = row.version.split(".")
    version = ".".join(numbers[:{"debian": 1, "ubuntu": 2, "centos": 1}.get(row.id, len(numbers))])
    kernel = kernel_of(row.id, series)
    return Look(os=Os(id=row.id, version_id=version, point_version=row.version),
                kernel=Kernel(running=kernel, installed=(InstalledKernel(kernel),)),
                gpus=Gpus((Gpu(0, "0000:05:00.0", device_id),)))


def verdict(catalogue: Catalogue, release: Release, row: OsRow, series: str) -> Verdict:
    """What comes of the release on a node of that operating system and kernel."""
    names = [gpu for kernel in row.kernels if kernel.series.text == series for gpu in kernel.gpus_except]
    gpu = next(name for name in row.gpus if name not in names)
    device_id = next(p.pci_ids[0] for p in catalogue.products if p.name == gpu)
    managers = [path.manager for path in catalogue.os_paths if path.covers(row.id, row.version)]
    manager, accept = next(filter(None, managers), ""), []
    while True:
        try:
            resolve(catalogue, release.name, node(row, series, device_id), Policy(tuple(accept)))
            return Verdict(row.title, manager, tuple(sorted(accept)), "")
        except FleetError as error:
            more = re.match(r"add (\w+) to gpu_release_accept", error.hint)
            if not more:
                return Verdict(row.title, manager, (), error.what)
            accept.append(more[1])


def verdicts(catalogue: Catalogue, release: Release) -> Iterator[Verdict]:
    """One for each operating system and kernel series of the release."""
    for row in release.os:
        for series in [kernel.series.text for kernel in row.kernels] or [USUAL[row.id]]:
            yield verdict(catalogue, release, row, series)


def page(catalogue: Catalogue) -> str:
    """The whole page."""
    lines: list[str] = []
    refused: dict[str, list[str]] = {}
    for release in sorted(catalogue.releases.values(), key=_order, reverse=True):
        found, driver = tuple(verdicts(catalogue, release)), release.driver
        cells = (f"[{release.name}](../roles/gpu_release/files/catalogue/releases/{release.name}.yml)",
                 release.released or "-", release.stream, f"{driver.release}", f"{driver.module or 'not known'}",
                 _systems(release), ", ".join(release.gpus), release.provenance.confidence,
                 *(_cell(found, manager) for manager in MANAGERS))
        lines.append(f"| {' | '.join(cells)} |\n")
        for why, systems in _reasons(release, found).items():
            refused.setdefault(why, []).append(f"{release.name} ({', '.join(systems)})" if systems else release.name)
    reasons = [f"* {why}: {'; '.join(names)}\n" for why, names in refused.items()]
    return HEAD + "".join(lines) + "\n## Refused\n\n" + "".join(reasons)


def _order(release: Release) -> tuple[bool, tuple[int, ...], str]:
    return (not release.name.startswith("site-"), release.rocm.key, release.name)


def _systems(release: Release) -> str:
    """Debian 13, 12; RHEL 9.6."""
    versions: dict[str, list[str]] = {}
    for row in release.os:
        versions.setdefault(row.title.removesuffix(f" {row.version}"), []).append(row.version)
    return "; ".join(f"{name} {', '.join(numbers)}" for name, numbers in versions.items()) or "not known"


def _cell(found: tuple[Verdict, ...], manager: str) -> str:
    """The verdict of all systems of a package manager, or each with its systems."""
    systems: dict[str, list[str]] = {}
    for one in found:
        if one.manager == manager and one.system not in systems.setdefault(one.words, []):
            systems[one.words].append(one.system)
    if len(systems) <= 1:
        return next(iter(systems), "-")
    return "; ".join(f"{words}: {', '.join(names)}" for words, names in sorted(systems.items()))


def _reasons(release: Release, found: tuple[Verdict, ...]) -> dict[str, list[str]]:
    """Why it is refused -> where; nowhere in particular, if it is so everywhere."""
    if not release.os:
        return {"which operating systems it supports is not known": []}
    reasons: dict[str, list[str]] = {}
    for one in found:
        if one.why and one.system not in reasons.setdefault(one.why, []):
            reasons[one.why].append(one.system)
    everywhere = len(reasons) == 1 and len({one.system for one in found}) == len(next(iter(reasons.values())))
    return {why: [] if everywhere else systems for why, systems in reasons.items()}
