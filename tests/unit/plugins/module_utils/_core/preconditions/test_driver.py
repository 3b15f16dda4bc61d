# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The driver: built, trusted, loaded, chosen and bound."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.tests.unit.support.preconditions import (
    DRIVER,
    GPU,
    KERNEL,
    NEXT,
    built,
    but,
    gpu,
    judged,
    on_disk,
)

VMS = ("passthrough",)
NOT_BUILT = but(dkms={"modules": (lk.DkmsModule("amdgpu", DRIVER, None, None, "added"),)},
                driver={"loaded": False, "version": None, "on_disk": (on_disk(KERNEL, "in_tree"),)})
OWN = {"version": None, "srcversion": None, "loaded_is_on_disk": None}
NO_PACKAGE = but(packages={"installed": ()}, dkms={"modules": ()})
NEVER = but(driver={"on_disk": (), "unknown": {"on_disk": "no /lib/modules"}})
SIGNED = but(kernel={"secure_boot": True}, driver={"loaded_is_on_disk": None, "on_disk": (on_disk(KERNEL, signer="DKMS"),)},
             boot={"key_enrolled": True})
RECORD = "/var/lib/instinct/release.json"


def recorded(text: str | None) -> lk.Look:
    """A node whose record has this text."""
    return but(files={"files": (lk.ManagedFile(RECORD, "x", text=text),)})


