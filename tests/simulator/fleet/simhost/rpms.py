# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stand-in packages as rpms: those of debs.py in the grammar of AMD's rpm versions, and a distribution's kernels."""

from __future__ import annotations

import dataclasses as dc
import re
import shutil
import typing as t
from pathlib import Path

from . import debs
from .paths import SIMULATOR

HERE = SIMULATOR / "imitations"
KERNEL_FILES = """mkdir -p %{{buildroot}}/boot %{{buildroot}}/lib/modules/{kernel}
echo "simulated kernel {kernel}" > %{{buildroot}}/boot/vmlinuz-{kernel}
touch %{{buildroot}}/lib/modules/{kernel}/modules.order %{{buildroot}}/lib/modules/{kernel}/modules.builtin
mkdir %{{buildroot}}/lib/modules/{kernel}/kernel
ln -s /usr/src/kernels/{kernel} %{{buildroot}}/lib/modules/{kernel}/build
"""
# Debian's real headers under another kernel's name: the compiler and kbuild are real, the version in them is not.
HEADER_FILES = """mkdir -p %{{buildroot}}/usr/src/kernels
cp -r /usr/lib/instinct-sim/headers %{{buildroot}}/usr/src/kernels/{kernel}
cd %{{buildroot}}/usr/src/kernels/{kernel}
echo '#define UTS_RELEASE "{kernel}"' > include/generated/utsrelease.h
[ ! -e include/config/kernel.release ] || echo {kernel} > include/config/kernel.release
[ ! -e .kernelrelease ] || echo {kernel} > .kernelrelease
"""


