# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Checks of the driver: built, trusted, loaded, the one that was chosen, and bound to every GPU."""

from __future__ import annotations

import json

from ..formats.dkms import is_built
from ..look import shape as lk
from ..plan.managed import RELEASE_RECORD
from .values import Values
from .view import IN_TREE, Result, UnseenError, View

PACKAGE = "amdgpu-dkms"
MODULE = "amdgpu"


def uses_dkms(view: View) -> bool:
    """Whether AMD's driver is meant to be there: its package or its source is, whether it was built or not."""
    if any(m.module == MODULE for m in (view.look.dkms.modules if view.look.dkms else ())):
        return True
    return any(p.name == PACKAGE for p in view.known(view.packages.installed, "packages.installed"))


def loaded_kind(driver: lk.Driver) -> str | None:
    """Which driver is loaded: dkms, in_tree; None if none is. AMD's module has a version, the kernel's own has none."""
    if not driver.loaded:
        return None
    return "in_tree" if driver.version is None or driver.version.startswith(IN_TREE) else "dkms"


def build_running(view: View, _want: Values) -> Result | None:
    """Whether the running kernel has a build of the driver."""
    return _build(view, view.known(view.kernel.running, "kernel.running"))


def build_next(view: View, _want: Values) -> Result | None:
    """Whether the kernel that boots next has a build of the driver, if it is another one."""
    return None if view.next_kernel == view.kernel.running else _build(view, view.next_kernel)


def _build(view: View, kernel: str) -> Result | None:
    if not uses_dkms(view):
        return None
    wanted, driver, dkms = f"a build of amdgpu-dkms for kernel {kernel}", view.look.driver, view.look.dkms
    lines = [m for m in (dkms.modules if dkms else ()) if m.module == MODULE and m.kernel in (kernel, None)]
    disk = next((d for d in (driver.on_disk if driver else ()) if d.kernel == kernel), None)
    if disk and disk.kind == "dkms":
        return Result(True, wanted, f"kernel {kernel} has amdgpu {disk.version or 'of an unknown version'} from DKMS")
    if driver is None or (not driver.on_disk and "on_disk" in driver.unknown):
        if dkms is None or "modules" in dkms.unknown:
            view.known(view.driver.on_disk, "driver.on_disk")  # which says why it was not seen
        if any(is_built(line) for line in lines):
            return Result(True, wanted, f"DKMS says that amdgpu is installed for kernel {kernel}")
    said = ", ".join(sorted({" ".join((m.state, *m.flags)) for m in lines}))
    own = "; it would load the kernel's own amdgpu" if disk else ""
    return Result(False, wanted, f"kernel {kernel} has no amdgpu build{f' (DKMS: {said})' if said else ''}{own}")


def loaded(view: View, want: Values) -> Result | None:
    """Whether a driver is loaded where there are GPUs for it."""
    if want.text("loaded") == "no" or not view.gpus:
        return None
    is_loaded = view.known(view.driver.loaded, "driver.loaded")
    live = view.driver.initstate in (None, "live")
    seen = "amdgpu is loaded" if live else f"amdgpu is loaded and still {view.driver.initstate}"
    return Result(is_loaded and live, "amdgpu loaded", seen if is_loaded else "amdgpu is not loaded")


def selected(view: View, _want: Values) -> Result | None:
    """Whether the loaded driver is the one that is installed for the running kernel."""
    driver = view.driver
    if not driver.loaded:
        return None
    kernel = view.known(view.kernel.running, "kernel.running")
    disk = next((d for d in view.known(driver.on_disk, "driver.on_disk") if d.kernel == kernel), None)
    if disk is None:
        raise UnseenError(f"no amdgpu on disk for kernel {kernel} was seen")
    wanted = f"the amdgpu that is installed for kernel {kernel} ({_words(disk.kind)}) is the loaded one"
    kind = loaded_kind(driver)
    if disk.kind == "dkms" and kind == "in_tree":
        if "version" in driver.unknown:
            raise UnseenError(f"driver.version: {driver.unknown['version']}")
        return Result(False, wanted, "DKMS says installed, and the kernel's own amdgpu is the loaded one")
    if driver.loaded_is_on_disk is None and kind == "in_tree":
        return Result(True, wanted, "the kernel's own amdgpu is loaded")
    same = view.known(driver.loaded_is_on_disk, "driver.loaded_is_on_disk")
    return Result(same, wanted, f"the loaded amdgpu {driver.version or ''} is {'' if same else 'not '}the installed one"
                  .replace("  ", " "))


def kind(view: View, _want: Values) -> Result | None:
    """Whether AMD's driver is the loaded one, where its package is installed."""
    driver = view.driver
    found = loaded_kind(driver)
    if found is None:
        return None
    if "version" in driver.unknown:
        raise UnseenError(f"driver.version: {driver.unknown['version']}")
    if not uses_dkms(view):
        return Result(True, "no other driver than the installed one",
                      f"{_words(found)} is loaded, and {PACKAGE} is not installed")
    seen = _words(found) + (f" ({driver.version})" if found == "dkms" else "")
    return Result(found == "dkms", "AMD's driver, whose package is installed", f"{seen} is loaded")


