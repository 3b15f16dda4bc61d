# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The operating system and the kind of machine."""

from __future__ import annotations

import os
import platform

from .._core.formats.text import parse_os_release, point_version
from .._core.look.shape import Os
from .machine import Machine
from .notes import Notes

# What is there in a container. source: systemd-detect-virt(1), podman-run(1), CONTAINER_INTERFACE of systemd
CONTAINED = ("/run/.containerenv", "/.dockerenv", "/run/systemd/container")
# DMI names of common hypervisors. source: systemd-detect-virt(1)
_VENDORS = (
    ("QEMU", "kvm"), ("Amazon EC2", "kvm"), ("Google", "kvm"), ("KVM", "kvm"), ("OpenStack", "kvm"),
    ("VMware", "vmware"), ("innotek", "oracle"), ("Xen", "xen"), ("Microsoft Corporation", "microsoft"),
    ("Parallels", "parallels"), ("Bochs", "bochs"),
)


def read(machine: Machine) -> Os:
    """Read the operating system section."""
    notes = Notes()
    release = parse_os_release(
        notes.attempt("id", None, machine.text, "/etc/os-release")
        or notes.attempt("id", None, machine.text, "/usr/lib/os-release") or "")
    if not release:
        notes.setdefault("id", "no /etc/os-release")
    debian = notes.attempt("point_version", None, machine.text, "/etc/debian_version")
    return Os(
        id=release.get("ID"), id_like=tuple(release.get("ID_LIKE", "").split()), version_id=release.get("VERSION_ID"),
        point_version=point_version(release, debian), codename=release.get("VERSION_CODENAME"),
        pretty_name=release.get("PRETTY_NAME"), architecture=os.uname().machine,
        virtualization=notes.attempt("virtualization", None, _virtualization, machine),
        python=platform.python_version(), root=machine.root_user, unknown=notes,
    )


def _virtualization(machine: Machine) -> str:
    """Return what systemd-detect-virt would: container, a hypervisor, or none."""
    if any(map(machine.exists, CONTAINED)):
        return "container"
    vendor = f"{machine.word('/sys/class/dmi/id/sys_vendor')} {machine.word('/sys/class/dmi/id/product_name')}"
    found = next((kind for name, kind in _VENDORS if name in vendor), None)
    if found == "microsoft" and "Virtual Machine" not in vendor:
        found = None
    if found is None and " hypervisor" in (machine.text("/proc/cpuinfo") or ""):
        return "other"
    return found or "none"
