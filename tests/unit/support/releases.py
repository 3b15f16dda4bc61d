# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Releases as resolved for a Debian 12 node, without the catalogue."""

from __future__ import annotations

import dataclasses as dc

from ansible_collections.instinct.fleet.plugins.module_utils._core.release.resolved import (
    Resolved,
    ResolvedDriver,
    ResolvedGpu,
    ResolvedKernel,
    ResolvedKey,
    ResolvedOs,
    ResolvedRepository,
    ResolvedRocm,
)

from .world import KERNEL

FINGERPRINT = "CA8BB4727A47B4D09B4EE8969386B48A1A693C5C"
# name -> driver release, module, build, code, firmware package
RELEASES = {
    "rocm-6.4.2": ("6.4.2", "6.12.12", "2187269", "60402", "1:6.12.12.60402-2187269.22.04"),
    "rocm-7.0.2": ("30.10.2", "6.14.14", "2226257", "30100200", "30.10.2.0.30100200-2226257.22.04"),
    "rocm-7.2.3": ("30.30.3", "6.16.13", "2327507", "30300300", "30.30.3.0.30300300-2327507.22.04"),
    "rocm-7.2.4": ("30.30.4", "6.16.13", "2341068", "30300400", "30.30.4.0.30300400-2341068.22.04"),
}


def legacy(rocm: str) -> ResolvedRocm:
    """ROCm of the legacy stream."""
    code = rocm.replace(".", "0", 1).replace(".", "0")
    packages = {name: (f"{name}{{line}}",) for name in ("rocm-core", "rocminfo", "amd-smi-lib")}
    return ResolvedRocm(rocm, f"/opt/rocm-{rocm}", f"*.{code}-*", f"rocm-{rocm}", "legacy", rocm, packages)


def therock(rocm: str) -> ResolvedRocm:
    """ROCm of TheRock's stream."""
    line = rocm.rpartition(".")[0]
    stems = {"rocm-core": "amdrocm-base", "rocminfo": "amdrocm-base", "amd-smi-lib": "amdrocm-amdsmi"}
    packages = {name: (f"{stem}{{line}}",) for name, stem in stems.items()}
    return ResolvedRocm(rocm, f"/opt/rocm/core-{line}", f"{rocm}-*", f"rocm-{rocm}", "therock", line, packages)


def userspace(name: str) -> ResolvedRocm:
    """ROCm of a release."""
    number = name.removeprefix("rocm-")
    return therock(number) if number.startswith(("7.1", "10.")) else legacy(number)


MULTI_ARCH = ResolvedRepository(
    "rocm", ("deb",), "https://repo.amd.com/rocm/packages-multi-arch/debian12", "stable", ("main",), ("amd64",),
    "amdrocm-multi-arch", None, ("https://repo.radeon.com/rocm/apt/", "https://repo.amd.com/rocm/packages-multi-arch/"),
)


def side_by_side(active: str, *beside: str) -> Resolved:
    """A release as resolved for a Debian 12 node, with further ROCm beside it. Its driver is always that of 7.2.3."""
    rocm, *others = (userspace(name) for name in (active, *beside))
    base = release("rocm-7.2.3")
    driver, apt = base.repositories
    repositories = dict.fromkeys(
        MULTI_ARCH if r.stream == "therock" else dc.replace(
            apt, uri=f"https://repo.radeon.com/rocm/apt/{r.version}", bases=MULTI_ARCH.bases)
        for r in (rocm, *others))
    key = ResolvedKey("https://repo.amd.com/rocm.gpg", "AB" * 20, "/etc/apt/keyrings/instinct-amdrocm-multi-arch.gpg")
    return dc.replace(
        base, name=active, stream=rocm.stream, rocm=rocm, beside=tuple(others),
        repositories=(driver, *repositories), keys={**base.keys, "amdrocm-multi-arch": key})


def release(name: str, kernel: str = KERNEL, source: str = "dkms", stream: str = "legacy") -> Resolved:
    """One of RELEASES for a Debian 12 node with eight MI300X."""
    number, module, build, code, firmware = RELEASES[name]
    rocm = name.split("-")[1]
    driver = (
        ResolvedDriver("in_tree")
        if source == "in_tree"
        else ResolvedDriver(
            "dkms",
            number,
            module,
            build,
            f"{module}-{build}.22.04",
            {"amdgpu-dkms": f"1:{module}.{code}-{build}.22.04", "amdgpu-dkms-firmware": firmware},
        )
    )
    repositories = tuple(
        ResolvedRepository(
            repo,
            ("deb",),
            f"https://repo.radeon.com/{path}",
            "jammy",
            ("main",),
            ("amd64",),
            "radeon",
            "repo.radeon.com",
            (f"https://repo.radeon.com/{base}",),
        )
        for repo, base, path in (
            ("amdgpu", "amdgpu/", f"amdgpu/{number}/ubuntu"),
            ("rocm", "rocm/apt/", f"rocm/apt/{rocm}"),
        )
        if source == "dkms" or repo == "rocm"
    )
    return Resolved(
        name=name,
        title=f"ROCm {rocm}",
        confidence="documented",
        stream=stream,
        os=ResolvedOs("debian", "12"),
        rocm=legacy(rocm),
        driver=driver,
        kernel=ResolvedKernel(kernel, ("6.1.0",), (f"linux-headers-{kernel}", f"linux-image-{kernel}")),
        repositories=repositories,
        keys={
            "radeon": ResolvedKey(
                "https://repo.radeon.com/rocm/rocm.gpg.key", FINGERPRINT, "/etc/apt/keyrings/instinct-radeon.gpg"
            )
        },
        firmware=(),
        gpus=tuple(ResolvedGpu(f"0000:{5 + i:02x}:00.0", "74a1", "MI300X") for i in range(8)),
        notes=(),
        sources=(),
    )
