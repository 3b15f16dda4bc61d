# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The calls for health against the vendor's own bindings."""

from __future__ import annotations

import inspect
import re

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._smi import amdsmi
from ansible_collections.instinct.fleet.plugins.module_utils._smi.health_calls import CALLS
from ansible_collections.instinct.fleet.tests.unit.plugins.simulated import BINDINGS, binding

# What a binding does not have.
MISSING = {"6.2.4": {"amdsmi_get_gpu_bad_page_threshold", "amdsmi_get_gpu_xgmi_link_status"},
           "6.4.4": {"amdsmi_get_gpu_bad_page_threshold"}, "7.0.2": set()}


def source(rocm: str) -> list[str]:
    """Names that the package has, and its code."""
    folder = binding(rocm) / "amdsmi"
    return [(folder / name).read_text(encoding="utf-8") for name in ("__init__.py", "amdsmi_interface.py")]


@pytest.mark.parametrize("rocm", BINDINGS)
def test_functions_are_names_of_the_package(rocm: str) -> None:
    names, _code = source(rocm)
    assert {call[0] for call in CALLS.values() if not re.search(rf"import {call[0]}\b", names)} == MISSING[rocm]


@pytest.mark.parametrize("rocm", BINDINGS)
def test_members_are_in_their_enumerations(rocm: str) -> None:
    names, code = source(rocm)
    for _function, *arguments in CALLS.values():
        for kind, member in (argument.split(".") for argument in arguments):
            body = re.search(rf"^class {kind}\(.*\):\n((?:[ #].*\n|\n)*)", code, re.MULTILINE)
            assert body
            assert re.search(rf"^ +{member} = ", body[1], re.MULTILINE), f"{kind}.{member}"
            assert re.search(rf"import {kind}\b", names)


@pytest.mark.parametrize("name", ["amdsmi_gpu_xgmi_error_status", "amdsmi_get_gpu_memory_usage", "amdsmi_get_gpu_vram_usage",
                                  "amdsmi_get_gpu_memory_reserved_pages"])
def test_what_changes_or_holds_something_is_not_asked_for(name: str) -> None:
    assert name not in {call[0] for call in CALLS.values()}
    assert name not in inspect.getsource(amdsmi)
