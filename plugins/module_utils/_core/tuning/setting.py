# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""One setting of a host: what is set, for whom, and why."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from ..errors import DataError
from ..records import ID, Placed, sources
from ..release.products import NAME as PRODUCT
from ..release.provenance import CONFIDENCES
from ..strict import Contradiction, Reader

ARGUMENT, SYSCTL, USER_LIMIT, SERVICE_LIMIT = "kernel_argument", "sysctl", "user_limit", "service_limit"
ACCESS, UNATTENDED, ENVIRONMENT = "access_control", "unattended_upgrades", "environment"
_WORD = r"[A-Za-z0-9_.,:=@/+-]+"
# Kind -> forms of name and value. Both are written into files of programs that would read other characters otherwise.
FORMS = {
    ARGUMENT: (r"[A-Za-z0-9_.-]+", _WORD),
    SYSCTL: (r"[a-z0-9_]+(?:\.[A-Za-z0-9_-]+)+", r"[0-9A-Za-z_.-]+(?: [0-9A-Za-z_.-]+)*"),
    USER_LIMIT: (r"[a-z]+", r"unlimited|[0-9]+"),
    SERVICE_LIMIT: (r"[A-Z]+", r"infinity|[0-9]+"),
    ACCESS: (r"pci", r"off|on"),
    UNATTENDED: (r"[A-Za-z0-9.+*^$-]+", r"never"),
    ENVIRONMENT: (r"[A-Z][A-Z0-9_]*", _WORD),
}
CPUS = ("", "AuthenticAMD", "GenuineIntel")
COOPERATIVE = frozenset({ENVIRONMENT})  # programs follow it of their own will


@dc.dataclass(frozen=True)
class Setting:
    """One setting.

    Attributes:
        id: as profiles name it.
        kind: one of FORMS.
        value: empty: a site gives one, for none is safe for every node.
        products, except_products: of the node's GPUs, that it is for or not for; empty: all, none.
        cpu: vendor of the CPUs that it is for; empty: any.
        accumulates: of kernel arguments, that several of that name stand side by side.
        against: kernel arguments that contradict it.
    """

    id: str
    kind: str
    name: str
    value: str
    products: tuple[str, ...] = ()
    except_products: tuple[str, ...] = ()
    cpu: str = ""
    accumulates: bool = False
    against: tuple[str, ...] = ()
    why: str = ""
    sources: tuple[str, ...] = ()
    confidence: str = ""

    @classmethod
    def read(cls, reader: Reader) -> Placed[Setting]:
        """One record of ``settings``, with its place."""
        ident, kind = reader.text("id", pattern=ID), reader.choice("kind", tuple(FORMS))
        name, value = FORMS[kind]
        found = cls(
            ident, kind, reader.text("name", pattern=name), reader.text("value", "", value),
            reader.texts("products", (), PRODUCT), reader.texts("except_products", (), PRODUCT),
            reader.choice("cpu", CPUS, ""), reader.flag("accumulates", False), reader.texts("against", (), _WORD),
            reader.text("why"), sources(reader), reader.choice("confidence", CONFIDENCES),
        )
        if kind != ARGUMENT and (found.accumulates or found.against):
            raise Contradiction(f"{reader.path}.kind", f"{kind} has neither accumulates nor against", "take them out")
        return reader.path, found

    @classmethod
    def given(cls, raw: t.Mapping[str, t.Any]) -> Setting:
        """What ``told`` made.

        Raises:
            DataError: name or value is not of the form of its kind.
        """
        found = cls(raw["id"], raw["kind"], raw["name"], raw["value"], accumulates=raw["accumulates"],
                    against=tuple(raw["against"]))
        return found.valued(found.value)

    def valued(self, value: str) -> Setting:
        """The same with this value.

        Raises:
            DataError: name or value is not of the form of its kind.
        """
        for what, text, form in zip(("name", "value"), (self.name, value), FORMS[self.kind]):
            if not re.fullmatch(form, text, re.ASCII):
                raise DataError(f"setting {self.id}", f"its {what} is {text!r}, which does not match {form}",
                                "give it in host_tuning_values" if not text else "write it in that form")
        return dc.replace(self, value=value)

    @property
    def told(self) -> dict[str, t.Any]:
        """What a node is told of it."""
        return {"id": self.id, "kind": self.kind, "name": self.name, "value": self.value,
                "accumulates": self.accumulates, "against": list(self.against)}

    @property
    def word(self) -> str:
        """A kernel argument as it stands on the command line, and the like: iommu=pt."""
        return f"{self.name}={self.value}"
