# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Packages, DKMS and holds: from what is there to what the release wants, with a working module on the way.

Nothing of the old driver is touched before the new one was built on trial.
"""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..errors import DataError
from ..look.whole import WholeLook
from . import packaging
from .driver_adopt import ADOPTED, Foreign, adopt_steps
from .driver_seen import DRIVER_PACKAGES, Seen
from .plan import Step
from .record import recorded
from .steps import install_step, installed, refuse_held, spec

if t.TYPE_CHECKING:
    from ..release.resolved import Resolved

# Steps that change the module on disk, and those for which the package manager must be whole.
CHANGES = ("evict", "adopt", "install", "reinstall", "build", "remove")
TRANSACTIONS = ("tools", "install", "reinstall", "remove", "evict")


def package_steps(look: WholeLook, wanted: Resolved, seen: Seen, foreign: Foreign) -> list[Step]:
    """The steps of the source that the release wants, without holds.

    Raises:
        FleetError: another hand holds what must change.
    """
    return _dkms_steps(look, wanted, seen, foreign) if seen.source == "dkms" else _in_tree_steps(
        look, wanted, seen, foreign)


def _dkms_steps(look: WholeLook, wanted: Resolved, seen: Seen, foreign: Foreign) -> list[Step]:
    """Tools, a build on trial, one transaction for kernel and driver, the build for the kernel that boots, clean-up."""
    version = wanted.driver.dkms_version
    install = install_step(look, _kernel(wanted) | dict(wanted.driver.packages))
    again = _reinstall_steps(wanted, seen, install)
    steps: list[Step] = []
    if install or again or not seen.built:
        steps.append(Step("refresh", "refresh the package lists"))
        if "dkms" not in installed(look):
            refuse_held(look, ["dkms"], "the driver cannot be built without it")
            with_kernel = packaging.kernel_with_dkms(wanted.os.manager, _kernel(wanted))
            steps.append(_tools_step(install_step(look, with_kernel)))
            install = install_step(look, {n: v for n, v in _kernel(wanted).items() if n not in with_kernel}
                                   | dict(wanted.driver.packages))
    # Scripts of the package take the driver away first, build it for kernels that have headers, and stop at the first
    # that fails.
    scripts = bool(again) or any("amdgpu-dkms" in s.data["names"] for s in install)
    if (scripts or not seen.built) and packaging.tries_builds(wanted.os.manager):
        kernels = list(seen.trial_kernels) if scripts else [seen.kernel]
        steps.append(Step(
            "trial", f"build amdgpu {version} on trial for {', '.join(kernels)}",
            data={"package": "amdgpu-dkms", "version": wanted.driver.packages["amdgpu-dkms"], "kernels": kernels}))
    steps += [*adopt_steps(foreign, version), *_mend_steps(seen), *install, *again]
    if not seen.built:
        steps.append(Step("build", f"build amdgpu {version} for {seen.kernel}", before=seen.dkms_line,
                          after=f"amdgpu/{version}, {seen.kernel}: installed",
                          data={"version": version, "kernel": seen.kernel, "force": seen.forced}))
    return steps + _forget_steps(seen, foreign)


def _tools_step(kernel: tuple[Step, ...]) -> Step:
    """dkms, in one transaction with the parts of the wanted kernel that it would bring of another."""
    packages = ["dkms", *(text for s in kernel for text in s.data["packages"])]
    names = ["dkms", *(name for s in kernel for name in s.data["names"])]
    words = "".join(f", with {s.words.removeprefix('install ')}" for s in kernel)
    return Step("tools", f"install dkms and its compiler{words}", after="\n".join(("dkms", *(s.after for s in kernel))),
                data={"packages": packages, "names": names})


def trial_first(packages: list[Step], files: t.Sequence[Step]) -> tuple[list[Step], list[Step]]:
    """The trial build and its tools, which come before the release's sources and pins are written: a release whose
    driver does not build leaves nothing behind. The trial takes them for written.
    """
    number = next((i for i, s in enumerate(packages) if s.action == "trial"), None)
    if number is None:
        return [], packages
    before, trial, after = packages[:number], packages[number], packages[number + 1:]
    data = {**trial.data, "files": [dict(s.data) for s in files if s.action == "file"],
            "keys": [dict(s.data) for s in files if s.action == "key"]}
    tools = before if any(s.action == "tools" for s in before) else []
    refresh = [Step("refresh", "refresh the package lists of the release")] if any(
        s.action in ("install", "reinstall") for s in after) else []
    return [*tools, dc.replace(trial, data=data)], [*refresh, *after]


def _in_tree_steps(look: WholeLook, wanted: Resolved, seen: Seen, foreign: Foreign) -> list[Step]:
    """The kernel and the firmware that its own driver needs come before AMD's packages go."""
    install = install_step(look, _kernel(wanted))
    have = [p.name for p in look.packages.installed if p.name in DRIVER_PACKAGES]
    remove = [Step("remove", "remove " + ", ".join(have), before="\n".join(have), data={"packages": have})]
    refresh = [Step("refresh", "refresh the package lists")] if install else []
    return [*refresh, *adopt_steps(foreign, None), *_mend_steps(seen), *install, *(remove if have else []),
            *_forget_steps(seen, foreign)]


def _kernel(wanted: Resolved) -> dict[str, str]:
    return packaging.kernel_packages(wanted.os.manager, wanted.kernel.packages)


