# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What holds for every shape of a look: absent is None, and every section can say what it does not know."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look import gpus
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as look

CLASSES = sorted({c for module in (look, gpus) for c in vars(module).values() if dc.is_dataclass(c)}, key=lambda c: c.__name__)
SECTIONS = {"".join(word.title() for word in name.split("_")) for name in look.ALL_SECTIONS}
# A thing is somewhere or it is not; these answers are never missing.
PLAIN_ANSWERS = {("Os", "root"), ("InstalledKernel", "headers"), ("InstalledKernel", "modules"), ("Smi", "simulated"), ("Smi", "source"),
                 ("Hit", "first_time"), ("Hit", "last_time"), ("Settings", "files")}


@pytest.mark.parametrize("cls", CLASSES)
def test_a_field_that_was_not_read_is_none_and_not_zero(cls: type) -> None:
    defaults = {f.name: f.default for f in dc.fields(cls) if f.default is not dc.MISSING and (cls.__name__, f.name) not in PLAIN_ANSWERS}
    assert {name: d for name, d in defaults.items() if not (d in (None, ()) or dc.is_dataclass(d) or name == "schema")} == {}


@pytest.mark.parametrize("name", sorted(SECTIONS))
def test_every_section_can_say_what_it_does_not_know(name: str) -> None:
    assert "unknown" in {field.name for field in dc.fields(getattr(look, name))}


def test_the_gpu_sections_are_sections() -> None:
    assert set(look.GPU_SECTIONS) < set(look.SECTIONS)
