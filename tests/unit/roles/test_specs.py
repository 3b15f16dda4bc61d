# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every entry point of every role is specified, and the specification says what the role really does by default."""

from __future__ import annotations

import fnmatch
import re
import typing as t

import pytest

from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT, data, files, roles

ROLES = roles()
INCLUDE = re.compile(r"(?:include|import)_tasks:[ ]*(?:\n\s+file:\s*)?[\"']?((?:\{\{[^}]*\}\}|[^\s\"'])+)")


def specs(role: str) -> dict[str, t.Any]:
    """Specifications of a role's entry points by name."""
    found = data(f"roles/{role}/meta/argument_specs.yml")
    assert isinstance(found, dict)
    return dict(found["argument_specs"])


def options(role: str) -> dict[str, dict[str, t.Any]]:
    """Options of all entry points of a role together."""
    return {name: option for spec in specs(role).values() for name, option in spec.get("options", {}).items()}


def mapping(path: str) -> dict[str, t.Any]:
    """What a file of variables holds; nothing if there is no such file."""
    found = data(path) if (ROOT / path).exists() else {}
    assert isinstance(found, dict)
    return found


def entry_points(role: str) -> set[str]:
    """Task files of a role that no other of its task files includes: those are for users."""
    paths = files(f"roles/{role}/tasks/**/*.yml", f"roles/{role}/handlers/*.yml")
    texts = [(ROOT / p).read_text(encoding="utf-8") for p in paths]
    included = {re.sub(r"\{\{.*?\}\}", "*", name) for text in texts for name in INCLUDE.findall(text)}
    own = {p.removeprefix(f"roles/{role}/tasks/") for p in paths if "/tasks/" in p}
    return {n.removesuffix(".yml") for n in own if not any(fnmatch.fnmatch(n, i) for i in included)}


def undescribed(options_: t.Mapping[str, t.Any], prefix: str = "") -> t.Iterator[str]:
    """Names of options, sub-options too, that lack a description or a type."""
    for name, option in options_.items():
        untyped = "type" not in option or (option["type"] == "list" and "elements" not in option)
        if untyped or not option.get("description"):
            yield prefix + name
        yield from undescribed(option.get("options", {}), f"{prefix}{name}.")


@pytest.mark.parametrize("role", ROLES)
def test_every_entry_point_is_specified(role: str) -> None:
    missing = entry_points(role) - set(specs(role))
    assert missing == set()
    assert [entry for entry in specs(role) if not (ROOT / f"roles/{role}/tasks/{entry}.yml").is_file()] == []


@pytest.mark.parametrize("role", ROLES)
def test_specified_defaults_are_the_real_ones(role: str) -> None:
    specified = {name: option["default"] for name, option in options(role).items() if "default" in option}
    assert mapping(f"roles/{role}/defaults/main.yml") == specified


@pytest.mark.parametrize("role", ROLES)
def test_entry_points_agree_on_an_option(role: str) -> None:
    merged = options(role)
    for spec in specs(role).values():
        assert spec.get("options", {}).items() <= merged.items()


@pytest.mark.parametrize("role", ROLES)
def test_no_option_is_required_and_has_a_default(role: str) -> None:
    assert [name for name, option in options(role).items() if option.get("required") and "default" in option] == []


@pytest.mark.parametrize("role", ROLES)
def test_options_and_entry_points_are_described(role: str) -> None:
    assert list(undescribed(options(role))) == []
    assert [entry for entry, spec in specs(role).items() if not {"short_description", "description"} <= set(spec)] == []


@pytest.mark.parametrize("role", ROLES)
def test_variables_carry_the_name_of_their_role(role: str) -> None:
    names = set(options(role)) | set(mapping(f"roles/{role}/defaults/main.yml"))
    assert [n for n in sorted(names) if not n.startswith(f"{role}_")] == []
    internal = {n for p in files(f"roles/{role}/vars/*.yml") for n in mapping(p)}
    assert [n for n in sorted(internal) if not n.startswith((f"{role}_", f"__{role}_"))] == []