def _mend_steps(seen: Seen) -> list[Step]:
    """Trees without source: scripts of packages fail at them, so they go first. Their modules stay on disk."""
    return [Step("mend", f"remove the tree of amdgpu {version} from DKMS, which has lost its source",
                 before=f"amdgpu/{version}: broken", data={"version": version}) for version in seen.broken]


def _reinstall_steps(wanted: Resolved, seen: Seen, install: tuple[Step, ...]) -> list[Step]:
    """The package whose source is gone, unless a transaction brings it anyway."""
    name = "amdgpu-dkms"
    brought = any(name in s.data["names"] for s in install)
    if not (seen.sourceless or wanted.driver.dkms_version in seen.broken) or brought:
        return []
    version = wanted.driver.packages[name]
    return [Step("reinstall", f"install {name} {version} again, whose source is gone", after=f"{name} {version}",
                 data={"packages": [spec(wanted.os.manager, name, version)], "names": [name]})]


def aside_steps(look: WholeLook, seen: Seen, packages: t.Sequence[Step]) -> list[Step]:
    """What DKMS installed and knows no more of, before scripts of the package run: they stop at one that is not older
    than theirs, where it is the only amdgpu of its kernel. Its successor was built on trial by then.
    source: dell/dkms 3.0.9 and later, functions check_version_sanity and do_install
    """
    names = {p.name for p in look.packages.broken}.union(*(s.data.get("names", ()) for s in packages))
    scripts = "amdgpu-dkms" in names
    if not seen.orphans or not scripts:
        return []
    return [Step("aside", f"move {', '.join(seen.orphans)} to {ADOPTED}, which DKMS knows no more of",
                 before="\n".join(seen.orphans), data={"modules": list(seen.orphans)})]


def _forget_steps(seen: Seen, foreign: Foreign) -> list[Step]:
    """DKMS versions that the package manager does not take away by itself."""
    return [Step("forget", f"remove amdgpu {version} from DKMS", before=f"amdgpu/{version}", data={"version": version})
            for version in seen.stale if version not in foreign.versions]


def lift_holds(look: WholeLook, packages: list[Step]) -> list[Step]:
    """The steps with our own holds, which stand in the way of our own change, lifted just before it."""
    touching = ("tools", "install", "reinstall", "remove", "evict")
    touched = {name for s in packages if s.action in touching for name in s.data.get("names", s.data["packages"])}
    held = sorted((touched | packaging.moved_with(look, _installing(packages))) & set(look.packages.holds))
    if not held:
        return packages
    lift = Step("unhold", "lift the hold of " + ", ".join(held), before="\n".join(held), data={"packages": held})
    first = next(i for i, s in enumerate(packages) if s.action in touching)
    return [*packages[:first], lift, *packages[first:]]


def want_held(look: WholeLook, wanted: Resolved, seen: Seen) -> set[str]:
    """Driver and kernel are held together: the one without the other is a node that does not come up."""
    return packaging.held_kernels(look, seen.kernel) | set(_kernel(wanted)) | set(wanted.driver.packages)


def _installing(packages: list[Step]) -> set[str]:
    return {name for s in packages if s.action in ("tools", "install", "reinstall") for name in s.data["names"]}


def held_before(look: WholeLook, packages: list[Step]) -> set[str]:
    """What was held and is changed all the same: the hold comes back, whoever set it."""
    changed = _installing(packages)
    return (changed | packaging.moved_with(look, changed)) & set(look.packages.holds)


def hold_steps(look: WholeLook, want: set[str], packages: list[Step]) -> list[Step]:
    """Hold what is to be held, and let go of what only an earlier release of ours held.

    ``also``: what the packages may bring of a kernel, and what is held if it comes.
    """
    changed = _installing(packages)
    lifted = changed | packaging.moved_with(look, changed)
    missing = sorted(want - (set(look.packages.holds) - set(look.packages.misheld) - lifted))
    let_go = sorted((_held_by_us(look) & set(look.packages.holds)) - want)
    steps = []
    if let_go:
        steps.append(Step("let_go", "let go of " + ", ".join(let_go) + ", which an earlier release held",
                          before="\n".join(let_go), data={"packages": let_go}))
    if missing:
        steps.append(Step("hold", "hold " + ", ".join(missing), after="\n".join(missing),
                          data={"packages": missing, "also": _also(look, want, packages)}))
    return steps


def _also(look: WholeLook, want: set[str], packages: list[Step]) -> list[str]:
    """The rest of a kernel to hold, if the kernel is held at all and something is installed that may bring it."""
    brings = any(s.action in ("install", "tools") for s in packages) and any(map(packaging.is_kernel, want))
    return sorted(packaging.may_come(look, want)) if brings else []


def _held_by_us(look: WholeLook) -> set[str]:
    """What the node's record says that we hold. A record that cannot be read says nothing."""
    try:
        record = recorded(look)
    except DataError:
        return set()
    return set(record.held) if record else set()


def half_done(look: WholeLook, packages: list[Step]) -> tuple[str, ...]:
    """Kernels that dpkg did not finish, if no step of the plan does: the package manager fails for everybody."""
    half = [f"{p.name} ({p.state})" for p in look.packages.broken if packaging.is_kernel(p.name)]
    if not half or any(s.action in TRANSACTIONS for s in packages):
        return ()
    what = f"dpkg has not finished {', '.join(half)}; the driver of this release may not build for that kernel"
    return (f"{what}: remove it, or run dpkg --configure -a",)
