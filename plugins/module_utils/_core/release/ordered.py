# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Base of all version types: ordered within one type, never across types."""

from __future__ import annotations

import typing as t


class Ordered:
    """A value with a ``key``. Comparing it with another version type is a TypeError, ``==`` included.

    ROCm, driver and module numbers live side by side and look alike (7.2.3, 30.30.3, 6.16.13): a comparison across
    them is always a mistake, and a silent False would hide it.
    """

    @property
    def key(self) -> tuple[t.Any, ...]:
        """What is compared."""
        raise NotImplementedError

    def _compared(self, other: object) -> tuple[t.Any, ...] | None:
        if type(other) is type(self):
            return other.key
        if isinstance(other, Ordered):
            raise TypeError(f"a {type(self).__name__} cannot be compared with a {type(other).__name__}")
        return None

    def __eq__(self, other: object) -> bool:
        key = self._compared(other)
        return NotImplemented if key is None else self.key == key

    def __hash__(self) -> int:
        return hash((type(self).__name__, self.key))

    def __lt__(self, other: object) -> bool:
        key = self._compared(other)
        return NotImplemented if key is None else self.key < key

    def __le__(self, other: object) -> bool:
        key = self._compared(other)
        return NotImplemented if key is None else self.key <= key

    def __gt__(self, other: object) -> bool:
        key = self._compared(other)
        return NotImplemented if key is None else self.key > key

    def __ge__(self, other: object) -> bool:
        key = self._compared(other)
        return NotImplemented if key is None else self.key >= key
