# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""From (release wanted, node seen) to the steps of rocm_userspace, for the legacy stream (repo.radeon.com)."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from ..errors import FleetError
from ..look.whole import WholeLook
from . import aptfiles, managed, packaging
from .plan import Plan, Step
from .steps import WantedFile, file_steps, install_step, key_steps, refuse_held, repair_step, source_steps

if t.TYPE_CHECKING:
    from ..release.resolved import Resolved

ROLE = "rocm_userspace"
# Brings library and binding (ROCm/rocm-install-on-linux:docs/reference/package-manager-integration.rst).
SMI = "amd-smi-lib"
# <upstream>.<code>-<build>~<distro>, as in rocm 7.0.1.70001-42~24.04 (ROCm/ROCm#5797).
AMD_VERSION = re.compile(r"\.(?P<code>\d{5,6})-\d+~\d\d\.\d\d$")
LD_SO = aptfiles.HEADER + "/opt/rocm/lib\n"
# ROCm's own advice is PATH, not copies in /usr/bin (ROCm/rocm-install-on-linux:docs/install/post-install.rst).
PROFILE = aptfiles.HEADER + 'case ":$PATH:" in\n    *:/opt/rocm/bin:*) ;;\n    *) PATH="$PATH:/opt/rocm/bin" ;;\nesac\n'


@dc.dataclass(frozen=True)
class RocmPolicy:
    """What the site wants of ROCm: see the argument specification of rocm_userspace."""

    components: tuple[str, ...] = ("rocm-core", "rocminfo", SMI)
    render_gid: int | None = None


def plan_rocm(look: WholeLook, wanted: Resolved, policy: RocmPolicy) -> Plan:
    """The plan of rocm_userspace.

    Raises:
        FleetError: the release is of a stream that this plan does not know, or another hand holds what must change.
    """
    if wanted.stream != "legacy":
        raise FleetError(f"release {wanted.name}", f"its ROCm comes from the {wanted.stream} stream, "
                         "which rocm_userspace does not install", "choose a release of the legacy stream")
    repository = next(r for r in wanted.repositories if r.name == "rocm")
    install = install_step(look, _packages(look, wanted, policy))
    refuse_held(look, [n for s in install for n in s.data["names"]], f"release {wanted.name} needs another version")
    files = (*source_steps(look, wanted, "rocm"), *file_steps(look, _files(wanted)))
    steps = [
        *key_steps(look, [wanted.keys[repository.key]]),
        *files,
        *repair_step(look, install),
        *([Step("refresh", "refresh the package lists")] if install else []),
        *install,
        *_group_steps(look, policy),
    ]
    if any(s.data["path"] == managed.LD_SO_CONF for s in files) or install:
        steps.append(Step("ldconfig", "refresh the linker cache"))
    return Plan(ROLE, tuple(steps), problems=() if install else _problems(look, wanted, policy))


def _files(wanted: Resolved) -> list[WantedFile]:
    return [
        *packaging.source_files(wanted, "rocm", {}),
        WantedFile(managed.LD_SO_CONF, LD_SO),
        WantedFile(managed.PROFILE, PROFILE),
    ]


def _packages(look: WholeLook, wanted: Resolved, policy: RocmPolicy) -> dict[str, str]:
    """The components, and whatever else of AMD's ROCm is there, half installed too: it moves with them."""
    pattern = wanted.rocm.package_pattern
    others = {p.name for p in look.packages.installed if AMD_VERSION.search(p.version)}
    return dict.fromkeys((*policy.components, *sorted(others)), pattern)


def _group_steps(look: WholeLook, policy: RocmPolicy) -> list[Step]:
    """One gid of the group render on all nodes, so that images and shared file systems agree.

    Device nodes keep the number that their group had: those whose number no group has any more are given to the group.
    """
    gid, seen = policy.render_gid, look.devices.groups.get("render")
    if gid is None:
        return []
    steps = []
    if seen != gid:
        before = "" if seen is None else f"render {seen}"
        steps.append(Step("group", f"give the group render the gid {gid}", before, f"render {gid}",
                          {"name": "render", "gid": gid}))
    stale = {n.gid for n in look.devices.nodes if n.group.isdigit() and n.kind != "card"} - {gid}
    old = sorted(stale | ({seen} if seen not in (None, gid) else set()))
    if old:
        steps.append(Step("devices", f"give device nodes of the gids {', '.join(map(str, old))} to the group render",
                          data={"name": "render", "gids": old}))
    return steps


def _problems(look: WholeLook, wanted: Resolved, policy: RocmPolicy) -> tuple[str, ...]:
    """What is wrong although the packages are right."""
    problems = []
    if look.rocm.active != wanted.rocm.prefix:
        problems.append(f"/opt/rocm leads to {look.rocm.active or 'nothing'}, not to {wanted.rocm.prefix}; "
                        "set it with update-alternatives --config rocm")
    if look.smi.mismatch:
        binding = f"amdsmi binding {look.smi.binding_version} ({look.smi.binding_path})"
        problems.append(f"{binding} does not belong to library {look.smi.library_version}; "
                        "remove the binding that did not come with ROCm")
    elif SMI in policy.components and look.driver.loaded and look.gpus.gpus and look.smi.source != "amdsmi":
        problems.append(f"amdsmi does not answer: {look.smi.error or 'no reason was given'}")
    return tuple(problems)
