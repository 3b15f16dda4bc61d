# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Packages: whole, from one hand, left alone, made for each other."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.preconditions.view import Known
from ansible_collections.instinct.fleet.tests.unit.support.preconditions import GOOD, KNOWN, but, judged, package

AMD = "7.0.2.70002-56~24.04"
UNATTENDED = {"unattended_upgrades": True}
SOURCE = GOOD.repositories.sources[0]


def with_packages(*packages: tuple[str, str], **section: object) -> lk.Look:
    """A node with these packages."""
    return but(packages={"installed": tuple(package(*p) for p in packages), **section})


def pinned(*pins: lk.Preference, **source: object) -> lk.Look:
    """A node with AMD's repository and these pins."""
    return but(repositories={"preferences": pins, "sources": (dc.replace(SOURCE, **source),)})


def rocm(version: str, driver: str = "1:6.16.13.30300000-2278356.24.04") -> lk.Look:
    """A node with this driver and this ROCm."""
    return but(with_packages(("amdgpu-dkms", driver)), rocm={"prefixes": (lk.RocmPrefix("/opt/rocm-7.2.0", version),)})


CASES = [
    ("packages-interrupted", "cut off", but(packages={"interrupted": True}), (), [("fail", "a run of dpkg was cut off, or is at work")]),
    ("packages-interrupted", "another manager", but(packages={"manager": "dnf", "interrupted": None}), (), [
        ("unknown", "dnf does not tell")]),
    ("packages-interrupted", "not read", but(packages={"interrupted": None, "unknown": {"interrupted": "no root"}}), (), [
        ("unknown", "packages.interrupted: no root")]),
    ("packages-interrupted", "no section", but(packages=None), (), [("unknown", "section packages was not looked at")]),
    ("packages-broken", "one", but(packages={"broken": (package("amdgpu-dkms", state="half-configured"),)}), (), [
        ("fail", "half done: amdgpu-dkms (half-configured)")]),
    ("packages-broken", "many", but(packages={"broken": tuple(package(f"p{i}", state="unpacked") for i in range(6))}), (), [
        ("fail", "half done: p0 (unpacked), p1 (unpacked), p2 (unpacked), p3 (unpacked) and 2 more")]),
    ("packages-broken", "not read", but(packages={"unknown": {"broken": "damaged"}}), (), [("unknown", "packages.broken: damaged")]),
    ("packages-mixed", "rocminfo of the distribution", with_packages(("rocm-core", AMD), ("rocminfo", "5.7.1-3build1")), (), [
        ("fail", f"not AMD's: rocminfo 5.7.1-3build1, beside AMD's rocm-core {AMD}")]),
    ("packages-mixed", "rocminfo of Debian, newer by its number than AMD's", with_packages(
        ("rocm-core", AMD), ("rocminfo", "5.7.1-6"), ("rocm-cmake", "6.0.0-1")), (), [
        ("fail", f"not AMD's: rocminfo 5.7.1-6, rocm-cmake 6.0.0-1, beside AMD's rocm-core {AMD}")]),
    ("packages-mixed", "rocminfo of AMD, older by its number", with_packages(("rocm-core", AMD), ("rocminfo", "1.0.0.70002-56~24.04")),
     (), [("pass", f"rocm-core {AMD} and the rest are AMD's")]),
    ("packages-mixed", "a number without the release's distribution", with_packages(
        ("rocm-core", "7.0.2.70002-56"), ("rocm-smi-lib", "5.0.0.50103-66")), (), [
        ("pass", "rocm-core 7.0.2.70002-56 and the rest are AMD's")]),
    ("packages-mixed", "rpm", with_packages(("rocm-core", "7.0.2.70002-56.el9"), ("rocm-smi-lib", "25.3.0.60400-47.el9"),
                                            ("hipcc", "18-10.rocm6.2.0.el9")), (), [
        ("fail", "not AMD's: hipcc 18-10.rocm6.2.0.el9, beside AMD's rocm-core 7.0.2.70002-56.el9")]),
    ("packages-mixed", "five of the distribution", with_packages(
        ("rocm-core", AMD), *[(name, "5.7.1-1") for name in ("rocminfo", "hipcc", "rccl", "comgr", "rocm-smi")]), (), [
        ("fail", "not AMD's: rocminfo 5.7.1-1, hipcc 5.7.1-1, rccl 5.7.1-1, comgr 5.7.1-1 and 1 more, beside AMD's "
                 f"rocm-core {AMD}")]),
    ("packages-mixed", "the distribution alone", with_packages(("rocm-core", "5.7.1-1"), ("rocminfo", "5.7.1-3build1")), (), []),
    ("packages-pin", "none", pinned(), (), [("warn", "no pin names repo.radeon.com")]),
    ("packages-pin", "a low one", pinned(lk.Preference("f", "*", "release o=repo.radeon.com", 500)), (), [
        ("warn", "the best pin of AMD's packages has priority 500")]),
    ("packages-pin", "of another repository", pinned(lk.Preference("f", "*", "release o=Ubuntu", 900)), (), [
        ("warn", "no pin names repo.radeon.com")]),
    ("packages-pin", "by name", pinned(lk.Preference("f", "rocm-core", "version 7.2.*", 1001)), (), [
        ("pass", "the best pin of AMD's packages has priority 1001")]),
    ("packages-pin", "a source that is off", pinned(enabled=False), (), []),
    ("packages-pin", "the driver's repository alone", pinned(uris=("https://repo.radeon.com/amdgpu/30.30/ubuntu",)), (), []),
    ("packages-pin", "another manager", but(packages={"manager": "dnf"}), (), []),
    ("packages-pin", "not read", but(repositories={"sources": (), "unknown": {"sources": "no root"}}), (), [
        ("unknown", "repositories.sources: no root")]),
    ("packages-pin", "no section", but(repositories=None), (), [("unknown", "section repositories was not looked at")]),
    ("packages-unattended", "on", but(repositories=UNATTENDED), (), [
        ("warn", "unattended upgrades are on, and may change linux-image, amdgpu-dkms")]),
    ("packages-unattended", "on, and the driver held", but(repositories=UNATTENDED, packages={"holds": ("amdgpu-dkms",)}), (), [
        ("warn", "unattended upgrades are on, and may change linux-image")]),
    ("packages-unattended", "on, and both left alone", but(repositories={
        **UNATTENDED, "unattended_blacklist": ("linux-", "^amdgpu.*")}), (), [
        ("pass", "unattended upgrades are on, and leave them alone")]),
    ("packages-unattended", "on, and one kernel of many left alone", but(repositories={
        **UNATTENDED, "unattended_blacklist": ("linux-image-6.8", "(amdgpu", "")}, packages={"holds": ("amdgpu-dkms",)}), (), [
        ("pass", "unattended upgrades are on, and leave them alone")]),
    ("packages-unattended", "on, and another left alone", but(repositories={**UNATTENDED, "unattended_blacklist": ("(amdgpu", "libc6")}),
     (), [("warn", "unattended upgrades are on, and may change linux-image, amdgpu-dkms")]),
    ("packages-unattended", "on, and none of them there", but(with_packages(("vim", "1")), repositories=UNATTENDED), (), [
        ("pass", "unattended upgrades are on, and leave them alone")]),
    ("packages-unattended", "another manager", but(repositories={"unattended_upgrades": None}, packages={"manager": "dnf"}), (), [
        ("unknown", "dnf does not tell")]),
    ("packages-unattended", "unknown, and no packages", but(repositories={"unattended_upgrades": None}, packages=None), (), [
        ("unknown", "repositories.unattended_upgrades is not told")]),
    ("rocm-window", "outside", rocm("6.2.4"), (), [("warn", "ROCm 6.2.4 with driver 30.30.0")]),
    ("rocm-window", "inside, with a build number", rocm("7.0.2-56"), (), [("pass", "ROCm 7.0.2 with driver 30.30.0")]),
    ("rocm-window", "a driver of no release", rocm("7.2.0", "1:6.16.13-2278356.el9"), (), [
        ("unknown", "no compatibility window is known for amdgpu-dkms 1:6.16.13-2278356.el9")]),
    ("rocm-window", "a driver of another grammar", rocm("7.2.0", "22.10"), (), [("unknown", "'22.10' is not a version of amdgpu-dkms")]),
    ("rocm-window", "a ROCm that is not told", rocm("N/A"), (), [("unknown", "which ROCm is active is not told")]),
    ("rocm-window", "a ROCm that was not read", but(rocm={"active": "x", "unknown": {"prefixes": "no root"}}), (), [
        ("unknown", "rocm.prefixes: no root")]),
    ("rocm-window", "no ROCm", but(rocm=None), (), []),
    ("rocm-window", "no driver of AMD's", with_packages(("vim", "1")), (), []),
    ("smi-binding", "apart", but(smi={"mismatch": True, "binding_version": "25.3.0"}), (), [
        ("warn", "binding 25.3.0 loads library 26.2.1")]),
    ("smi-binding", "versions unknown", but(smi={"mismatch": True, "binding_version": None, "library_version": None}), (), [
        ("warn", "binding of unknown version loads library of unknown version")]),
    ("smi-binding", "cannot be told", but(smi={"mismatch": None, "error": "KeyError: libamd_smi.so"}), (), [
        ("unknown", "KeyError: libamd_smi.so")]),
    ("smi-binding", "neither is there", but(smi={"mismatch": None, "binding_path": None, "library_path": None}), (), []),
    ("smi-binding", "no section", but(smi=None), (), [("unknown", "section smi was not looked at")]),
    ("smi-library", "silent", but(smi={"error": "there is no libamd_smi.so"}), (), [
        ("warn", "the GPU library does not answer: there is no libamd_smi.so")]),
    ("smi-library", "answers and tells no version", but(smi={"library_version": None}), (), [
        ("pass", "the GPU library answers, version unknown")]),
    ("smi-library", "silent, and no driver", but(smi={"error": "no"}, driver={"loaded": False}), (), []),
    ("smi-library", "silent, and no ROCm", but(smi={"error": "no"}, rocm={"prefixes": ()}), (), []),
    ("smi-library", "no section", but(rocm=None), (), [("unknown", "sections smi, rocm and driver were not looked at together")]),
]


@pytest.mark.parametrize(("ident", "look", "profiles", "expected"), [(c[0], *c[2:]) for c in CASES],
                         ids=[f"{c[0]}: {c[1]}" for c in CASES])
def test_verdict(ident, look, profiles, expected):
    assert judged(ident, look, profiles or ("bare_metal",)) == expected


def test_a_window_that_nobody_gave_is_unknown():
    assert judged("rocm-window", GOOD, known=Known()) == [
        ("unknown", "no compatibility window is known for amdgpu-dkms 1:6.16.13.30300000-2278356.24.04")]
    assert [w.driver.text for w in KNOWN.windows if w.driver.text == "30.30.x"]
