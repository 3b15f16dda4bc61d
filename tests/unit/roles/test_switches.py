# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Switches that are given on the command line, where `-e name=false` is text, and text is true to Jinja."""

from __future__ import annotations

import re

import pytest

from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT


@pytest.mark.parametrize(("role", "switch"), [
    ("node_maintenance", "node_maintenance_wait"), ("gpu_partition", "gpu_partition_boot"),
    ("gpu_driver", "gpu_driver_reboot_allowed"),
])
def test_a_switch_that_roles_read_themselves_is_made_one(role: str, switch: str) -> None:
    files = [*(ROOT / f"roles/{role}/tasks").rglob("*.yml"), ROOT / f"roles/{role}/vars/main.yml"]
    text = "\n".join(file.read_text(encoding="utf-8") for file in files if file.exists())
    read = re.findall(rf"(?<![\w]){switch}\b(?!:)( \| bool)?", text)
    assert read
    assert all(read), f"{switch} is read as it is"
