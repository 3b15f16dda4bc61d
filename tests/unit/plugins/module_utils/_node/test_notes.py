# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What cannot be read leaves a reason and a default."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._node.apart import UnreadableError
from ansible_collections.instinct.fleet.plugins.module_utils._node.notes import Notes


def fail(error: Exception) -> t.NoReturn:
    """Raise it."""
    raise error


@pytest.mark.parametrize(("error", "reason"), [
    (UnreadableError("needs root"), "needs root"), (DataError("file", "is damaged"), "file: is damaged")])
def test_attempt_notes_the_reason(error: Exception, reason: str) -> None:
    notes = Notes()
    assert notes.attempt("field", 7, fail, error) == 7
    assert notes == {"field": reason}


def test_attempt_keeps_the_first_reason() -> None:
    notes = Notes(field="first")
    notes.attempt("field", None, fail, UnreadableError("second"))
    assert notes == {"field": "first"}


def test_attempt_returns_what_is_read_and_lets_defects_pass() -> None:
    notes = Notes()
    assert notes.attempt("field", None, divmod, 7, 2) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        notes.attempt("field", None, divmod, 7, 0)
    assert notes == {}
