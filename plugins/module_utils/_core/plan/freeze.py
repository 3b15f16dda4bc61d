# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""From nodes as they run to a release that says so: what moving in is made of.

Nothing is guessed: what cannot be named exactly is refused, and so are nodes that do not agree.
"""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..errors import FleetError
from ..look.whole import WholeLook
from ..release.catalogue import VERSION, Catalogue
from ..release.kernel_release import KernelRelease
from ..release.products import identify
from ..release.repositories import MANAGERS, OS_TITLES, OsPath
from ..release.versions import DriverPackage, RocmVersion, parse_driver_package
from . import rocm_packages
from .driver_seen import DRIVER_PACKAGES
from .plan import Plan
from .steps import installed

CONFIDENCE = "third_party"  # a site measured it; the vendor did not say it
SOURCE = "measured"
# Steps by which a node comes under management and stays what it is.
ADOPTING = ("key", "file", "boot_file", "boot", "initramfs", "hold", "let_go", "ldconfig")
PART = "113-"  # part numbers of a VBIOS begin so; tables of releases leave it out
OTHER_NAME = "export them into a release of its own each (--limit)"


@dc.dataclass(frozen=True)
class Frozen:
    """What one node runs, exactly.

    Attributes:
        packages: name, format and version of each driver package; {dist} stands for the end of the operating system.
        series: the kernel as a series that has no other kernel of an older build in it.
        firmware: product, kind and version of what its GPUs tell.
    """

    node: str
    stream: str
    rocm: str
    driver: str
    module: str
    build: str
    packages: tuple[tuple[str, str, str], ...]
    os: str
    version: str
    kernel: str
    series: str
    gpus: tuple[str, ...]
    firmware: tuple[tuple[str, str, str], ...]


def freeze(catalogue: Catalogue, look: WholeLook, node: str) -> Frozen:
    """What the node runs.

    Raises:
        FleetError: something that a release pins is not known, or not what the vendor's packages brought.
    """
    path = _os_path(catalogue, look, node)
    package = _driver(look, node)
    kernel = look.kernel.running or ""
    stream, rocm = _rocm(look, node)
    return Frozen(
        node, stream, rocm, driver=_release_of(catalogue, package, node), module=str(package.module),
        build=package.build, packages=_packages(look, path), os=path.os, version=look.os.version_id or "",
        kernel=kernel, series=_series(kernel), gpus=_gpus(catalogue, look, node), firmware=_firmware(catalogue, look))


def _os_path(catalogue: Catalogue, look: WholeLook, node: str) -> OsPath:
    os, version = look.os.id or "", look.os.version_id or ""
    paths = [p for p in catalogue.os_paths if p.covers(os, version) and p.manager]
    if not paths:
        title = f"{OS_TITLES.get(os, os)} {version}"
        raise FleetError(node, f"packages of {title} are not managed, so no release can name them",
                         "leave the node out (--limit)")
    return max(paths, key=lambda p: len(p.version))


def _driver(look: WholeLook, node: str) -> DriverPackage:
    """The driver's package, if it is what runs."""
    have = installed(look).get("amdgpu-dkms")
    if have is None:
        raise FleetError(node, "AMD's driver package amdgpu-dkms is not installed, so there is no driver to pin",
                         "pin one of the catalogue's releases instead")
    package = parse_driver_package(have.version)
    disk = next((d for d in look.driver.on_disk if d.kernel == look.kernel.running), None)
    if disk is None or disk.kind != "dkms" or disk.version != str(package.module):
        raise FleetError(node, f"amdgpu-dkms {have.version} is installed, and not built for the running kernel",
                         "bring the node to a release first, or mend it")
    if not look.driver.loaded or look.driver.loaded_is_on_disk is not True:
        raise FleetError(node, f"the driver that is loaded is not known to be amdgpu-dkms {have.version}",
                         "reload it or reboot the node first")
    return package


