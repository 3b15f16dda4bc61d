# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When an initramfs may hold another driver than the disk, by age alone."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.boot import Boot, Initramfs, why_stale

# id, when it was made, when the driver was, when modprobe.d was, whether that matters, why it is stale
CASES = [
    ("newer than everything", 30, 20, 10, True, ""),
    ("of the same second", 30, 30, 30, True, ""),
    ("older than the driver", 30, 31, 10, False, "it is older than the driver"),
    ("a kernel without the driver", 30, None, 10, True, ""),
    ("older than settings that matter", 30, 20, 31, True, "it is older than the settings in modprobe.d"),
    ("older than settings that do not matter", 30, 20, 31, False, ""),
    ("no settings", 30, 20, None, True, ""),
]


@pytest.mark.parametrize(("made", "driver", "modprobe", "settings", "why"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_why_stale(made, driver, modprobe, settings, why):
    boot = Boot(images=(Initramfs("6.2", "x", 99), Initramfs("6.1", "x", made, driver)), modprobe_time=modprobe)
    assert why_stale(boot, "6.1", settings) == why


def test_a_kernel_without_initramfs():
    assert why_stale(Boot(images=(Initramfs("6.2", "x", 99),)), "6.1", settings=False) == "there is none"
