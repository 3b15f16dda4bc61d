# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What could not be read, and why."""

from __future__ import annotations

import typing as t

from .._core.errors import DataError
from .apart import UnreadableError

T = t.TypeVar("T")
A = t.TypeVar("A")


class Notes(dict[str, str]):
    """The ``unknown`` of a section while it is read."""

    def attempt(self, field: str, default: A, read: t.Callable[..., T], *arguments: t.Any) -> T | A:
        """Return what ``read`` returns; if it cannot be read or parsed, note why and return the default."""
        try:
            return read(*arguments)
        except UnreadableError as error:
            self.setdefault(field, str(error))
        except DataError as error:
            self.setdefault(field, error.sentence)
        return default
