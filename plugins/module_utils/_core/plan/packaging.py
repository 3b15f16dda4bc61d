# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Where package managers differ: the files that pin a release, what is held, how a kernel is named and made to boot."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from ..errors import FleetError
from ..formats import rpm
from ..look.whole import WholeLook
from . import aptfiles, managed, rpmfiles
from .plan import Step
from .steps import WantedFile, installed

if t.TYPE_CHECKING:
    from ..release.resolved import Resolved

# Regular expressions of unattended-upgrades: what a release pins must not move by itself.
UNATTENDED = ("^linux-", "^amdgpu", "^amdrocm", "^amd-smi", "^rocm", "^hip", "^hsa")
APT_PATHS = {
    "amdgpu": (managed.AMDGPU_SOURCES, managed.AMDGPU_PREFERENCES),
    "rocm": (managed.ROCM_SOURCES, managed.ROCM_PREFERENCES),
}
RPM_PATHS = {"dnf": managed.DNF_REPOSITORIES, "zypper": managed.ZYPPER_REPOSITORIES}
# A kernel package of Debian has a full version in its name; one without follows the newest kernel.
_VERSIONED = re.compile(r"^linux-\D.*?-\d+\.\d+\.\d+")
_DEB_KERNEL = re.compile(r"^linux-(image|headers|generic|virtual|modules-extra)\b")
# Those of rpm systems have one name for all versions. kernel-headers and kernel-tools are for programs.
_RPM_KERNEL = re.compile(r"^kernel(?:-(?:uek|default|azure))?(?:-(?:base|core|modules|devel)(?:-\w+)*)?$")
# Packages of a kernel that come along with others, whether a release names them or not. source: kernel.spec of CentOS
# Stream 9, dkms.spec of EPEL 9, kernel-default.spec of SLE 15 (kernel-default-devel requires kernel-devel)
_COMPANIONS = {"dnf": ("", "-core", "-modules", "-modules-core", "-devel", "-devel-matched"), "zypper": ("-devel",)}
# source: the RHEL 9 guide "Managing software with the DNF tool", "Protecting packages"
VERSIONLOCK = "python3-dnf-plugin-versionlock"


def source_files(wanted: Resolved, name: str, pins: t.Mapping[str, str]) -> list[WantedFile]:
    """The files of the release's repositories ``name``: where its packages come from, and which versions may come.

    There are several of one name where other ROCm releases are installed beside the active one. ``pins`` maps a name of
    packages, or a pattern of names, to a version, or a pattern of versions. rpm's managers need no pins: each of AMD's
    repositories has one release, and its priority hides packages of the same names elsewhere.
    """
    repositories = [r for r in wanted.repositories if r.name == name]
    manager = wanted.os.manager
    if manager in RPM_PATHS:
        return [WantedFile(RPM_PATHS[manager][name], rpmfiles.text([
            rpmfiles.Repo(_id(name, number), f"AMD {name}, kept by instinct.fleet", r.uri, wanted.keys[r.key].keyring)
            for number, r in enumerate(repositories)], manager == "zypper"))]
    sources, preferences = APT_PATHS[name]
    origins = tuple(dict.fromkeys(r.origin for r in repositories if r.origin))
    return [
        WantedFile(sources, aptfiles.deb822([
            aptfiles.Source(r.uri, r.suite, r.components, r.architectures, wanted.keys[r.key].keyring)
            for r in repositories])),
        WantedFile(preferences, aptfiles.preferences(origins, pins)),
    ]


def _id(name: str, number: int) -> str:
    return f"instinct-{name}-{number + 1}" if number else f"instinct-{name}"


def refuse_unserved(wanted: Resolved) -> None:
    """Refuse a node whose dnf no module can speak to: RHEL 8 has dnf's Python binding for Python 3.6 alone, and
    ansible-core needs 3.8 on nodes since 2.18. source: ansible-core 2.18, support matrix of nodes

    Raises:
        FleetError: names the system.
    """
    if wanted.os.manager == "dnf" and wanted.os.version.partition(".")[0] == "8":
        raise FleetError(
            f"{wanted.os.id} {wanted.os.version}",
            "has dnf's Python binding for Python 3.6 alone, on which ansible-core runs no more, "
            "so no package can be changed there",
            "move the node to a newer system, or leave it out of the play")


def refuse_unpinned(wanted: Resolved) -> None:
    """Refuse ROCm that zypper cannot be kept at: TheRock has the point releases of a line in one repository, and zypper
    takes no pattern of versions.

    Raises:
        FleetError: names that ROCm.
    """
    loose = [r.version for r in (wanted.rocm, *wanted.beside) if r.stream == "therock"]
    if loose and wanted.os.manager == "zypper":
        raise FleetError(f"ROCm {loose[0]}", "comes from a repository with other versions of it, and zypper cannot be "
                         "kept at one yet", "choose a release of the legacy stream for this node")


def from_ours(wanted: Resolved, name: str, install: tuple[Step, ...]) -> tuple[Step, ...]:
    """The step that installs, with the options by which zypper takes packages from the repositories ``name`` alone."""
    if wanted.os.manager != "zypper":
        return install
    ids = [_id(name, number) for number in range(sum(r.name == name for r in wanted.repositories))]
    more = {"repositories": ids, "from": [word for one in ids for word in ("--from", one)]}
    return tuple(dc.replace(step, data={**step.data, **more}) for step in install)


def no_source_files(name: str) -> list[WantedFile]:
    """The same files, which should not exist, whatever the package manager."""
    paths = (*APT_PATHS[name], *(paths[name] for paths in RPM_PATHS.values()))
    return [WantedFile(path, None) for path in paths]


