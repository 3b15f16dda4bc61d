# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes with rpm as values, a RHEL 9 and a SLES 15, the releases for them, and what the steps of a plan do there.

The effects are those of dnf 4.14, its versionlock plugin and zypper 1.14, seen on imitations of such nodes.
"""

from __future__ import annotations

import dataclasses as dc
import re

from ansible_collections.instinct.fleet.plugins.module_utils._core.formats import rpm
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.driver import DriverPolicy, plan_driver
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.plan import Plan, Step
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.resolved import (
    Resolved,
    ResolvedDriver,
    ResolvedKernel,
    ResolvedKey,
    ResolvedOs,
    ResolvedRepository,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.versions import parse_driver_package

from . import releases, world

EL, EL_NEWER = "5.14.0-570.12.1.el9_6.x86_64", "5.14.0-570.58.1.el9_6.x86_64"
SLES, SLES_NEWER = "6.4.0-150700.51-default", "6.4.0-150700.53.3-default"
MACHINE = "5f3a5e6bd3f64a6f9b1c8e0a7d2b4c61"
MENU = "Advanced options for SLES 15-SP7>SLES 15-SP7, with Linux "
KEYS = "/etc/pki/rpm-gpg/RPM-GPG-KEY-instinct-radeon"
# What a package of a kernel brings along in its own version. source: kernel.spec of CentOS Stream 9 and of SLE 15
_BRINGS = {"kernel-core": "kernel-modules-core", "kernel-modules": "kernel-modules-core", "kernel-default-devel": "kernel-devel"}
_NAMES = {"dnf": ("kernel-core", "kernel-modules", "kernel-devel", "kernel-devel-matched"), "zypper": ("kernel-default", "kernel-default-devel")}


def package(name: str, version: str, architecture: str = "x86_64") -> lk.Package:
    """One installed package."""
    return lk.Package(name, version, architecture, "installed")


def entry(manager: str, kernel: str) -> str:
    """How the boot loader calls a kernel."""
    return f"{MACHINE}-{kernel}" if manager == "dnf" else MENU + kernel


def version_of(manager: str, kernel: str) -> str:
    """Version of a kernel's packages: SLES rebuilds them without telling the kernel."""
    return kernel.removesuffix(".x86_64") if manager == "dnf" else kernel.removesuffix("-default") + ".1"


def _node(manager: str, os: lk.Os, kernel: str, installed: tuple[lk.Package, ...], obeys: bool) -> lk.Look:
    bare = world.bare_node(kernel)
    assert bare.kernel and bare.boot
    return dc.replace(
        bare, os=os, packages=lk.Packages(manager, installed, obeys_holds=obeys),
        repositories=lk.Repositories(keyrings=(lk.Key("rpm", ()),)), boot=dc.replace(bare.boot, tool="dracut"),
        kernel=dc.replace(bare.kernel, boot_entries={kernel: entry(manager, kernel)}, boots_saved=True))


def el_node(kernel: str = EL) -> lk.Look:
    """A freshly installed RHEL 9: one kernel without headers, no dkms, no plugin that obeys locks."""
    names = ("kernel", "kernel-core", "kernel-modules", "kernel-modules-core")
    os = lk.Os(id="rhel", version_id="9.6", point_version="9.6", architecture="x86_64", root=True)
    return _node("dnf", os, kernel, tuple(package(n, version_of("dnf", kernel)) for n in names), obeys=False)


def sles_node(kernel: str = SLES) -> lk.Look:
    """A freshly installed SLES 15."""
    os = lk.Os(id="sles", version_id="15.7", point_version="15.7", architecture="x86_64", root=True)
    return _node("zypper", os, kernel, (package("kernel-default", version_of("zypper", kernel)),), obeys=True)


def release(manager: str, name: str, kernel: str | None = None, source: str = "dkms") -> Resolved:
    """One of the releases for a RHEL 9.6 or a SLES 15.7 node with eight MI300X."""
    number, module, build, code, _firmware = releases.RELEASES[name]
    rocm = name.split("-")[1]
    dist, base = (".el9", "el9") if manager == "dnf" else ("", "zyp")
    kernel = kernel or (EL if manager == "dnf" else SLES)
    build_of = kernel if manager == "dnf" else kernel.removesuffix("-default")
    driver = ResolvedDriver("dkms", number, module, build, f"{module}-{build}{dist}", {
        "amdgpu-dkms": f"1:{module}-{build}{dist}", "amdgpu-dkms-firmware": f"{number}.0.{code}-{build}{dist}"})
    uris = {"amdgpu": f"https://repo.radeon.com/amdgpu/{number}/x/main/x86_64/", "rocm": f"https://repo.radeon.com/rocm/{base}/{rocm}/main"}
    in_tree = ("linux-firmware",) if source == "in_tree" else ()
    return dc.replace(
        releases.release(name), os=ResolvedOs("rhel", "9.6", "dnf") if manager == "dnf" else ResolvedOs("sles", "15.7", "zypper"),
        driver=driver if source == "dkms" else ResolvedDriver("in_tree"),
        kernel=ResolvedKernel(kernel, (), (*(f"{n}-{build_of}" for n in _NAMES[manager]), *in_tree)),
        repositories=tuple(
            ResolvedRepository(n, ("rpm",), uri, "", (), ("x86_64",), "radeon", None, (f"https://repo.radeon.com/{n}/",))
            for n, uri in uris.items() if source == "dkms" or n == "rocm"),
        keys={"radeon": ResolvedKey("https://repo.radeon.com/rocm/rocm.gpg.key", releases.FINGERPRINT, KEYS)})