def _words(kind_of: str) -> str:
    return {"dkms": "AMD's amdgpu", "in_tree": "the kernel's own amdgpu"}.get(kind_of, "amdgpu of unknown make")


def blacklist(view: View, want: Values) -> Result | None:
    """Whether the driver may load at boot, or may not where virtual machines get the GPUs."""
    driver, wanted = view.driver, want.text("blacklisted") == "yes"
    files = view.known(driver.blacklisted_by, "driver.blacklisted_by")
    by = ", ".join(files)
    if wanted:
        return Result(bool(by), "amdgpu blacklisted, so that virtual machines get the GPUs",
                      f"amdgpu is blacklisted by {by}" if by else "nothing keeps amdgpu from loading at boot")
    words = "amdgpu loads at boot, or something loads it afterwards"
    if not by:
        return Result(True, words, "nothing blacklists amdgpu")
    is_loaded = view.known(driver.loaded, "driver.loaded")
    afterwards = "was loaded after boot" if is_loaded else "nothing has loaded it"
    return Result(is_loaded, words, f"amdgpu is blacklisted by {by}, and {afterwards}")


def signature(view: View, _want: Values) -> Result | None:
    """Whether the kernel trusts the driver that DKMS built, where it asks for signatures."""
    if not uses_dkms(view):
        return None
    asking = _asks_for_signatures(view)
    if not asking:
        return Result(True, "a driver that the kernel may load", "the kernel takes modules without a signature")
    kernel = view.next_kernel
    disk = next((d for d in view.driver.on_disk if d.kernel == kernel and d.kind == "dkms"), None)
    wanted = f"the driver for kernel {kernel} signed with a key that {asking} trusts"
    if kernel == view.kernel.running and view.driver.loaded_is_on_disk and loaded_kind(view.driver) == "dkms":
        return Result(True, wanted, f"{asking} is on, and let the driver load")
    enrolled, key = view.known(view.boot.key_enrolled, "boot.key_enrolled"), view.boot.key_name
    if not enrolled:
        return Result(False, wanted, f"{asking} is on and does not trust the key with which DKMS signs "
                      f"({key or 'not made yet'})")
    if disk and disk.signer != key:
        return Result(False, wanted, f"{disk.path} is signed by {disk.signer or 'nobody'}, and {asking} trusts {key}")
    return Result(True, wanted, f"{asking} is on and trusts {key}")


def _asks_for_signatures(view: View) -> str:
    """What asks for signatures; empty if nothing does."""
    if view.kernel.secure_boot:
        return "Secure Boot"
    lockdown = view.look.boot.lockdown if view.look.boot else None
    if lockdown not in (None, "none"):
        return f"lockdown ({lockdown})"
    view.known(view.kernel.secure_boot, "kernel.secure_boot")
    return ""


def bound(view: View, gpu: lk.Gpu, want: Values) -> Result:
    """Whether a GPU is driven by the right driver."""
    drivers = want.texts("drivers")
    why = view.why("gpus", f"{gpu.bdf}.driver")
    if why:
        raise UnseenError(why)
    return Result(gpu.driver in drivers, f"bound to {' or '.join(drivers)}",
                  f"{gpu.bdf} is bound to {gpu.driver or 'no driver'}")


def compute(view: View, gpu: lk.Gpu, _want: Values) -> Result | None:
    """Whether the compute driver (KFD) knows a GPU that amdgpu drives."""
    if gpu.driver != MODULE:
        return None
    why = view.why("gpus", "partitions") or view.why("gpus", f"{gpu.bdf}.partitions")
    if not gpu.partitions and why:
        raise UnseenError(why)
    return Result(bool(gpu.partitions), "a compute node (KFD) for the GPU",
                  f"{gpu.bdf} has {len(gpu.partitions) or 'no'} compute node{'' if len(gpu.partitions) == 1 else 's'}")


def recorded(view: View, _want: Values) -> Result | None:
    """Whether as many GPUs are on the bus as the node's own record says."""
    files = view.look.files.files if view.look.files else ()
    record = next((f.text for f in files if f.path == RELEASE_RECORD and f.text), None)
    try:
        before = json.loads(record or "{}").get("gpus")
    except (ValueError, AttributeError):
        return None  # the record says nothing
    if not isinstance(before, int) or isinstance(before, bool) or before < 1:
        return None
    there = len(view.gpus)
    return Result(there >= before, f"as many GPUs on the PCI bus as recorded ({before})",
                  f"GPUs on the PCI bus: {there}, recorded: {before}")


def parameter(view: View, want: Values) -> Result | None:
    """Whether a parameter of the loaded driver has one of the values that are right."""
    name, allowed = want.text("name"), want.texts("allowed")
    if not view.driver.loaded:
        return None
    given = view.known(view.driver.parameters, "driver.parameters").get(name)
    if given is None:
        return None  # this driver has no such parameter
    return Result(given in allowed, f"amdgpu.{name} {' or '.join(allowed)}", f"amdgpu.{name} is {given}")