CASES = [
    ("driver-build", "never built", NOT_BUILT, (), [
        ("fail", f"kernel {KERNEL} has no amdgpu build (DKMS: added); it would load the kernel's own amdgpu")]),
    ("driver-build", "a kernel without any amdgpu", but(dkms={"modules": (built(NEXT),)}, driver={"on_disk": (on_disk(NEXT),)}), (), [
        ("fail", f"kernel {KERNEL} has no amdgpu build")]),
    ("driver-build", "the package is there, and nothing of it in DKMS", but(dkms={"modules": ()}, driver={"on_disk": ()}), (), [
        ("fail", f"kernel {KERNEL} has no amdgpu build")]),
    ("driver-build", "installed, and its module is gone", but(driver={"on_disk": (on_disk(KERNEL, "in_tree"),)}), (), [
        ("fail", f"kernel {KERNEL} has no amdgpu build (DKMS: installed); it would load the kernel's own amdgpu")]),
    ("driver-build", "of an unknown version", but(driver={"on_disk": (lk.OnDisk(KERNEL, "x", "dkms", None, None),)}), (), [
        ("pass", f"kernel {KERNEL} has amdgpu of an unknown version from DKMS")]),
    ("driver-build", "only DKMS was asked", but(driver=None), (), [
        ("pass", f"DKMS says that amdgpu is installed for kernel {KERNEL}")]),
    ("driver-build", "only DKMS was asked, and says built", but(driver=None, dkms={"modules": (built(KERNEL, "built"),)}), (), [
        ("fail", f"kernel {KERNEL} has no amdgpu build (DKMS: built)")]),
    ("driver-build", "only DKMS was asked, and says nothing", but(NEVER, dkms={"modules": ()}), (), [
        ("fail", f"kernel {KERNEL} has no amdgpu build")]),
    ("driver-build", "neither was seen", but(NEVER, dkms=None), (), [("unknown", "driver.on_disk: no /lib/modules")]),
    ("driver-build", "DKMS could not be read", but(NEVER, dkms={"modules": (), "unknown": {"modules": "no dkms"}}), (), [
        ("unknown", "driver.on_disk: no /lib/modules")]),
    ("driver-build", "no driver of AMD's", NO_PACKAGE, (), []),
    ("driver-build", "packages unknown", but(packages={"installed": (), "unknown": {"installed": "damaged"}}, dkms=None), (), [
        ("unknown", "packages.installed: damaged")]),
    ("driver-build", "which kernel runs is unknown", but(kernel={"running": None}), (), [("unknown", "kernel.running is not told")]),
    ("driver-build-next", "the running one", NOT_BUILT, (), []),
    ("driver-build-next", "a newer one without a build", but(kernel={"next_boot": NEXT}), (), [
        ("fail", f"kernel {NEXT} has no amdgpu build")]),
    ("driver-build-next", "a newer one with a build", but(kernel={"next_boot": NEXT}, driver={"on_disk": (on_disk(NEXT),)}), (), [
        ("pass", f"kernel {NEXT} has amdgpu 6.16.13 from DKMS")]),
    ("driver-loaded", "not loaded", NOT_BUILT, (), [("fail", "amdgpu is not loaded")]),
    ("driver-loaded", "still loading", but(driver={"initstate": "coming"}), (), [("fail", "amdgpu is loaded and still coming")]),
    ("driver-loaded", "not loaded and no GPU", but(NOT_BUILT, gpus={"gpus": ()}), (), []),
    ("driver-loaded", "for virtual machines", NOT_BUILT, VMS, []),
    ("driver-loaded", "unknown", but(driver={"loaded": None, "unknown": {"loaded": "no /sys"}}), (), [
        ("unknown", "driver.loaded: no /sys")]),
    ("driver-selected", "another build is loaded", but(driver={"loaded_is_on_disk": False}), (), [
        ("fail", "the loaded amdgpu 6.16.13 is not the installed one")]),
    ("driver-selected", "installed, and the kernel's own is loaded", but(driver=OWN), (), [
        ("fail", "DKMS says installed, and the kernel's own amdgpu is the loaded one")]),
    ("driver-selected", "the version is the text of /proc/version", but(driver={**OWN, "version": "Linux version 6.8.0-41-generic"}),
     (), [("fail", "DKMS says installed, and the kernel's own amdgpu is the loaded one")]),
    ("driver-selected", "its version could not be read", but(driver={**OWN, "unknown": {"version": "no /sys"}}), (), [
        ("unknown", "driver.version: no /sys")]),
    ("driver-selected", "the kernel's own is installed and loaded", but(driver={**OWN, "on_disk": (on_disk(KERNEL, "in_tree"),)}), (), [
        ("pass", "the kernel's own amdgpu is loaded")]),
    ("driver-selected", "cannot be told", but(driver={"loaded_is_on_disk": None}), (), [
        ("unknown", "driver.loaded_is_on_disk is not told")]),
    ("driver-selected", "nothing on disk", but(driver={"on_disk": ()}), (), [
        ("unknown", f"no amdgpu on disk for kernel {KERNEL} was seen")]),
    ("driver-selected", "not loaded", NOT_BUILT, (), []),
    ("driver-kind", "the kernel's own beside the package", but(driver=OWN), (), [("warn", "the kernel's own amdgpu is loaded")]),
    ("driver-kind", "the kernel's own, by a text that is no version", but(driver={"version": "Linux version 6.8.0-41-generic (b@l)"}),
     (), [("warn", "the kernel's own amdgpu is loaded")]),
    ("driver-kind", "the kernel's own, and no package", but(NO_PACKAGE, driver=OWN), (), [
        ("pass", "the kernel's own amdgpu is loaded, and amdgpu-dkms is not installed")]),
    ("driver-kind", "its version could not be read", but(driver={**OWN, "unknown": {"version": "no /sys"}}), (), [
        ("unknown", "driver.version: no /sys")]),
    ("driver-kind", "not loaded", NOT_BUILT, (), []),
    ("driver-blacklist", "and nothing loads it", but(NOT_BUILT, driver={"blacklisted_by": ("/etc/modprobe.d/a.conf: blacklist amdgpu",)}),
     (), [("fail", "amdgpu is blacklisted by /etc/modprobe.d/a.conf: blacklist amdgpu, and nothing has loaded it")]),
    ("driver-blacklist", "and a unit loads it", but(driver={"blacklisted_by": ("kernel command line: modprobe.blacklist=amdgpu",)}),
     (), [("pass", "amdgpu is blacklisted by kernel command line: modprobe.blacklist=amdgpu, and was loaded after boot")]),
    ("driver-blacklist", "missing for virtual machines", NOT_BUILT, VMS, [("fail", "nothing keeps amdgpu from loading at boot")]),
    ("driver-blacklist", "there for virtual machines", but(NOT_BUILT, driver={"blacklisted_by": ("a",)}), VMS, [
        ("pass", "amdgpu is blacklisted by a")]),
    ("driver-blacklist", "unknown", but(driver={"unknown": {"blacklisted_by": "no root"}}), (), [
        ("unknown", "driver.blacklisted_by: no root")]),
    ("driver-signature", "nobody asks", but(boot={"key_enrolled": False}), (), [
        ("pass", "the kernel takes modules without a signature")]),
    ("driver-signature", "a key that the firmware does not trust", but(SIGNED, boot={"key_enrolled": False}), (), [
        ("fail", "Secure Boot is on and does not trust the key with which DKMS signs (DKMS)")]),
    ("driver-signature", "no key yet", but(SIGNED, boot={"key_enrolled": False, "key_name": None}), (), [
        ("fail", "Secure Boot is on and does not trust the key with which DKMS signs (not made yet)")]),
    ("driver-signature", "by another key", but(SIGNED, driver={"on_disk": (on_disk(KERNEL, signer="other"),)}), (), [
        ("fail", f"/lib/modules/{KERNEL}/dkms/amdgpu.ko is signed by other, and Secure Boot trusts DKMS")]),
    ("driver-signature", "not signed", but(SIGNED, driver={"on_disk": (on_disk(KERNEL),)}), (), [
        ("fail", f"/lib/modules/{KERNEL}/dkms/amdgpu.ko is signed by nobody, and Secure Boot trusts DKMS")]),
    ("driver-signature", "by the trusted key", SIGNED, (), [("pass", "Secure Boot is on and trusts DKMS")]),
    ("driver-signature", "by the trusted key, nothing built yet", but(SIGNED, driver={"on_disk": ()}), (), [
        ("pass", "Secure Boot is on and trusts DKMS")]),
    ("driver-signature", "loaded all the same", but(SIGNED, driver={"loaded_is_on_disk": True}, boot={"key_enrolled": False}), (), [
        ("pass", "Secure Boot is on, and let the driver load")]),
    ("driver-signature", "lockdown without Secure Boot", but(SIGNED, kernel={"secure_boot": False}, boot={
        "lockdown": "integrity", "key_enrolled": False}), (), [
        ("fail", "lockdown (integrity) is on and does not trust the key with which DKMS signs (DKMS)")]),
    ("driver-signature", "whether keys are enrolled is unknown", but(SIGNED, boot={"key_enrolled": None}), (), [
        ("unknown", "boot.key_enrolled is not told")]),
    ("driver-signature", "whether it is on is unknown", but(
        kernel={"secure_boot": None, "unknown": {"secure_boot": "no efivarfs"}}, boot=None), (), [
        ("unknown", "kernel.secure_boot: no efivarfs")]),
    ("driver-signature", "no driver of AMD's", but(NO_PACKAGE, kernel={"secure_boot": True}), (), []),
    ("gpu-driver", "held for a virtual machine", but(gpus=gpu(driver="vfio-pci")), (), [("fail", f"{GPU} is bound to vfio-pci")]),
    ("gpu-driver", "held for a virtual machine, as wanted", but(gpus=gpu(driver="vfio-pci")), VMS, [
        ("pass", f"{GPU} is bound to vfio-pci")]),
    ("gpu-driver", "not told", but(gpus={**gpu(driver=None), "unknown": {f"{GPU}.driver": "no lspci"}}), (), [
        ("unknown", f"gpus.{GPU}.driver: no lspci")]),
    ("gpu-driver", "nobody's", but(gpus=gpu(driver=None)), (), [("fail", f"{GPU} is bound to no driver")]),
    ("gpu-compute", "left out", but(gpus=gpu(partitions=())), (), [("fail", f"{GPU} has no compute nodes")]),
    ("gpu-compute", "several", but(gpus=gpu(partitions=(lk.Partition(0), lk.Partition(1)))), (), [
        ("pass", f"{GPU} has 2 compute nodes")]),
    ("gpu-compute", "not read", but(gpus={**gpu(partitions=()), "unknown": {"partitions": "no /sys"}}), (), [
        ("unknown", "gpus.partitions: no /sys")]),
    ("gpu-compute", "of another driver", but(gpus=gpu(driver=None, partitions=())), (), []),
    ("gpus-recorded", "fewer", recorded('{"gpus": 8}'), (), [("fail", "GPUs on the PCI bus: 1, recorded: 8")]),
    ("gpus-recorded", "more", but(recorded('{"gpus": 1}'), gpus={"gpus": (lk.Gpu(0, "a", "b"), lk.Gpu(1, "c", "b"))}), (), [
        ("pass", "GPUs on the PCI bus: 2, recorded: 1")]),
    ("gpus-recorded", "a record that does not tell", recorded("{}"), (), []),
    ("gpus-recorded", "a record of another form", recorded("[8]"), (), []),
    ("gpus-recorded", "a record that is no JSON", recorded("{"), (), []),
    ("gpus-recorded", "a record that jokes", recorded('{"gpus": true}'), (), []),
    ("gpus-recorded", "a record of none", recorded('{"gpus": 0}'), (), []),
    ("gpus-recorded", "no record", recorded(None), (), []),
    ("gpus-recorded", "no section", but(files=None), (), []),
    ("gpus-recorded", "GPUs not looked at", but(gpus=None), (), [("unknown", "section gpus was not looked at")]),
    ("driver-runpm", "forced on", but(driver={"parameters": {"runpm": "1"}}), (), [("warn", "amdgpu.runpm is 1")]),
    ("driver-runpm", "left to the driver on an MI100", but(gpus=gpu(product="MI100")), (), [("warn", "amdgpu.runpm is -1")]),
    ("driver-runpm", "no such parameter", but(driver={"parameters": {"dc": "0"}}), (), []),
    ("driver-runpm", "not loaded", NOT_BUILT, (), []),
    ("driver-runpm", "not read", but(driver={"parameters": {}, "unknown": {"parameters": "no root"}}), (), [
        ("unknown", "driver.parameters: no root")]),
]


@pytest.mark.parametrize(("ident", "look", "profiles", "expected"), [(c[0], *c[2:]) for c in CASES],
                         ids=[f"{c[0]}: {c[1]}" for c in CASES])
def test_verdict(ident, look, profiles, expected):
    assert judged(ident, look, profiles or ("bare_metal",)) == expected
