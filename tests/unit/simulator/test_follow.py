# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""In a virtual machine the kernel has the word on the driver, whatever the state says."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest

START = """
import json, amdsmi
try:
    amdsmi.amdsmi_init()
    print(json.dumps(len(amdsmi.amdsmi_get_processor_handles())))
except amdsmi.AmdSmiLibraryException as error:
    print(json.dumps(error.get_error_code()))
"""
NOT_LOADED = 34


@pytest.mark.skipif(Path("/sys/module/amdgpu").exists(), reason="this machine has the driver")
@pytest.mark.parametrize(("keys", "answer"), [({}, 2), ({"node__follows": "kernel"}, NOT_LOADED)])
def test_a_driver_that_the_kernel_does_not_know_is_not_loaded(
    keys: dict[str, str], answer: int, libraries: t.Any, new_node: t.Any
) -> None:
    assert libraries("7.0.2").run(START, new_node("mi300x", 2, **keys)) == answer
