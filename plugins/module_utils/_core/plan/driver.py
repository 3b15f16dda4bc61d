# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""From (release wanted, node seen) to the steps of gpu_driver.

An empty plan without reboot and problems is the proof that the driver is right: package, DKMS state, module on disk,
loaded module, pins and holds were each compared.
"""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..look.whole import WholeLook
from . import packaging
from .driver_load import loading_problems, plan_loading
from .driver_seen import DRIVER_PACKAGES, Seen, refuse_unknown_driver
from .plan import Plan, Step
from .steps import WantedFile, file_steps, install_step, installed, key_steps, refuse_held, repair_step, source_steps

if t.TYPE_CHECKING:
    from ..release.resolved import Resolved

ROLE = "gpu_driver"


@dc.dataclass(frozen=True)
class DriverPolicy:
    """What the site allows: see the argument specification of gpu_driver."""

    reload_allowed: bool = False
    hold: bool = True
    restrict_unattended: bool = True


def plan_driver(look: WholeLook, wanted: Resolved, policy: DriverPolicy) -> Plan:
    """The plan of gpu_driver.

    Raises:
        FleetError: the node runs a driver of unknown origin, or another hand holds what must change.
    """
    refuse_unknown_driver(look)
    seen = Seen.of(look, wanted)
    packages = _dkms_steps(look, wanted, seen) if seen.source == "dkms" else _in_tree_steps(look, wanted, seen)
    packages = packaging.with_hold_tools(look, packages, policy.hold)
    want_held = _want_held(look, wanted, seen) if policy.hold else _held_before(look, packages)
    module_changes = any(s.action in ("install", "build", "remove", "forget") for s in packages)
    boot = packaging.boot_files(look, seen.kernel)
    steps = [
        *_key_steps(look, wanted, seen),
        *source_steps(look, wanted, "amdgpu"),
        *file_steps(look, _package_files(wanted, seen, policy)),
        *repair_step(look, [s for s in packages if s.action in ("tools", "install", "remove")]),
        *(_with_holds_lifted(look, packages)),
        *_hold_steps(look, want_held, packages),
        *_boot_steps(look, seen, file_steps(look, boot)),
    ]
    loading = plan_loading(look, seen, module_changes, policy.reload_allowed)
    return Plan(ROLE, (*steps, *loading.steps), reboot=loading.reboot, reload=loading.reload,
                notes=_notes(look, wanted, seen, policy),
                problems=(*loading_problems(look, seen), *_half_done(look, packages)),
                held=tuple(sorted(want_held)) if policy.hold else ())


def _key_steps(look: WholeLook, wanted: Resolved, seen: Seen) -> tuple[Step, ...]:
    if seen.source != "dkms":
        return ()
    return key_steps(look, [wanted.keys[r.key] for r in wanted.repositories if r.name == "amdgpu"])


def _package_files(wanted: Resolved, seen: Seen, policy: DriverPolicy) -> list[WantedFile]:
    files = packaging.unattended_files(wanted.os.manager, policy.restrict_unattended)
    if seen.source != "dkms":
        return files + packaging.no_source_files("amdgpu")
    return files + packaging.source_files(wanted, "amdgpu", wanted.driver.packages)


def _dkms_steps(look: WholeLook, wanted: Resolved, seen: Seen) -> list[Step]:
    """Tools, a build on trial, one transaction for kernel and driver, the build for the kernel that boots, clean-up."""
    version = wanted.driver.dkms_version
    install = install_step(look, _kernel(wanted) | dict(wanted.driver.packages))
    steps: list[Step] = []
    if install or not seen.built:
        steps.append(Step("refresh", "refresh the package lists"))
        if "dkms" not in installed(look):
            refuse_held(look, ["dkms"], "the driver cannot be built without it")
            steps.append(Step("tools", "install dkms and its compiler", after="dkms", data={"packages": ["dkms"]}))
    if not seen.built and packaging.tries_builds(wanted.os.manager):
        steps.append(Step(
            "trial", f"build amdgpu {version} on trial for {', '.join(seen.trial_kernels)}",
            data={"package": "amdgpu-dkms", "version": wanted.driver.packages["amdgpu-dkms"],
                  "kernels": list(seen.trial_kernels)}))
    steps += install
    if not seen.built:
        steps.append(Step("build", f"build amdgpu {version} for {seen.kernel}", before=seen.dkms_line,
                          after=f"amdgpu/{version}, {seen.kernel}: installed",
                          data={"version": version, "kernel": seen.kernel}))
    return steps + _forget_steps(seen)


def _kernel(wanted: Resolved) -> dict[str, str]:
    return packaging.kernel_packages(wanted.os.manager, wanted.kernel.packages)


def _in_tree_steps(look: WholeLook, wanted: Resolved, seen: Seen) -> list[Step]:
    """The kernel and the firmware that its own driver needs come before AMD's packages go."""
    install = install_step(look, _kernel(wanted))
    have = [p.name for p in look.packages.installed if p.name in DRIVER_PACKAGES]
    remove = [Step("remove", "remove " + ", ".join(have), before="\n".join(have), data={"packages": have})]
    refresh = [Step("refresh", "refresh the package lists")] if install else []
    return [*refresh, *install, *(remove if have else []), *_forget_steps(seen)]


