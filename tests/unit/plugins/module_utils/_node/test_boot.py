# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the next boot loads: ages of images and modules, and the key of DKMS in the list that shim passes on."""

from __future__ import annotations

import os

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import (
    Boot,
    Driver,
    Initramfs,
    InstalledKernel,
    Kernel,
    OnDisk,
)
from ansible_collections.instinct.fleet.plugins.module_utils._node import boot
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree

OLD, NEW = "6.1.0-56-amd64", "6.1.0-57-amd64"
MODULE = f"/lib/modules/{OLD}/updates/dkms/amdgpu.ko"
DRIVER = Driver(on_disk=(OnDisk(OLD, MODULE, "dkms", "6", "A"),),
                blacklisted_by=("/usr/lib/modprobe.d/x.conf: blacklist amdgpu", "kernel command line: module_blacklist=amdgpu"))
# Beginning of a certificate: the common name of its issuer. The rest is as good as any bytes.
CERTIFICATE = b"0\x82\x03\x0b" + b"\x06\x03\x55\x04\x03\x0c\x17DKMS module signing key" + b"rest"
KEY = "/var/lib/dkms/mok.pub"
WHOLE_LIST = "/sys/firmware/efi/mok-variables/MokListRT"
LIST = "/sys/firmware/efi/efivars/MokListRT-605dab50-e046-4300-abb6-3dd810dd8b23"
SECURE, PLAIN = Kernel(secure_boot=True), Kernel(secure_boot=False)


def aged(tree: Tree, path: str, time: int) -> None:
    """A file or folder that changed at a time."""
    if path.endswith("/"):
        tree.folder(path)
    else:
        tree.write(path)
    os.utime(tree.root / path.strip("/"), (time, time))


def test_ages(tree: Tree) -> None:
    for path, time in ((MODULE, 30), (f"/boot/initrd.img-{OLD}", 20), (f"/boot/initrd.img-{NEW}", 40),
                       ("/usr/lib/modprobe.d/x.conf", 60), ("/etc/modprobe.d/", 50), ("/usr/sbin/update-initramfs", 1)):
        aged(tree, path, time)
    tree.write("/sys/kernel/security/lockdown", "none [integrity] confidentiality\n")
    kernels = (InstalledKernel(OLD, initrd=f"/boot/initrd.img-{OLD}"), InstalledKernel(NEW, initrd=f"/boot/initrd.img-{NEW}"),
               InstalledKernel("6.5.0", initrd=None), InstalledKernel("6.6.0", initrd="/boot/initrd.img-gone"))
    assert boot.read(tree.machine(), "debian", Kernel(installed=kernels), DRIVER) == Boot(
        tool="initramfs-tools", images=(Initramfs(OLD, f"/boot/initrd.img-{OLD}", 20, 30),
                                        Initramfs(NEW, f"/boot/initrd.img-{NEW}", 40, None)),
        modprobe_time=60, lockdown="integrity", key=KEY,
        unknown={"key_enrolled": "no MokListRT: this kernel was not started by shim"})


def test_of_an_empty_machine_nothing_is_known_and_nothing_wrong(tree: Tree) -> None:
    assert boot.read(tree.machine(), None, Kernel(), Driver()) == Boot(key=KEY)


# id, system, settings of DKMS, certificate
KEYS = [
    ("Debian", "debian", {}, KEY),
    ("Ubuntu's own key", "ubuntu", {}, "/var/lib/shim-signed/mok/MOK.der"),
    ("a site's key", "ubuntu", {"framework.conf": "# mok_certificate=/x\nmok_certificate=/root/mok.der\n"}, "/root/mok.der"),
    ("the last setting counts", "debian", {"framework.conf": 'mok_certificate="/a"\n', "framework.conf.d/x.conf": "mok_certificate='/b'\n"},
     "/b"),
]


@pytest.mark.parametrize(("os_id", "settings", "path"), [c[1:] for c in KEYS], ids=[c[0] for c in KEYS])
def test_the_certificate_that_dkms_signs_with(tree: Tree, os_id: str, settings: dict[str, str], path: str) -> None:
    tree.fill({f"/etc/dkms/{name}": text for name, text in settings.items()})
    tree.write(path, CERTIFICATE)
    seen = boot.read(tree.machine(), os_id, PLAIN, Driver())
    assert (seen.key, seen.key_name, seen.key_enrolled) == (path, "DKMS module signing key", None)


# id, files, enrolled, why it is unknown
ENROLLED: list[tuple[str, dict[str, bytes], bool | None, str]] = [
    ("in the whole list", {KEY: CERTIFICATE, WHOLE_LIST: b"head" + CERTIFICATE + b"more", LIST: b"\x06\0\0\0cut"}, True, ""),
    ("in the list behind its attributes", {KEY: CERTIFICATE, LIST: b"\x06\0\0\0head" + CERTIFICATE}, True, ""),
    ("another key", {KEY: CERTIFICATE, LIST: b"\x06\0\0\0head" + CERTIFICATE[:-1]}, False, ""),
    ("no key yet", {LIST: b"\x06\0\0\0head"}, False, ""),
    ("no list", {KEY: CERTIFICATE}, None, "no MokListRT: this kernel was not started by shim"),
]


@pytest.mark.parametrize(("files", "enrolled", "why"), [c[1:] for c in ENROLLED], ids=[c[0] for c in ENROLLED])
def test_whether_the_key_is_enrolled(tree: Tree, files: dict[str, bytes], enrolled: bool | None, why: str) -> None:
    for path, data in files.items():
        tree.write(path, data)
    seen = boot.read(tree.machine(), "debian", SECURE, Driver())
    assert (seen.key_enrolled, seen.unknown) == (enrolled, {"key_enrolled": why} if why else {})
