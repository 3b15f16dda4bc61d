# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What steps of rocm_userspace do to the ROCm of a node that is a value.

The effects are those of AMD's packages and of dpkg's update-alternatives as observed on simulated nodes.
"""

from __future__ import annotations

import dataclasses as dc
import re

from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan import rocm_active
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.plan import Step

PARTS = {"legacy": ("bin", "lib", "share"), "therock": ("bin", "lib", "llvm", "share")}
FIRST_PACKAGES = {"rocm-core": "legacy", "amdrocm-base": "therock"}  # what brings .info/version


def _parts(prefix: str) -> dict[str, str]:
    return {part: f"{prefix}/{part}" for part in PARTS["legacy" if prefix.startswith("/opt/rocm-") else "therock"]}


def prefix_of(package: lk.Package) -> str | None:
    """The installation that a package makes one; None for all other packages."""
    stem, _name, line = next(((s, package.name, package.name[len(s):]) for s in FIRST_PACKAGES
                              if package.name.startswith(s) and package.name[len(s):][:1] in ("", *"0123456789")),
                             ("", "", ""))
    if not stem or not (amd := re.match(r"(\d+)\.(\d+)\.(\d+)", package.version)):
        return None
    legacy = FIRST_PACKAGES[stem] == "legacy"
    return f"/opt/rocm-{'.'.join(amd.groups())}" if legacy else f"/opt/rocm/core-{line}"


def installed(node: lk.Look, new: lk.Package) -> lk.Look:
    """A package that makes an installation one came, or changed its version."""
    if not new.name.startswith(("amd-smi-lib", "amdrocm", "rocm")):
        return node
    prefix = prefix_of(new)
    rocm = dc.replace(node.rocm, linker_stale=True)
    if prefix is None:
        return dc.replace(node, rocm=rocm)
    there = {q for p in node.packages.installed if (q := prefix_of(p))}
    prefixes = {p.path: p for p in rocm.prefixes if p.path in there}
    version = new.version.split("-")[0]
    version = version.rsplit(".", 1)[0] if version.count(".") > 2 else version
    prefixes[prefix] = lk.RocmPrefix(prefix, version, _parts(prefix))
    rocm = dc.replace(rocm, prefixes=tuple(prefixes[path] for path in sorted(prefixes)))
    if prefix.startswith("/opt/rocm/"):
        assert rocm.place != "link", "the package would be unpacked through the link /opt/rocm"
        rocm = dc.replace(rocm, place="folder")  # the packages of a few components make no links
    else:
        rocm = _offered(rocm, prefix)
    return dc.replace(node, rocm=_settled_links(rocm), smi=lk.Smi(source="amdsmi"))


def _offered(rocm: lk.Rocm, prefix: str) -> lk.Rocm:
    """update-alternatives --install /opt/rocm rocm PREFIX, in automatic mode: the highest version wins."""
    old = next((a for a in rocm.alternatives if a.name == "rocm"), lk.Alternative("rocm", "/opt/rocm", (), None))
    group = dc.replace(old, choices=tuple(sorted({*old.choices, prefix})))
    others = tuple(a for a in rocm.alternatives if a.name != "rocm")
    return dc.replace(rocm, alternatives=(*others, group), place=rocm.place or "link")


def _settled_links(rocm: lk.Rocm) -> lk.Rocm:
    """The group of the link loses choices whose installation is gone, as packages do; those of parts keep them.

    Where nothing but links is left, the folder stays.
    """
    paths = {p.path for p in rocm.prefixes}

    def owner(choice: str) -> str | None:
        return next((p for p in paths if f"{choice}/".startswith(f"{p}/")), None)

    kept = {a.name: a.choices if a.link != "/opt/rocm" else tuple(filter(owner, a.choices)) for a in rocm.alternatives}
    groups = tuple(dc.replace(a, choices=kept[a.name]) for a in rocm.alternatives if kept[a.name])
    place, active = rocm.place, None
    parts = {part: path for part, path in rocm.parts.items() if owner(path)}
    cores = [p for p in paths if p.startswith("/opt/rocm/")]
    if place == "link" and not any(a.link == "/opt/rocm" for a in groups):
        place = None
    if place == "folder" and not (cores or rocm.content or any(a.link.startswith("/opt/rocm/") for a in groups)):
        place = None
    if place == "link":
        group = next(a for a in groups if a.link == "/opt/rocm")
        active = rocm.active if rocm.active in group.choices else max(group.choices)
        groups = tuple(dc.replace(a, chosen=active) if a is group else a for a in groups)
    elif place == "folder":
        link = parts.get("lib") or parts.get("bin")
        active = owner(link) if link else cores[0] if len(cores) == 1 else None
    return dc.replace(rocm, alternatives=groups, place=place, parts=parts, active=active)


def removed(node: lk.Look) -> lk.Look:
    there = {q for p in node.packages.installed if (q := prefix_of(p))}
    rocm = dc.replace(node.rocm, prefixes=tuple(p for p in node.rocm.prefixes if p.path in there), linker_stale=True)
    return dc.replace(node, rocm=_settled_links(rocm))


def clear(node: lk.Look, step: Step) -> lk.Look:
    groups = tuple(a for a in node.rocm.alternatives if a.link != "/opt/rocm")
    place = None if node.rocm.place == "link" else node.rocm.place
    return dc.replace(node, rocm=_settled_links(dc.replace(node.rocm, alternatives=groups, place=place)))


def activate(node: lk.Look, step: Step) -> lk.Look:
    """Run the commands of an activation, one by one."""
    rocm, prefix = node.rocm, step.data["prefix"]
    for command in rocm_active.activation(rocm, prefix):
        rocm = _command(rocm, command)
    return dc.replace(node, rocm=dc.replace(rocm, linker_stale=True))


def _command(rocm: lk.Rocm, argv: tuple[str, ...]) -> lk.Rocm:
    groups = {a.name: a for a in rocm.alternatives}
    if argv[0] == "rmdir":
        assert not rocm.parts, "the folder is not empty"
        return dc.replace(rocm, place=None, active=None)
    if argv[0] == "find":
        return dc.replace(rocm, parts={})
    if argv[0] == "rm":
        return dc.replace(rocm, parts={k: v for k, v in rocm.parts.items() if f"/opt/rocm/{k}" != argv[2]})
    name = argv[3] if argv[1] == "--install" else argv[2]
    if argv[1] == "--remove-all":
        groups.pop(name, None)
        return dc.replace(rocm, alternatives=tuple(groups.values()))
    if argv[1] == "--install":
        link, path = argv[2], argv[4]
        old = groups.get(name, lk.Alternative(name, link, (), None))
        groups[name] = dc.replace(old, choices=tuple(sorted({*old.choices, path})))
        return dc.replace(rocm, alternatives=tuple(groups.values()))
    group, path = groups[name], argv[3]
    assert path in group.choices, f"{name} does not offer {path}"
    groups[name] = dc.replace(group, chosen=path)
    rocm = dc.replace(rocm, alternatives=tuple(groups.values()))
    if group.link == "/opt/rocm":
        assert rocm.place != "folder", "update-alternatives does not replace a folder"
        return dc.replace(rocm, place="link", active=path)
    if group.link.startswith("/opt/rocm/"):
        parts = {**rocm.parts, group.link.rpartition("/")[2]: path}
        return _settled_links(dc.replace(rocm, parts=parts))
    return rocm