def _release_of(catalogue: Catalogue, package: DriverPackage, node: str) -> str:
    """The driver release: from the package's version, or by its build number from the catalogue."""
    if package.release:
        return str(package.release)
    known = {str(r.driver.release) for r in catalogue.releases.values() if r.driver.build == package.build}
    if len(known) != 1:
        raise FleetError(node, f"amdgpu-dkms {package.text} does not tell its driver release, and the catalogue has "
                         f"{'several' if known else 'none'} of build {package.build}", "add a release with that build")
    return known.pop()


def _packages(look: WholeLook, path: OsPath) -> tuple[tuple[str, str, str], ...]:
    have, form = installed(look), MANAGERS[path.manager or ""]
    return tuple((name, form, _without(have[name].version, path.dist)) for name in DRIVER_PACKAGES if name in have)


def _without(version: str, dist: str) -> str:
    return version[:-len(dist)] + "{dist}" if dist and version.endswith(dist) else version


def _rocm(look: WholeLook, node: str) -> tuple[str, str]:
    """Stream and version of the one ROCm that is there as packages and active."""
    found = sorted({(f.stream, f.rocm) for f in rocm_packages.found(look)})
    if len(found) != 1:
        several = " and ".join(f"ROCm {rocm} ({stream})" for stream, rocm in found)
        raise FleetError(node, f"has packages of {several or 'no ROCm'}, and a release names one",
                         "remove the others first" if found else "install ROCm from packages first")
    active = next((p for p in look.rocm.prefixes if p.path == look.rocm.active), None)
    if active is None or active.version is None or not active.version.startswith(found[0][1]):
        raise FleetError(node, f"/opt/rocm leads to {look.rocm.active or 'nothing'}, not to ROCm {found[0][1]} "
                         "of its packages", "lead it there first (update-alternatives --config rocm)")
    return found[0][0], str(RocmVersion.parse(found[0][1]))


def _series(kernel: str) -> str:
    """The kernel's base and what its builder counts: 6.1.0-56, 6.8.0-44, 5.14.0-570.12.1, 6.12.48."""
    release = KernelRelease.parse(kernel)
    count = ".".join(map(str, release.abi))
    return ".".join(map(str, release.base[:3])) + (f"-{count}" if count else "")


def _gpus(catalogue: Catalogue, look: WholeLook, node: str) -> tuple[str, ...]:
    if not look.gpus.gpus:
        raise FleetError(node, "has no GPU", "leave the node out (--limit)")
    return tuple(sorted({name for gpu in look.gpus.gpus for name in identify(
        catalogue.products, gpu.bdf, gpu.device_id, gpu.market_name or gpu.product).names}))


def _firmware(catalogue: Catalogue, look: WholeLook) -> tuple[tuple[str, str, str], ...]:
    """Of each product that is known for sure: its PLDM bundle, or else its VBIOS, where a GPU tells it."""
    rows = set()
    read = {f.bdf: f for f in look.firmware.gpus}
    for gpu in look.gpus.gpus:
        said = read.get(gpu.bdf)
        names = identify(catalogue.products, gpu.bdf, gpu.device_id, gpu.market_name or gpu.product).names
        if said is None or len(names) > 1:
            continue
        if said.bundle:
            rows.add((names[0], "pldm", said.bundle))
        elif said.vbios_part:
            rows.add((names[0], "vbios", said.vbios_part.removeprefix(PART)))
    return tuple(sorted(rows))


def components(catalogue: Catalogue, look: WholeLook, wanted: t.Sequence[str], frozen: Frozen) -> tuple[str, ...]:
    """Which of the components a site wants are there, with all their packages.

    Raises:
        FleetError: none is.
    """
    have, form = installed(look), MANAGERS[look.packages.manager or ""]
    lines = {f.line for f in rocm_packages.found(look)}
    targets = _sorted(p.llvm_target for p in catalogue.products if p.name in frozen.gpus)
    known = {c.name: c for c in catalogue.components if c.stream == frozen.stream}
    there = tuple(name for name in wanted if name in known and any(
        all(package.format(line=line) in have for package in known[name].packages(form, targets)) for line in lines))
    if not there:
        raise FleetError(frozen.node, f"has none of the components {', '.join(wanted)} of ROCm",
                         "name those that it has in rocm_userspace_components")
    return there


