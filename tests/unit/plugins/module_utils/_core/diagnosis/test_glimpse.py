# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node in few words."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.diagnosis.glimpse import glimpse
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk

OPT = "/opt/rocm-7.0.2"
CASES = {
    "os": [
        (None, ""), (lk.Os(pretty_name="Ubuntu 24.04.3 LTS"), "Ubuntu 24.04.3 LTS"), (lk.Os(), ""),
    ],
    "kernel": [(None, ""), (lk.Kernel(running="6.8.0-44-generic"), "6.8.0-44-generic")],
    "driver": [
        (None, ""), (lk.Driver(loaded=None), ""), (lk.Driver(loaded=False), "not loaded"),
        (lk.Driver(loaded=True), "amdgpu in-tree"), (lk.Driver(loaded=True, version="6.16.13"), "amdgpu 6.16.13"),
    ],
    "rocm": [
        (None, ""), (lk.Rocm(), "none"), (lk.Rocm(unknown={"prefixes": "no"}), ""),
        (lk.Rocm((lk.RocmPrefix(OPT, "7.0.2"),), OPT), "7.0.2"), (lk.Rocm((lk.RocmPrefix(OPT, None),), OPT), OPT),
        (lk.Rocm((lk.RocmPrefix(OPT, "7.0.2"),)), "none of 1 active"),
    ],
    "gpus": [
        (None, ""), (lk.Gpus(), "none"), (lk.Gpus(unknown={"gpus": "no"}), ""),
        (lk.Gpus((lk.Gpu(0, "a", "74a1", "MI300X"), lk.Gpu(1, "b", "74a1", "MI300X"), lk.Gpu(2, "c", "740f"))),
         "1 x 1002:740f, 2 x MI300X"),
    ],
}  # fmt: skip
ROWS = [(section, given, words) for section, rows in CASES.items() for given, words in rows]


@pytest.mark.parametrize(("section", "given", "words"), ROWS)
def test_glimpse(section: str, given: object, words: str) -> None:
    seen = glimpse(lk.Look(**{section: given}))
    assert seen == {**dict.fromkeys(CASES, ""), section: words}
