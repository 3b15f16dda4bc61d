# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""One error type for everything that is refused, so that every refusal reads alike."""

from __future__ import annotations

import typing as t


class FleetError(Exception):
    """A refusal in one sentence: where, what, and what to do next.

    Attributes:
        where: the thing that is wrong (a node, a GPU, a variable, a file path).
        what: what was found, and why it cannot be.
        hint: the next step of the operator; empty if there is none.
        source: where the broken rule is documented; empty for our own rules.
    """

    def __init__(self, where: str, what: str, hint: str = "", source: str = "") -> None:
        self.where = where
        self.what = what
        self.hint = hint
        self.source = source
        super().__init__(self.sentence)

    @property
    def sentence(self) -> str:
        """``where: what; hint (source)`` without a full stop."""
        text = f"{self.where}: {self.what}"
        if self.hint:
            text += f"; {self.hint}"
        if self.source:
            text += f" (source: {self.source})"
        return text

    def to_dict(self) -> dict[str, t.Any]:
        """Plain data for the ``failure`` return value of modules."""
        return {"where": self.where, "what": self.what, "hint": self.hint, "source": self.source}


class DataError(FleetError):
    """Data from outside (an inventory, a catalogue file, a host) is not of the form it must have."""
