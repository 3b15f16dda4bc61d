# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module on this machine, and its documentation against the dataclasses."""

from __future__ import annotations

import dataclasses as dc
import typing as t

import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as look
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.managed import MANAGED_FILES
from ansible_collections.instinct.fleet.plugins.modules import gpu_node_info
from ansible_collections.instinct.fleet.tests.unit.plugins.run_module import run_module


@pytest.mark.parametrize("check", [False, True])
def test_all_sections_of_this_machine(check: bool) -> None:
    result = run_module(gpu_node_info, {}, check=check)
    assert (result["failed"], result["changed"]) == (False, False)
    assert [name for name in look.SECTIONS if result["look"][name] is None] == []


def test_only_what_is_asked_for() -> None:
    result = run_module(gpu_node_info, {"sections": ["files", "os"], "files": ["/etc/passwd", "/none"]})
    seen = result["look"]
    assert [name for name in look.ALL_SECTIONS if seen[name] is not None] == ["os", "files"]
    paths = [file["path"] for file in seen["files"]["files"]]
    assert paths == [*MANAGED_FILES, "/etc/passwd", "/none"]
    assert [file["owner"] for file in seen["files"]["files"][-2:]] == ["root", None]


@pytest.mark.parametrize(("arguments", "words"), [
    ({"sections": ["kernels"]}, "value of sections must be one or more of"), ({"timeout": 0}, "timeout: 0 is too short"),
    ({"section": ["os"]}, "Unsupported parameters")])
def test_refusals(arguments: dict[str, t.Any], words: str) -> None:
    result = run_module(gpu_node_info, arguments)
    assert result["failed"] is True
    assert words in result["msg"]


def kind(annotation: str) -> tuple[str, str | None, type | None]:
    """Documented type, type of elements, and dataclass of an annotation; read as text, for Python 3.9."""
    word = annotation.removesuffix(" | None")
    if word.startswith("tuple["):
        element, _none, inner = kind(word[len("tuple["):-len(", ...]")])
        return "list", element, inner
    if word.startswith("dict[") or word == "Unknown":
        return "dict", None, None
    inner = getattr(look, word, None)
    return ("dict" if inner else word), None, inner


def shape(cls: type) -> dict[str, t.Any]:
    """Fields of a dataclass: name -> (type, type of elements, fields)."""
    found = {}
    for field in dc.fields(cls):
        name, elements, inner = kind(str(field.type))
        found[field.name] = (name, elements, shape(inner) if inner else None)
    return found


def documented(contains: dict[str, t.Any]) -> dict[str, t.Any]:
    """The same of documented return values."""
    return {name: (value["type"], value.get("elements"), documented(value["contains"]) if "contains" in value else None)
            for name, value in contains.items()}


def test_every_field_is_documented_with_its_type() -> None:
    assert documented(yaml.safe_load(gpu_node_info.RETURN)["look"]["contains"]) == shape(look.Look)


def test_every_section_can_be_asked_for() -> None:
    option = yaml.safe_load(gpu_node_info.DOCUMENTATION)["options"]["sections"]
    assert tuple(option["choices"]) == look.ALL_SECTIONS
