# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Arguments as engines take them."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.image.argument_rules import VALUES
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.arguments import GROUP, Argument
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.arguments_text import text

GIVEN = [Argument("device", "amd.com/gpu=0"), Argument(GROUP, "993"), Argument("limit", "memlock=-1:-1"), Argument("shared_memory", "16g"),
         Argument("network", "host"), Argument("seccomp", "unconfined"), Argument("environment", 'A=5% "\\"')]
OPTIONS = ["--group-add=993", "--ulimit=memlock=-1:-1", "--shm-size=16g", "--network=host", "--security-opt=seccomp=unconfined"]


@pytest.mark.parametrize("engine", ["podman", "docker"])
def test_commands_take_options_and_the_image_last(engine: str) -> None:
    assert {one.kind for one in GIVEN} == {*VALUES, GROUP}
    assert text(GIVEN, engine, "image") == ["--device=amd.com/gpu=0", *OPTIONS, '--env=A=5% "\\"', "image"]


def test_a_unit_has_keys_for_what_the_first_quadlet_knows() -> None:
    assert text(GIVEN, "quadlet", "image") == [
        "Image=image", "AddDevice=amd.com/gpu=0", *(f"PodmanArgs={option}" for option in OPTIONS),
        'Environment="A=5%% \\"\\\\\\""']
