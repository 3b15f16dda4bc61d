# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A resolved release as the plain data that JSON and Jinja carry."""

from __future__ import annotations

import json

from ansible_collections.instinct.fleet.tests.unit.support.releases import FINGERPRINT, release

KERNEL = "6.1.0-57-amd64"
REPOSITORY = {
    "types": ["deb"], "suite": "jammy", "components": ["main"], "architectures": ["amd64"], "key": "radeon",
    "origin": "repo.radeon.com",
}
PLAIN = {
    "name": "rocm-7.2.3", "title": "ROCm 7.2.3", "confidence": "documented", "stream": "legacy",
    "os": {"id": "debian", "version": "12", "manager": "apt"},
    "rocm": {"version": "7.2.3", "prefix": "/opt/rocm-7.2.3", "package_pattern": "*.70203-*", "release": "rocm-7.2.3",
             "stream": "legacy", "line": "7.2.3", "packages": {
                 "rocm-core": ["rocm-core{line}"], "rocminfo": ["rocminfo{line}"], "amd-smi-lib": ["amd-smi-lib{line}"]}},
    "beside": [],
    "driver": {
        "source": "dkms", "release": "30.30.3", "module": "6.16.13", "build": "2327507",
        "dkms_version": "6.16.13-2327507.22.04",
        "packages": {"amdgpu-dkms": "1:6.16.13.30300300-2327507.22.04",
                     "amdgpu-dkms-firmware": "30.30.3.0.30300300-2327507.22.04"},
    },
    "kernel": {"wanted": KERNEL, "series": ["6.1.0"], "packages": [f"linux-headers-{KERNEL}", f"linux-image-{KERNEL}"]},
    "repositories": [
        REPOSITORY | {"name": "amdgpu", "uri": "https://repo.radeon.com/amdgpu/30.30.3/ubuntu",
                      "bases": ["https://repo.radeon.com/amdgpu/"]},
        REPOSITORY | {"name": "rocm", "uri": "https://repo.radeon.com/rocm/apt/7.2.3",
                      "bases": ["https://repo.radeon.com/rocm/apt/"]},
    ],
    "keys": {"radeon": {"url": "https://repo.radeon.com/rocm/rocm.gpg.key", "fingerprint": FINGERPRINT,
                        "keyring": "/etc/apt/keyrings/instinct-radeon.gpg"}},
    "firmware": [],
    "gpus": [{"bdf": f"0000:{number:02x}:00.0", "device_id": "74a1", "product": "MI300X"} for number in range(5, 13)],
    "notes": [], "sources": [],
}


def test_to_dict_says_everything_as_plain_data():
    plain = release("rocm-7.2.3", kernel=KERNEL).to_dict()
    assert plain == PLAIN
    assert json.loads(json.dumps(plain)) == plain


def test_the_kernels_own_driver_has_no_numbers():
    assert release("rocm-7.2.3", source="in_tree").to_dict()["driver"] == {
        "source": "in_tree", "release": None, "module": None, "build": None, "dkms_version": None, "packages": {}}
