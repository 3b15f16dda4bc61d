# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""A profile: what the GPUs of a node should be, by a name; and the rules that it is made of."""

from __future__ import annotations

import dataclasses as dc
import re

from ..errors import DataError
from ..release.products import NAME as PRODUCT
from ..strict import Reader
from .shape import COMPUTE, MEMORY

VERSION, KIND = "v1", "partition_profile"
NAME = r"[a-z0-9]+(?:-[a-z0-9]+)*"
ALL = ("all",)
SELECTOR, MOST = r"[0-9A-Za-z.:_-]{1,64}", 9999  # what names one GPU: text, or an index
INLINE = "gpu_partition_gpus"


@dc.dataclass(frozen=True)
class Rule:
    """What some GPUs should be.

    Attributes:
        gpus: ALL, or which: each an index in PCI order ("3"), a PCI address or a UUID.
        compute: one of COMPUTE.
        memory: one of MEMORY.
        where: for messages.
    """

    gpus: tuple[str, ...]
    compute: str
    memory: str
    where: str = INLINE


@dc.dataclass(frozen=True)
class Profile:
    """Rules with a name.

    Attributes:
        name: cpx-nps4; empty for rules that were given inline.
        products: that it is for; empty: any.
        count: GPUs that a node must have; None: any number.
        where: for messages.
    """

    name: str
    description: str
    products: tuple[str, ...]
    count: int | None
    rules: tuple[Rule, ...]
    where: str = INLINE

    @classmethod
    def from_document(cls, data: object, where: str) -> Profile:
        """The profile in a file.

        Raises:
            DataError: it is not of the form; the message names file and path.
        """
        reader = Reader(data, f"{where}:")
        reader.choice("version", (VERSION,))
        reader.choice("kind", (KIND,))
        name = reader.text("name", pattern=NAME)
        profile = cls(name, reader.text("description", ""), reader.texts("products", (), PRODUCT),
                      reader.count("count"), reader.records("gpus", _rule), f"profile {name}")
        reader.done()
        if not profile.rules:
            raise DataError(f"{where}: gpus", "is empty", "say what the GPUs should be")
        if profile.count == 0:
            raise DataError(f"{where}: count", "is 0", "write how many GPUs a node must have, or leave it out")
        return profile

    @classmethod
    def inline(cls, rules: object, where: str = INLINE) -> Profile:
        """Rules that were given without a file.

        Raises:
            DataError: they are not of the form.
        """
        if not isinstance(rules, list) or not rules:
            raise DataError(where, "is empty or no list", "write it as a list of {gpus, compute, memory}")
        return cls("", "", (), None, tuple(_done(Reader(rule, f"{where}[{i}]")) for i, rule in enumerate(rules)), where)


def _done(reader: Reader) -> Rule:
    rule = _rule(reader)
    reader.done()
    return rule


def _rule(reader: Reader) -> Rule:
    return Rule(_selectors(reader), reader.choice("compute", COMPUTE), reader.choice("memory", MEMORY), reader.path)


def _names_one(item: object) -> bool:
    """Whether it has the form of an index, an address or a UUID."""
    if isinstance(item, str):
        return item != "all" and re.fullmatch(SELECTOR, item, re.ASCII) is not None
    return isinstance(item, int) and not isinstance(item, bool) and 0 <= item <= MOST


def _selectors(reader: Reader) -> tuple[str, ...]:
    value, where = reader.anything("gpus"), f"{reader.path}.gpus"
    hint = "write all, or a list of indexes, PCI addresses and UUIDs"
    if value == "all":
        return ALL
    if not isinstance(value, list) or not value:
        raise DataError(where, "is neither all nor a list of GPUs", hint)
    for index, item in enumerate(value):
        if not _names_one(item):
            raise DataError(f"{where}[{index}]", "is neither a number nor text that names one GPU", hint)
        if item in value[:index]:
            raise DataError(f"{where}[{index}]", f"{item!r} is there twice", "remove one")
    return tuple(str(item) for item in value)
