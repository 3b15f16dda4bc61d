# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a look ends a module."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._look import entry


class Ended(Exception):
    """The module ended with this result."""

    def __init__(self, **result: t.Any) -> None:
        super().__init__(result)
        self.result = result


class Module:
    """As much of a module as the entry touches."""

    def __init__(self, timeout: int) -> None:
        self.params = {"timeout": timeout}

    def exit_json(self, **result: t.Any) -> t.NoReturn:
        """End well."""
        raise Ended(**result)

    def fail_json(self, **result: t.Any) -> t.NoReturn:
        """End badly."""
        raise Ended(failed=True, **result)


def end(timeout: int) -> dict[str, t.Any]:
    """What a module with this timeout returns."""
    with pytest.raises(Ended) as ended:
        entry.look(Module(timeout), ["rocm"])  # type: ignore[arg-type]
    return ended.value.result


def test_look_ends_the_module_unchanged() -> None:
    result = end(30)
    assert result["changed"] is False
    assert [name for name, section in result["look"].items() if section is not None] == ["schema", "rocm", "elapsed_ms"]


@pytest.mark.parametrize("timeout", [0, -5])
def test_look_refuses_a_time_in_which_nothing_can_be_read(timeout: int) -> None:
    assert end(timeout) == {
        "failed": True, "msg": f"timeout: {timeout} is too short; give at least 1 second",
        "failure": {"where": "timeout", "what": f"{timeout} is too short", "hint": "give at least 1 second", "source": ""}}
