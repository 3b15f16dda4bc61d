# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bindings made up for one test: the functions that it needs, and exceptions as the vendor's have them."""

from __future__ import annotations

import types
import typing as t


class LibraryError(Exception):
    """An exception as bindings have it."""

    def __init__(self, code: int) -> None:
        super().__init__(f"Error code:\n\t{code} | AMDSMI_STATUS_X - words")
        self.code = code

    def get_error_code(self) -> int:
        """The code."""
        return self.code


def binding(**functions: t.Callable[..., t.Any]) -> types.SimpleNamespace:
    """A binding with these functions."""
    return types.SimpleNamespace(AmdSmiException=LibraryError, AmdSmiLibraryException=LibraryError, **functions)


def throw(error: Exception) -> t.Callable[..., t.NoReturn]:
    """A function that raises."""
    def function(*_arguments: t.Any) -> t.NoReturn:
        raise error
    return function
