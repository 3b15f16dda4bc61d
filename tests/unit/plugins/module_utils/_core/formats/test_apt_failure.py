# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What apt and dpkg print when they fail, as recorded on simulated nodes, and what of it is told."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.apt_failure import why

ROOM = "no space is left on the device; make room there, then run again"
SUB = "E: Sub-process /usr/bin/dpkg returned an error code (1)\n"
DEB = "/srv/repo/rocm/apt/7.2.3/pool/main/a/amd-smi-lib/amd-smi-lib_26.2.2.70203-90~22.04_amd64.deb"
CASES = {
    "a full disk while unpacking": (
        f"Unpacking amd-smi-lib (26.2.2.70203-90~22.04) ...\ndpkg: error processing archive {DEB} (--unpack):\n"
        " cannot copy extracted data for './opt/rocm-7.2.3/lib/libamd_smi.so' to "
        "'/opt/rocm-7.2.3/lib/libamd_smi.so.dpkg-new': failed to write (No space left on device)\n"
        f"dpkg-deb: error: paste subprocess was killed by signal (Broken pipe)\n{SUB}",
        f"/opt/rocm-7.2.3/lib/libamd_smi.so: {ROOM}",
    ),
    "a full disk without quotes": (
        f"cp: error writing /var/lib/dkms/amdgpu/x: No space left on device\n{SUB}", f"/var/lib/dkms/amdgpu/x: {ROOM}"),
    "a full disk without place": (f"No space left on device\n{SUB}", f"this node: {ROOM}"),
    "no room for archives": (
        "E: You don't have enough free space in /var/cache/apt/archives/.\n", f"/var/cache/apt/archives: {ROOM}"),
    "a script that fails": (
        "dpkg: error processing package amdgpu-dkms (--configure):\n installed amdgpu-dkms package post-installation "
        f"script subprocess returned error exit status 10\n{SUB}",
        "amdgpu-dkms: installed amdgpu-dkms package post-installation script subprocess returned error exit status 10",
    ),
    "a lock that apt can name the holder of": (
        "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 1094 (unattended-upgr)\n"
        "N: Be aware that removing the lock file is not a solution and may break your system.\n",
        "apt-get: process 1094 (unattended-upgr) works on packages; wait for it to end, then run again",
    ),
    "a lock that it cannot": (
        "E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), is another process using it?\n",
        "apt-get: another process works on packages; wait for it to end, then run again",
    ),
    "another error": (
        "W: odd\nE: Unable to correct problems, you have held broken packages.\n",
        "apt-get: Unable to correct problems, you have held broken packages"),
    "dpkg's end alone": (SUB, ""),
    "nothing": ("", ""),
}


@pytest.mark.parametrize(("text", "told"), CASES.values(), ids=CASES)
def test_the_reason_is_told(text: str, told: str) -> None:
    assert why(text) == told