def refuse_disagreement(nodes: t.Sequence[Frozen]) -> None:
    """Refuse nodes that one release cannot describe.

    Raises:
        FleetError: names two nodes and where they differ.
    """
    first = nodes[0]
    for node in nodes[1:]:
        where = f"{first.node} and {node.node}"
        for what, one, other in (
            ("ROCm", f"{first.rocm} ({first.stream})", f"{node.rocm} ({node.stream})"),
            ("driver", f"{first.driver} build {first.build}", f"{node.driver} build {node.build}"),
        ):
            if one != other:
                raise FleetError(where, f"differ in their {what}: {one} and {other}", OTHER_NAME)
    pinned: dict[tuple[str, str], tuple[str, str]] = {}
    for node in nodes:
        for name, form, version in node.packages:
            before, whose = pinned.setdefault((name, form), (version, node.node))
            if before != version:
                raise FleetError(f"{whose} and {node.node}", f"differ in {name}: {before} and {version}", OTHER_NAME)


def document(name: str, title: str, nodes: t.Sequence[Frozen], source: str) -> dict[str, t.Any]:
    """The release file of nodes that agree. ``source`` says where and when it was measured."""
    said = {"confidence": CONFIDENCE, "source": [SOURCE]}
    first = nodes[0]
    pins = {(name, form): version for node in nodes for name, form, version in node.packages}
    return {
        "version": VERSION, "kind": "release",
        "release": {
            "name": name, "title": title, "released": None, "stream": first.stream, "rocm": first.rocm,
            "driver": {
                "release": first.driver, "module": first.module, "build": first.build,
                "packages": [
                    {"name": package, "format": form, "version": version, **said, "note": "as it was installed"}
                    for (package, form), version in pins.items()],
                **said,
            },
            "gpus": _sorted(gpu for node in nodes for gpu in node.gpus),
            "os": [_os_row(nodes, os, version, said) for os, version in _sorted((n.os, n.version) for n in nodes)],
            "firmware": [_firmware_row(nodes, gpu, kind, said)
                         for gpu, kind in _sorted(row[:2] for n in nodes for row in n.firmware)],
            **said,
        },
        "sources": {SOURCE: source},
    }


def _sorted(values: t.Iterable[t.Any]) -> list[t.Any]:
    return sorted(set(values))


def _os_row(nodes: t.Sequence[Frozen], os: str, version: str, said: dict[str, t.Any]) -> dict[str, t.Any]:
    here = [n for n in nodes if (n.os, n.version) == (os, version)]
    return {"id": os, "version": version, "kernels": [{"series": series} for series in _sorted(n.series for n in here)],
            "gpus": _sorted(gpu for n in here for gpu in n.gpus), **said}


def _firmware_row(nodes: t.Sequence[Frozen], gpu: str, kind: str, said: dict[str, t.Any]) -> dict[str, t.Any]:
    versions = _sorted(v for n in nodes for g, k, v in n.firmware if (g, k) == (gpu, kind))
    return {"gpu": gpu, "kind": kind, "versions": [{"text": v, "kind": kind, "value": v} for v in versions], **said}


def refuse_change(node: str, plans: t.Iterable[Plan]) -> tuple[str, ...]:
    """What the node would be given when it is pinned to its own export, in words: pins, holds, files.

    Raises:
        FleetError: it would be changed; the release does not say what the node is.
    """
    steps = []
    for plan in plans:
        change = next((s.words for s in plan.steps if s.action not in ADOPTING), plan.reboot or plan.reload)
        if change:
            raise FleetError(node, f"pinned to its own release it would not stay as it is: {change}",
                             "do that first, or choose variables under which it is not needed")
        steps += [s.words for s in plan.steps]
    return tuple(steps)
