# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be wrong with a node, how it is broken and mended, and what a diagnosis must say of it."""

from __future__ import annotations

import contextlib
import os
import subprocess
import typing as t
from pathlib import Path

SIMFLEET = Path(os.environ["MOLECULE_PROJECT_DIRECTORY"]) / "tests/simulator/fleet/simfleet"


class Broken(t.NamedTuple):
    """One thing that is wrong on a node.

    Attributes:
        fault: what breaks it, as the shell of the node runs it.
        mend: what undoes that, besides a reboot.
        verdict, root, subject: what a diagnosis says.
        folded: ids that must be among the consequences of the root.
        purpose: what the host is for.
    """

    fault: str
    mend: str
    verdict: str
    root: str
    subject: str = "node"
    folded: tuple[str, ...] = ()
    purpose: str = "bare_metal"


HEAL = "instinct-sim heal"
RELOAD = "modprobe -r amdgpu; modprobe amdgpu"
DKMS = "V=$(dkms status amdgpu | head -n 1 | cut -d, -f 1); K=$(uname -r); M=/lib/modules/$K/updates/dkms/amdgpu.ko"
FRESH = "update-initramfs -u"
SITE = "/etc/modprobe.d/site.conf"
UNIT = "/etc/systemd/system/serving.service"
CPX = """PYTHONPATH=$(ls -d /opt/rocm-*/share/amd_smi) python3 -c '
import amdsmi as a
a.amdsmi_init()
cards = {a.amdsmi_get_gpu_device_bdf(h)[:-1]: h for h in reversed(a.amdsmi_get_processor_handles())}
for h in cards.values(): a.amdsmi_set_gpu_compute_partition(h, a.AmdSmiComputePartitionType.CPX)'"""
NO_DRIVER = ("gpu-driver", "driver-bound")

# For each run one of the first node and one of the second.
BROKEN = {
    "a GPU that the platform cannot place, a memory error": (
        Broken(f"instinct-sim fault probe_enomem gpu=3; {RELOAD}", f"{HEAL}; {RELOAD}", "fail", "probe-no-bar",
               "0000:65:00.0", (*NO_DRIVER, "gpu-init-fatal", "bar-space")),
        Broken("instinct-sim fault ecc_uncorrectable gpu=1", HEAL, "fail", "ras-uncorrectable", "0000:26:00.0",
               ("ecc-uncorrectable",))),
    "no build for the running kernel, a module on disk that is not the loaded one": (
        Broken(f"{DKMS}; modprobe -r amdgpu; dkms uninstall $V -k $K",
               f"{DKMS}; dkms install $V -k $K; {FRESH}; modprobe amdgpu", "fail", "driver-build",
               folded=(*NO_DRIVER, "driver-loaded")),
        Broken(f"{DKMS}; cp $M /root/amdgpu.ko; S=$(modinfo -F srcversion $M); "
               "sed -i s/srcversion=$S/srcversion=0000${S#????}/ $M",
               f"{DKMS}; mv /root/amdgpu.ko $M; {FRESH}", "fail", "driver-selected")),
    "a process that reads where it may not, a link that is down": (
        Broken("instinct-sim fault page_fault gpu=2", HEAL, "warn", "page-fault", "pid 4711 (python3)"),
        Broken("instinct-sim fault xgmi_down gpu=2", HEAL, "fail", "xgmi-links", "0000:46:00.0")),
    "access control that is on, an IOMMU that translates": (
        Broken("instinct-sim fault acs_on gpu=all", HEAL, "warn", "acs", "0000:05:00.0", ("acs",), "rdma"),
        Broken("instinct-sim fault iommu_translated", HEAL, "warn", "iommu")),
    "a setting that does nothing, no GPU library": (
        Broken(f"printf '[Service]\\nEnvironment=HSA_QUEUE_PRIORITY=high\\n' > {UNIT}", f"rm {UNIT}", "warn",
               "knob-hsa-queue-priority", UNIT),
        Broken("instinct-sim fault no_library", HEAL, "unknown", "smi-library")),
    "a blacklist, and one that only the initramfs still has": (
        Broken(f"echo blacklist amdgpu > {SITE}; modprobe -r amdgpu", f"rm {SITE}; {FRESH}", "fail", "driver-blacklist",
               folded=(*NO_DRIVER, "driver-loaded")),
        Broken(f"touch {SITE}; modprobe -r amdgpu", f"rm {SITE}; {FRESH}", "fail", "initramfs-stale",
               folded=(*NO_DRIVER, "driver-loaded"))),
    "a partition without a device, a driver that is not loaded": (
        Broken(f"{CPX}; instinct-sim fault drm_full", HEAL, "fail", "drm-minors"),
        Broken("modprobe -r amdgpu", "modprobe amdgpu", "fail", "driver-loaded", folded=NO_DRIVER)),
}  # fmt: skip


def _execute(node: str, command: str) -> None:
    """Run a command in a node, whatever comes of it: the tests see that."""
    subprocess.run([SIMFLEET, "exec", node, "--", "sh", "-c", command], check=False, capture_output=True)


@contextlib.contextmanager
def broken(faults: t.Mapping[str, Broken]) -> t.Iterator[None]:
    """Break nodes, and mend them again. A reboot ends what the kernel's log tells."""
    for node, fault in faults.items():
        _execute(node, fault.fault)
    try:
        yield
    finally:
        for node, fault in faults.items():
            _execute(node, fault.mend)
            subprocess.run([SIMFLEET, "reboot", node], check=True, capture_output=True)
        inventory = os.environ["MOLECULE_INVENTORY_FILE"]
        command = ["ansible", "-i", inventory, ",".join(faults), "-m", "ansible.builtin.wait_for_connection"]
        subprocess.run(command, check=True, capture_output=True)
