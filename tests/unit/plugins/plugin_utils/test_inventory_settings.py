# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Knobs in the variables of a host."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.settings import Setting
from ansible_collections.instinct.fleet.plugins.plugin_utils import inventory_settings

NAMES = [{"name": "HSA_QUEUE_PRIORITY", "kind": "environment"}, {"name": "amdgpu.noretry", "kind": "kernel_parameter"},
         {"name": "rocm-smi --setmigmode", "kind": "command"}, {"name": "xgmi_credit_limit", "kind": "sysfs"},
         {"name": "/etc/rocprofiler/device_filter.conf", "kind": "file"}]


def hsa(value: str | None, holder: str) -> Setting:
    return Setting("HSA_QUEUE_PRIORITY", value, "environment", "inventory", holder=holder)


CASES: dict[str, tuple[dict[str, t.Any], tuple[Setting, ...]]] = {
    "nothing": ({"a": 1, "b": {"c": ["HSA"]}}, ()),
    "a variable of that name": ({"HSA_QUEUE_PRIORITY": "high"}, (hsa("high", "HSA_QUEUE_PRIORITY"),)),
    "a key of a mapping": ({"serving": {"env": {"HSA_QUEUE_PRIORITY": 1}}}, (hsa("1", "serving"),)),
    "in a list": ({"env": ["X=1", "HSA_QUEUE_PRIORITY=high"]}, (hsa("high", "env"),)),
    "in text": ({"args": "-e HSA_QUEUE_PRIORITY='very high' -v"}, (hsa("very high", "args"),)),
    "in a template": ({"args": "HSA_QUEUE_PRIORITY={{ x }}"}, (hsa("{{", "args"),)),
    "without a value": ({"env": {"HSA_QUEUE_PRIORITY": None}}, (hsa(None, "env"),)),
    "named, and not set": ({"note": "we no longer set HSA_QUEUE_PRIORITY here"}, ()),
    "part of another name": ({"env": "MY_HSA_QUEUE_PRIORITY=1 HSA_QUEUE_PRIORITY_2=1"}, ()),
    "a mapping of that name": ({"HSA_QUEUE_PRIORITY": {"a": 1}}, ()),
    "a kernel parameter": (
        {"cmdline": "quiet amdgpu.noretry=0"}, (Setting("amdgpu.noretry", "0", "kernel_parameter", "inventory", holder="cmdline"),)),
    "a command": ({"prolog": "rocm-smi -d 0 --setmigmode on; true"},
                  (Setting("rocm-smi --setmigmode", "on", "command", "inventory", holder="prolog"),)),
    "a file": ({"files": [{"path": "/etc/rocprofiler/device_filter.conf"}]},
               (Setting("/etc/rocprofiler/device_filter.conf", None, "file", "inventory", holder="files"),)),
    "an attribute": ({"tune": "echo 8 > /sys/class/drm/card0/device/xgmi_credit_limit"},
                     (Setting("xgmi_credit_limit", "8", "sysfs", "inventory", holder="tune"),)),
    "twice": ({"b": "HSA_QUEUE_PRIORITY=1", "a": ["HSA_QUEUE_PRIORITY=1", "HSA_QUEUE_PRIORITY=1"]}, (hsa("1", "a"), hsa("1", "b"))),
    "what Ansible adds": ({"ansible_facts": {"HSA_QUEUE_PRIORITY": 1}, "hostvars": {"x": {"HSA_QUEUE_PRIORITY": 1}}}, ()),
}  # fmt: skip


@pytest.mark.parametrize(("variables", "settings"), CASES.values(), ids=CASES)
def test_found(variables: dict[str, t.Any], settings: tuple[Setting, ...]) -> None:
    assert inventory_settings.found(variables, NAMES) == settings


def test_of_a_huge_variable_a_part_is_looked_at() -> None:
    deep: dict[str, t.Any] = {}
    for _level in range(100):
        deep = {"HSA_QUEUE_PRIORITY": 1, "x": deep}
    assert inventory_settings.found({"deep": deep, "wide": ["a"] * 1_000_000}, NAMES) == ()
    assert inventory_settings.found({"deep": deep}, NAMES) == (hsa("1", "deep"),)
