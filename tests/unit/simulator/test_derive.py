# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Derived bindings: what they take away, what they warn of, and that nobody can take them for a release."""

from __future__ import annotations

import typing as t
from pathlib import Path

import build
import derive
import pytest

if t.TYPE_CHECKING:
    from instinct_sim.state import Store

    NewNode = t.Callable[..., Store]

PROGRAM = """
import json, warnings
import amdsmi as a
warnings.simplefilter("always")
a.amdsmi_init()
handle = a.amdsmi_get_processor_handles()[0]
names = [name for name in ("amdsmi_gpu_driver_reload", "amdsmi_get_gpu_compute_partition", "amdsmi_set_gpu_compute_partition",
    "amdsmi_set_gpu_memory_partition", "amdsmi_set_gpu_memory_partition_mode") if hasattr(a, name) and hasattr(a.amdsmi_interface, name)]
with warnings.catch_warnings(record=True) as caught:
    if hasattr(a, "amdsmi_get_gpu_compute_partition"):
        a.amdsmi_get_gpu_compute_partition(handle)
try:
    came = a.amdsmi_get_gpu_accelerator_partition_profile(handle)["partition_profile"]["profile_type"]
except a.AmdSmiLibraryException as error:
    came = error.get_error_code()
print(json.dumps([a.__version__, names, [w.category.__name__ for w in caught], came]))
"""
OLD = ["amdsmi_get_gpu_compute_partition", "amdsmi_set_gpu_compute_partition", "amdsmi_set_gpu_memory_partition"]
NEW = ["amdsmi_set_gpu_memory_partition_mode"]
BINDINGS = [
    ("7.0.2", ["7.0.2", ["amdsmi_gpu_driver_reload", *OLD, *NEW], [], "N/A"]),
    ("10.1-derived", ["27.1.0+derived", [*OLD, *NEW], ["DeprecationWarning"], 30]),
    ("11.0-derived", ["28.0.0+derived", NEW, [], 30]),
]


@pytest.mark.parametrize(("version", "wanted"), BINDINGS, ids=[version for version, _ in BINDINGS])
def test_generation_has_its_names(version: str, wanted: list[t.Any], libraries: t.Any, new_node: NewNode) -> None:
    store = new_node(status__amdsmi_get_gpu_accelerator_partition_profile="30")
    assert libraries(version).run(PROGRAM, store) == wanted


def test_published_files_stay_as_they_are() -> None:
    published, made = build.fetch("7.0.2") / "amdsmi", build.fetch("10.1-derived") / "amdsmi"
    assert (made / "amdsmi_interface.py").read_bytes() == (published / "amdsmi_interface.py").read_bytes()
    assert (made / f"{derive.INSIDE}.py").read_bytes() == (published / "__init__.py").read_bytes()
    assert "NO release of AMD's" in (made / "__init__.py").read_text(encoding="utf-8")


def test_binding_of_an_older_recipe_is_made_anew(tmp_path: Path) -> None:
    published = build.fetch("7.0.2")
    package = derive.derive("11.0-derived", published, tmp_path / "made") / "amdsmi" / "__init__.py"
    package.write_text("an older one", encoding="utf-8")
    derive.derive("11.0-derived", published, tmp_path / "made")
    assert "an older one" not in package.read_text(encoding="utf-8")
    assert [path.name for path in tmp_path.iterdir()] == ["made"]


def test_library_has_the_number_of_its_generation() -> None:
    assert build.library_version(build.fetch("11.0-derived") / "amdsmi") == "28.0.0"