def carry_out(node: lk.Look, plan: Plan) -> lk.Look:
    """The node after all steps of a plan."""
    for step in plan.steps:
        node = EFFECTS[step.action](node, step)
    return node


def _key(node: lk.Look, step: Step) -> lk.Look:
    """The file is written; where zypper asks, rpm imports it too."""
    old = {k.path: k for k in node.repositories.keyrings}
    new = lk.Key(step.data["path"], (step.data["fingerprint"],))
    imported = old["rpm"] if node.packages.manager == "dnf" else lk.Key("rpm", (*old["rpm"].fingerprints, *new.fingerprints))
    keys = {**old, new.path: new, "rpm": imported}
    return dc.replace(node, repositories=dc.replace(node.repositories, keyrings=tuple(keys.values())))


def _parse(manager: str, text: str) -> lk.Package:
    """The package that the manager takes for this request."""
    if manager == "zypper":
        name, _equals, version = text.partition("=")
        kernel = f"{version}.1" if name.startswith("kernel-") else version
        return package(name, kernel or "1-1")
    return rpm.parse_nevra(text) if re.search(r"-\d", text) else package(text, "1-1")


def _install(node: lk.Look, step: Step) -> lk.Look:
    manager, packages = node.packages.manager, list(node.packages.installed)
    for item in step.data["packages"]:
        asked = dc.replace(_parse(manager, item), architecture="x86_64")
        brought = [dc.replace(asked, name=_BRINGS[asked.name])] if asked.name in _BRINGS else []
        for new in (asked, *(p for p in brought if p not in packages)):
            assert new.name not in node.packages.holds, f"{manager} does not touch the locked package {new.name}"
            if not rpm.BESIDE.match(new.name):
                packages = [p for p in packages if p.name != new.name]
            packages.append(new)
    node = dc.replace(node, packages=dc.replace(node.packages, installed=tuple(packages)))
    for p in packages:
        if p.name == ("kernel-devel" if manager == "dnf" else "kernel-default-devel"):
            release_ = p.version + ".x86_64" if manager == "dnf" else re.sub(r"\.1$", "", p.version) + "-default"
            node = _with_kernel(node, release_)
    driver = next((p for p in packages if p.name == "amdgpu-dkms"), None)
    if driver and "amdgpu-dkms" in step.data["names"]:
        node = world._dkms_installed(node, parse_driver_package(driver.version).dkms_version)
    return node


def _with_kernel(node: lk.Look, kernel: str) -> lk.Look:
    """Installed with headers, in the menu, and the default from now on: what kernel-install does."""
    known = kernel in {k.release for k in node.kernel.installed}
    node = world._kernel_installed(node, kernel)
    entries = {**node.kernel.boot_entries, kernel: entry(node.packages.manager, kernel)}
    was = node.kernel.next_boot if known else kernel
    return dc.replace(node, kernel=dc.replace(node.kernel, boot_entries=entries, next_boot=was))


def _tools(node: lk.Look, step: Step) -> lk.Look:
    """On RHEL dkms brings the newest kernel-devel-matched with its kernel, where nobody names another."""
    asked = [name.rpartition("-1:")[0] or re.split(r"-\d", name)[0] for name in step.data["packages"]]
    if node.packages.manager == "dnf" and "dkms" in asked and "kernel-devel-matched" not in (
            *asked, *(p.name for p in node.packages.installed)):
        newest = ["kernel-core", "kernel-devel", "kernel-devel-matched"]
        node = _install(node, dc.replace(step, data={
            "packages": [f"{n}-{EL_NEWER}" for n in newest], "names": newest}))
    node = _install(node, step)
    return dc.replace(node, packages=dc.replace(node.packages, obeys_holds=True))


def _hold(node: lk.Look, step: Step) -> lk.Look:
    assert node.packages.obeys_holds
    assert set(step.data["packages"]) <= {p.name for p in node.packages.installed}
    also = {p.name for p in node.packages.installed} & set(step.data["also"])
    held = set(node.packages.holds) | set(step.data["packages"]) | also
    left = tuple(n for n in node.packages.misheld if n not in step.data["packages"])
    return dc.replace(node, packages=dc.replace(node.packages, holds=tuple(sorted(held)), misheld=left))


def _unhold(node: lk.Look, step: Step) -> lk.Look:
    held = set(node.packages.holds) - set(step.data["packages"])
    return dc.replace(node, packages=dc.replace(node.packages, holds=tuple(sorted(held))))


def _remove(node: lk.Look, step: Step) -> lk.Look:
    left = tuple(p for p in node.packages.installed if p.name not in step.data["packages"])
    gone = world._remove(node, step)
    return dc.replace(gone, packages=dc.replace(node.packages, installed=left))


def _boot(node: lk.Look, step: Step) -> lk.Look:
    assert step.after in node.kernel.boot_entries
    return dc.replace(node, kernel=dc.replace(node.kernel, next_boot=step.after))


def _repair(node: lk.Look, step: Step) -> lk.Look:
    left = tuple(p for p in node.packages.installed if p.state == "installed")
    return dc.replace(node, packages=dc.replace(node.packages, installed=left, broken=()))


EFFECTS = {**world._EFFECTS, "key": _key, "install": _install, "tools": _tools, "hold": _hold, "unhold": _unhold,
           "remove": _remove, "boot": _boot, "repair": _repair}


RELOAD = DriverPolicy(reload_allowed=True)
NODES = {"dnf": el_node, "zypper": sles_node}


def settled(manager: str, name: str = "rocm-7.0.2") -> lk.Look:
    """A node that was brought to a release."""
    node = NODES[manager]()
    return carry_out(node, plan_driver(node, release(manager, name), RELOAD))