def unattended_files(manager: str, restrict: bool) -> list[WantedFile]:
    """The file that keeps unattended upgrades away from what a release pins, or its absence.

    dnf-automatic and YaST's online update have no such file: they obey holds and the priority of repositories.
    """
    if manager != "apt":
        return []
    return [WantedFile(managed.UNATTENDED, aptfiles.unattended_blacklist(UNATTENDED) if restrict else None)]


def unattended_notes(look: WholeLook, restrict: bool, hold: bool) -> tuple[str, ...]:
    """What a person should know where only a hold could keep unattended upgrades away, and there is none."""
    if look.packages.manager not in RPM_PATHS or not restrict or hold or not look.repositories.unattended_upgrades:
        return ()
    return ("updates install themselves, and with gpu_driver_hold false nothing keeps kernel and driver from them",)


def kernel_packages(manager: str, packages: t.Iterable[str]) -> dict[str, str]:
    """Name -> version, or pattern of versions, of the packages that a kernel is made of; "" for any version.

    rpm's have their version behind the name. SLES' have a rebuild number behind that, which the kernel does not tell.
    """
    if manager not in RPM_PATHS:
        return dict.fromkeys(packages, "")
    wanted = {}
    for text in packages:
        package = rpm.parse_nevra(text) if re.search(r"-\d", text) else None
        rebuilt = ".*" if manager == "zypper" else ""
        wanted[package.name if package else text] = package.version + rebuilt if package else ""
    return wanted


def held_kernels(look: WholeLook, kernel: str) -> set[str]:
    """Installed kernel packages to hold: those of the wanted kernel, and those that bring the next one."""
    names = {p.name for p in look.packages.installed}
    if look.packages.manager in RPM_PATHS:
        return {name for name in names if _RPM_KERNEL.match(name)}
    return {n for n in names if _DEB_KERNEL.match(n) and (kernel in n or not _VERSIONED.match(n))}


def moved_with(look: WholeLook, names: t.Iterable[str]) -> set[str]:
    """Kernel packages that must be free to change with these: locks of rpm's managers stop parts that nobody named."""
    kernels = look.packages.manager in RPM_PATHS and any(is_kernel(name) for name in names)
    return held_kernels(look, "") if kernels else set()


def may_come(look: WholeLook, names: t.Iterable[str]) -> set[str]:
    """Kernel packages that are not installed, and that these, or the tools to build with, may bring."""
    there, kernels = {p.name for p in look.packages.installed}, {n for n in names if is_kernel(n)}
    stem = "kernel-uek" if any(name.startswith("kernel-uek") for name in kernels) else "kernel"
    found = {stem + end for end in _COMPANIONS.get(look.packages.manager or "", ())}
    return found - there - kernels


def is_kernel(name: str) -> bool:
    """Whether a package is part of a kernel."""
    return bool(_DEB_KERNEL.match(name) or _RPM_KERNEL.match(name))


def with_hold_tools(look: WholeLook, packages: list[Step], hold: bool) -> list[Step]:
    """The steps with what dnf needs to obey holds installed first.

    Raises:
        FleetError: it is installed, but switched off.
    """
    if not hold or look.packages.obeys_holds is not False:
        return packages
    if VERSIONLOCK in installed(look):
        raise FleetError("dnf", "its versionlock plugin is switched off, so nothing can be held",
                         "set enabled = 1 in /etc/dnf/plugins/versionlock.conf, or gpu_driver_hold to false")
    none = Step("tools", "install", data={"packages": [], "names": []})
    tools = next((s for s in packages if s.action == "tools"), none)
    rest = [s for s in packages if s.action not in ("refresh", "tools")]
    return [Step("refresh", "refresh the package lists"),
            dc.replace(tools, words=f"{tools.words}{' and' if tools.after else ''} {VERSIONLOCK}",
                       after="\n".join(filter(None, (tools.after, VERSIONLOCK))),
                       data={kind: [*names, VERSIONLOCK] for kind, names in tools.data.items()}), *rest]


def kernel_with_dkms(manager: str, kernel: t.Mapping[str, str]) -> dict[str, str]:
    """The packages of the wanted kernel that must come in the transaction that brings dkms.

    On RHEL dkms asks for kernel-devel-matched, which asks for the kernel-core and kernel-devel of its own version: dnf
    takes the newest, unless the transaction names another. source: dkms.spec of EPEL 9, kernel.spec of CentOS Stream 9
    """
    return dict(kernel) if manager == "dnf" else {}


def boot_files(look: WholeLook) -> list[WantedFile]:
    """The files that make GRUB boot the entry that grubenv saves, and give arguments to a boot chosen for once.

    Only Debian's GRUB reads such files; elsewhere the saved entry is what an installation has from the start.
    """
    if look.packages.manager in RPM_PATHS or not look.kernel.boot_entries:
        return []
    return [WantedFile(managed.GRUB_DEFAULT, aptfiles.grub_default()),
            WantedFile(managed.GRUB_ONCE, aptfiles.grub_once(), "0755")]


def refuse_unsaved(look: WholeLook, kernel: str) -> None:
    """Refuse a boot loader that does not start what is saved, where that is the only way to choose a kernel.

    Raises:
        FleetError: names the kernel that could not be made to boot.
    """
    if look.packages.manager in RPM_PATHS and look.kernel.boots_saved is False:
        raise FleetError("boot loader", f"does not start the entry that is saved, so {kernel} cannot be made to boot",
                         "set GRUB_DEFAULT=saved in /etc/default/grub and write grub.cfg anew with grub2-mkconfig")


def tries_builds(manager: str) -> bool:
    """Whether a driver can be built on trial before its package is installed."""
    return manager == "apt"