def _forget_steps(seen: Seen) -> list[Step]:
    """DKMS versions that the package manager does not take away by itself."""
    return [Step("forget", f"remove amdgpu {version} from DKMS", before=f"amdgpu/{version}", data={"version": version})
            for version in seen.stale]


def _with_holds_lifted(look: WholeLook, packages: list[Step]) -> list[Step]:
    """Our own holds stand in the way of our own change: lift them just before it."""
    touched = {name for s in packages if s.action in ("install", "remove")
               for name in s.data.get("names", s.data["packages"])}
    held = sorted(touched & set(look.packages.holds))
    if not held:
        return packages
    lift = Step("unhold", "lift the hold of " + ", ".join(held), before="\n".join(held), data={"packages": held})
    first = next(i for i, s in enumerate(packages) if s.action in ("install", "remove"))
    return [*packages[:first], lift, *packages[first:]]


def _want_held(look: WholeLook, wanted: Resolved, seen: Seen) -> set[str]:
    """Driver and kernel are held together: the one without the other is a node that does not come up."""
    return packaging.held_kernels(look, seen.kernel) | set(_kernel(wanted)) | set(wanted.driver.packages)


def _held_before(look: WholeLook, packages: list[Step]) -> set[str]:
    """What was held and is changed all the same: the hold comes back, whoever set it."""
    return {name for s in packages if s.action == "install" for name in s.data["names"]} & set(look.packages.holds)


def _hold_steps(look: WholeLook, want: set[str], packages: list[Step]) -> list[Step]:
    lifted = {name for s in packages if s.action == "install" for name in s.data["names"]}
    missing = sorted(want - (set(look.packages.holds) - set(look.packages.misheld) - lifted))
    if not missing:
        return []
    return [Step("hold", "hold " + ", ".join(missing), after="\n".join(missing), data={"packages": missing})]


def _boot_steps(look: WholeLook, seen: Seen, files: tuple[Step, ...]) -> list[Step]:
    if not files and (look.kernel.next_boot == seen.kernel or not look.kernel.boot_entries):
        return []
    named = [dc.replace(s, action="boot_file") for s in files]
    return [*named, Step("boot", f"make {seen.kernel} the kernel that boots", before=look.kernel.next_boot or "unknown",
                         after=seen.kernel, data=packaging.boot_data(look, seen.kernel))]


def _half_done(look: WholeLook, packages: list[Step]) -> tuple[str, ...]:
    """Kernels that dpkg did not finish, if no step of the plan does: the package manager fails for everybody."""
    half = [f"{p.name} ({p.state})" for p in look.packages.broken if packaging.is_kernel(p.name)]
    if not half or any(s.action in ("install", "remove") for s in packages):
        return ()
    return (f"dpkg has not finished {', '.join(half)}; remove them, or run dpkg --configure -a",)


def _notes(look: WholeLook, wanted: Resolved, seen: Seen, policy: DriverPolicy) -> tuple[str, ...]:
    notes = [*wanted.notes, *packaging.unattended_notes(look, policy.restrict_unattended, policy.hold)]
    if seen.source == "dkms" and not seen.built and not packaging.tries_builds(wanted.os.manager):
        notes.append(f"the driver is not built on trial before it is installed: {wanted.os.manager} cannot do that yet")
    if not look.kernel.boot_entries:
        notes.append(f"no GRUB menu was read: whether {seen.kernel} boots next is unknown")
    if look.driver.blacklisted_by and look.gpus.gpus:
        notes.append("amdgpu is blacklisted by " + ", ".join(look.driver.blacklisted_by) + ": it will not load at boot")
    return tuple(notes)
