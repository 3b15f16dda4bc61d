# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What was before the first change, so that it can be given back: /var/lib/instinct/tuning.json."""

from __future__ import annotations

import dataclasses as dc
import json
import typing as t

from ..records import VERSION
from ..strict import from_json

KIND = "tuning"
_HINT = "remove the file: what was before is not known then, and stays as it is at a removal"


@dc.dataclass(frozen=True)
class Record:
    """What was before.

    Attributes:
        sysctls: name -> value.
        registers: PCI address -> control register of access control services, as hexadecimal text.
        arguments: words that we gave to boot entries.
    """

    sysctls: t.Mapping[str, str] = dc.field(default_factory=dict)
    registers: t.Mapping[str, str] = dc.field(default_factory=dict)
    arguments: tuple[str, ...] = ()

    @classmethod
    def read(cls, text: str, where: str) -> Record:
        """From the text of the file.

        Raises:
            DataError: it is not of the form.
        """
        reader = from_json(text, where, _HINT)
        reader.choice("version", (VERSION,))
        reader.choice("kind", (KIND,))
        found = cls(reader.texts_by_name("sysctls"), reader.texts_by_name("registers"), reader.texts("arguments"))
        reader.done()
        return found

    def beside(self, older: Record) -> Record:
        """Both together. What an older one says of a thing counts."""
        arguments = dict.fromkeys((*older.arguments, *self.arguments))
        return Record({**self.sysctls, **older.sysctls}, {**self.registers, **older.registers}, tuple(arguments))

    @property
    def text(self) -> str:
        """The text of the file; empty where there is nothing to give back."""
        if self == Record():
            return ""
        data = {"version": VERSION, "kind": KIND, "sysctls": dict(self.sysctls), "registers": dict(self.registers),
                "arguments": list(self.arguments)}
        return json.dumps(data, indent=1, sort_keys=True) + "\n"
