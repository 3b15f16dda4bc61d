# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""From (release wanted, node seen) to the steps of rocm_userspace."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..errors import FleetError
from ..look.whole import WholeLook
from . import aptfiles, managed, packaging, rocm_active, rocm_packages
from .plan import Plan, Step
from .steps import WantedFile, file_steps, install_step, key_steps, refuse_held, repair_step, source_steps

if t.TYPE_CHECKING:
    from ..release.resolved import Resolved

ROLE = "rocm_userspace"
# Bring library and binding (ROCm/rocm-install-on-linux:docs/reference/package-manager-integration.rst).
SMI = ("amd-smi-lib", "amdrocm-amdsmi")
LD_SO = aptfiles.HEADER + "/opt/rocm/lib\n"
# ROCm's own advice is PATH, not copies in /usr/bin (ROCm/rocm-install-on-linux:docs/install/post-install.rst).
PROFILE = aptfiles.HEADER + 'case ":$PATH:" in\n    *:/opt/rocm/bin:*) ;;\n    *) PATH="$PATH:/opt/rocm/bin" ;;\nesac\n'


@dc.dataclass(frozen=True)
class RocmPolicy:
    """What the site wants of ROCm: see the argument specification of rocm_userspace."""

    components: tuple[str, ...] = ("rocm-core", "rocminfo", "amd-smi-lib")
    render_gid: int | None = None
    remove_others: bool = True

    @classmethod
    def from_values(cls, values: t.Mapping[str, t.Any]) -> RocmPolicy:
        """From the role's variables."""
        return cls(tuple(values["rocm_userspace_components"]), values["rocm_userspace_render_gid"],
                   values["rocm_userspace_remove_others"])


def plan_rocm(look: WholeLook, wanted: Resolved, policy: RocmPolicy) -> Plan:
    """The plan of rocm_userspace.

    Raises:
        FleetError: another hand holds what must change, or something is where links or a group must be.
    """
    _refuse_installation_of_its_own(look, wanted)
    packaging.refuse_unserved(wanted)
    packaging.refuse_unpinned(wanted)
    install = packaging.from_ours(wanted, "rocm", install_step(look, rocm_packages.to_install(look, wanted)))
    remove, notes = _remove(look, wanted, policy)
    refuse_held(look, [n for s in install for n in s.data["names"]], f"release {wanted.name} needs another version")
    refuse_held(look, [n for s in remove for n in s.data["packages"]], f"release {wanted.name} wants no such ROCm")
    files = (*source_steps(look, wanted, "rocm"), *file_steps(look, _files(wanted)))
    changes = (*remove, *install)
    steps = [
        *key_steps(look, [wanted.keys[r] for r in dict.fromkeys(
            repo.key for repo in wanted.repositories if repo.name == "rocm")]),
        *files,
        *repair_step(look, changes),
        *remove,
        *(_clear(look, wanted) if install else ()),
        *([Step("refresh", "refresh the package lists")] if install else []),
        *install,
        *_activate(look, wanted, bool(changes)),
        *_group_steps(look, policy),
    ]
    linked = any(s.action in ("install", "remove", "activate") for s in steps)
    if linked or any(s.data["path"] == managed.LD_SO_CONF for s in files) or look.rocm.linker_stale:
        steps.append(Step("ldconfig", "refresh the linker cache", data={"stale": bool(look.rocm.linker_stale)}))
    problems = () if linked else _problems(look, policy)
    return Plan(ROLE, tuple(steps), notes=notes, problems=problems)


def _files(wanted: Resolved) -> list[WantedFile]:
    return [
        *packaging.source_files(wanted, "rocm", rocm_packages.pins(wanted)),
        WantedFile(managed.LD_SO_CONF, LD_SO),
        WantedFile(managed.PROFILE, PROFILE),
    ]


def _remove(look: WholeLook, wanted: Resolved, policy: RocmPolicy) -> tuple[tuple[Step, ...], tuple[str, ...]]:
    """The step that removes ROCm that nobody asked for, or a note that it stays."""
    others = rocm_packages.in_the_way(look, wanted)
    gone = [f for f in others if policy.remove_others or rocm_packages.clash(f, wanted)]
    stays = sorted({f"{f.rocm} ({f.stream})" for f in others if f not in gone})
    notes = (f"ROCm {', '.join(stays)} stays, which the release does not name",) if stays else ()
    if not gone:
        return (), notes
    names = [f"{f.package.name} {f.package.version}" for f in gone]
    return (Step("remove", "remove " + ", ".join(names), before="\n".join(names),
                 data={"packages": [f.package.name for f in gone]}),), notes


def _prefixes(wanted: Resolved) -> tuple[str, ...]:
    return tuple(r.prefix for r in (wanted.rocm, *wanted.beside))


def _refuse_installation_of_its_own(look: WholeLook, wanted: Resolved) -> None:
    """Refuse to put links where somebody has put ROCm itself, without packages.

    Raises:
        FleetError: names it.
    """
    here = sorted({part for p in look.rocm.prefixes for part in p.parts} & set(look.rocm.content))
    if here and rocm_active.is_folder(look.rocm, _prefixes(wanted)):
        raise FleetError(rocm_active.PLACE, f"holds {', '.join(here)} of an installation of its own, "
                         "where links of the active ROCm must be", "move it away, to /opt/rocm-<version>")


def _clear(look: WholeLook, wanted: Resolved) -> tuple[Step, ...]:
    inside = [p for p in _prefixes(wanted) if p.startswith(f"{rocm_active.PLACE}/")]
    if not inside or not rocm_active.clearing(look.rocm):
        return ()
    return (Step("clear", f"take the link {rocm_active.PLACE} away, since {inside[0]} lies below it",
                 before=look.rocm.active or "", data={}),)


def _activate(look: WholeLook, wanted: Resolved, changed: bool) -> tuple[Step, ...]:
    """The step after which programs find the active ROCm; packages that come or go may have led them elsewhere."""
    prefix = wanted.rocm.prefix
    if not changed and not rocm_active.activation(look.rocm, prefix):
        return ()
    was = look.rocm.active or ""
    words = f"let {rocm_active.PLACE} lead to {prefix}"
    if was and was != prefix:
        words += f" (led to {was})"
    return (Step("activate", words, before=was, after=prefix, data={"prefix": prefix}),)


def _group_steps(look: WholeLook, policy: RocmPolicy) -> list[Step]:
    """One gid of the group render on all nodes, so that images and shared file systems agree.

    Device nodes keep the number that their group had: those whose number no group has any more are given to the group.

    Raises:
        FleetError: another group has that id.
    """
    gid, seen = policy.render_gid, look.devices.groups.get("render")
    if gid is None:
        return []
    owner = next((name for name, number in look.devices.groups.items() if number == gid and name != "render"), None)
    if owner:
        raise FleetError("rocm_userspace_render_gid", f"{gid} is the id of the group {owner} on this node",
                         "choose an id that is free on all nodes")
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


def _problems(look: WholeLook, policy: RocmPolicy) -> tuple[str, ...]:
    """What is wrong although the packages are right."""
    if look.smi.mismatch:
        binding = f"amdsmi binding {look.smi.binding_version} ({look.smi.binding_path})"
        problem = (f"{binding} does not belong to library {look.smi.library_version}; "
                   "remove the binding that did not come with ROCm")
        return (problem,)
    asked = set(SMI) & set(policy.components)
    if asked and look.driver.loaded and look.gpus.gpus and look.smi.source != "amdsmi":
        return (f"amdsmi does not answer: {look.smi.error or 'no reason was given'}",)
    return ()