@dc.dataclass(frozen=True)
class Rpm:
    """One package to be made.

    Attributes:
        repository: its repository's folder below the root.
        version: [epoch:]version-release.
        files: path in the package -> text, or a file or folder to be copied.
        install: shell commands that make more files at build time, and the paths of those.
        scripts: post and preun.
    """

    repository: str
    name: str
    version: str
    summary: str
    architecture: str = "noarch"
    requires: tuple[str, ...] = ()
    provides: tuple[str, ...] = ()
    files: t.Mapping[str, str | Path] = dc.field(default_factory=dict)
    install: str = ""
    paths: tuple[str, ...] = ()
    scripts: t.Mapping[str, str] = dc.field(default_factory=dict)

    def spec(self, tree: str) -> str:
        """Text of the spec file; ``tree`` holds the package's files when it is built."""
        epoch, _colon, rest = self.version.rpartition(":")
        version, release = rest.split("-")
        head = {"Name": self.name, "Epoch": epoch, "Version": version, "Release": release, "Summary": self.summary,
                "License": "GPL-3.0-or-later", "BuildArch": self.architecture, "AutoReqProv": "no"}
        lines = [f"{key}: {value}" for key, value in head.items() if value]
        lines += [f"Requires: {need}" for need in self.requires] + [f"Provides: {it}" for it in self.provides]
        owned = sorted({*self.files, *self.paths})
        return "\n".join([
            *lines, "%description", f"{self.summary} (simulated stand-in, no vendor code)",
            "%install", f"mkdir -p %{{buildroot}}; [ ! -d {tree} ] || cp -r {tree}/. %{{buildroot}}/", self.install,
            *(f"%{name}\n{text}" for name, text in self.scripts.items()), "%files", *owned, ""])

    def stage(self, tree: Path) -> None:
        """Put the package's files below a folder."""
        for path, content in self.files.items():
            target = tree / path.lstrip("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, str):
                target.write_text(content, encoding="utf-8")
                target.chmod(0o755 if content.startswith("#!") else 0o644)
            else:
                (shutil.copytree if content.is_dir() else shutil.copy)(content, target)


# The imitation's shell is Debian's, which rpm does not know, and every scriptlet asks for one.
SHELL = Rpm("distro", "bash", "5.1.8-9.el9", "the shell", "x86_64", provides=("/bin/sh",))


def script(name: str, values: t.Mapping[str, str]) -> dict[str, str]:
    """post and preun of a package, with values put in."""
    found = {kind: HERE / "scripts" / f"{name}.{kind}" for kind in ("post", "preun")}
    return {kind: debs.fill(path.read_text(encoding="utf-8"), values) for kind, path in found.items() if path.exists()}


def driver(release: t.Mapping[str, str], where: str, dist: str, firmware_number: str) -> list[Rpm]:
    """The driver and its firmware. source: roles/gpu_release/files/catalogue/releases (format rpm)"""
    ours, firmware = debs.driver(release, "el", "el")
    version = f"{release['module']}-{release['build']}{dist}"
    source = f"/usr/src/amdgpu-{version}"
    values = {**{key: str(value) for key, value in release.items()}, "distro": dist.lstrip(".")}
    number = f"{release['module']}-{release['build']}"
    conf = debs.template("driver/dkms.conf.in", values).replace(f"{number}.{values['distro']}", version)
    files = {re.sub(r"^/usr/src/[^/]+", source, path): conf if path.endswith("dkms.conf") else content
             for path, content in ours.files.items() if not path.startswith("/etc")}
    blobs = f"{firmware_number}-{release['build']}{dist}"
    return [
        Rpm(where, "amdgpu-dkms", f"1:{version}", "amdgpu driver in DKMS format", files=files,
            requires=("dkms", f"amdgpu-dkms-firmware = {blobs}"), scripts=script("amdgpu-dkms", {"version": version})),
        Rpm(where, "amdgpu-dkms-firmware", blobs, "firmware blobs of the amdgpu driver",
            files=dict.fromkeys(firmware.files, f"simulated firmware {blobs}\n")),
    ]


def rocm(release: t.Mapping[str, t.Any], packages: t.Iterable[t.Mapping[str, t.Any]], where: str, dist: str,
         library: Path | None) -> list[Rpm]:
    """The ROCm packages of one release."""
    def version(text: str) -> str:
        return text.partition("~")[0] + dist

    values = {"release": str(release["release"]), "stamp": str(release["stamp"])}
    return [Rpm(where, deb.name, version(deb.version), deb.summary, "x86_64", files=deb.files,
                requires=tuple(re.sub(r" \(= (.*)\)$", lambda m: f" = {version(m[1])}", need)
                               for need in deb.depends if "(" in need),
                scripts=script(deb.name, values))
            for deb in debs.rocm(release, packages, "el", "el", library)]


def kernels(manager: str, releases: t.Sequence[str]) -> list[Rpm]:
    """The distribution's kernels, in the packages that it makes of each."""
    return [rpm for kernel in releases for rpm in (_el(kernel) if manager == "dnf" else _sles(kernel))]


def _el(kernel: str) -> list[Rpm]:
    version = kernel.removesuffix(".x86_64")
    many = ("installonlypkg(kernel)",)

    def part(name: str, *requires: str, **more: t.Any) -> Rpm:
        return Rpm("distro", name, version, f"{name} of Linux {kernel}", "x86_64", requires,
                   (*many, f"{name}-uname-r = {kernel}"), **more)

    return [
        part("kernel", f"kernel-core-uname-r = {kernel}", f"kernel-modules-uname-r = {kernel}"),
        part("kernel-core", f"kernel-modules-core-uname-r = {kernel}", install=KERNEL_FILES.format(kernel=kernel),
             scripts=script("kernel-core", {"kernel": kernel}),
             paths=(f"/boot/vmlinuz-{kernel}", f"/lib/modules/{kernel}")),
        part("kernel-modules", f"kernel-core-uname-r = {kernel}", f"kernel-modules-core-uname-r = {kernel}"),
        part("kernel-modules-core"),
        part("kernel-devel", install=HEADER_FILES.format(kernel=kernel), paths=(f"/usr/src/kernels/{kernel}",)),
        part("kernel-devel-matched", f"kernel-core-uname-r = {kernel}", f"kernel-devel-uname-r = {kernel}"),
    ]


def _sles(kernel: str) -> list[Rpm]:
    version = kernel.removesuffix("-default")

    def part(name: str, *requires: str, **more: t.Any) -> Rpm:
        return Rpm("distro", name, f"{version}.1", f"{name} of Linux {kernel}", "x86_64", requires,
                   provides=("multiversion(kernel)", f"{name} = {version}"), **more)

    return [
        part("kernel-default", install=KERNEL_FILES.format(kernel=kernel),
             scripts=script("kernel-default", {"kernel": kernel}),
             paths=(f"/boot/vmlinuz-{kernel}", f"/lib/modules/{kernel}")),
        part("kernel-default-devel", f"kernel-devel = {version}", install=HEADER_FILES.format(kernel=kernel),
             paths=(f"/usr/src/kernels/{kernel}",)),
        part("kernel-devel"),
    ]


def tools(manager: str) -> list[Rpm]:
    """What else a distribution has: dkms (Debian's own script under its usual name), and dnf's versionlock plugin."""
    dkms = '#!/bin/sh\nexec /usr/lib/instinct-sim/dkms "$@"\n'
    needs = ("(kernel-devel-matched if kernel-core)",) if manager == "dnf" else ()  # source: dkms.spec of EPEL 9
    found = [SHELL,
             Rpm("distro", "dkms", "3.0.10-1.el9", "dynamic kernel modules", requires=needs,
                 files={"/usr/sbin/dkms": dkms}),
             Rpm("distro", "rocminfo", "5.7.1-3.el9", "rocminfo as a distribution packages it", "x86_64",
                 files={"/usr/share/rocminfo/origin": "the distribution's own\n"})]
    if manager == "dnf":
        plugins, code = "/etc/dnf/plugins/versionlock", "/usr/lib/python3/dist-packages/dnf-plugins"
        found.append(Rpm("distro", "python3-dnf-plugin-versionlock", "4.3.0-20.el9", "dnf obeys locks", files={
            f"{plugins}.conf": f"[main]\nenabled = 1\nlocklist = {plugins}.list\n", f"{plugins}.list": ""},
            install=f"mkdir -p %{{buildroot}}{code}; cp /usr/lib/instinct-sim/versionlock.py %{{buildroot}}{code}/",
            paths=(f"{code}/versionlock.py",)))
    return found


def every(recipe: t.Mapping[str, t.Any], odd: t.Mapping[str, str], data: t.Mapping[str, t.Any],
          libraries: t.Mapping[str, Path]) -> list[Rpm]:
    """All packages for one imitation; ``odd`` has versions of firmware that are not as those of the debs."""
    found = [*kernels(recipe["manager"], recipe["kernels"]), *tools(recipe["manager"])]
    for release in data["drivers"]:
        number = odd.get(release["release"], release["firmware"].split("-")[0])
        found += driver(release, recipe["driver"].format(driver=release["release"]), recipe["dist"], number)
    for release in data["rocm"]:
        where = recipe["rocm"].format(rocm=release["release"])
        found += rocm(release, data["rocm_packages"], where, recipe["dist"], libraries.get(release["release"]))
    return found
