# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The catalogue's files of products and drivers, read strictly; a later layer replaces a product by its name."""

from __future__ import annotations

import functools
import typing as t

from ..errors import DataError
from ..look.smi import numbers
from ..records import Document, begun, cited
from ..release.products import NAME
from ..release.provenance import CONFIDENCES
from ..strict import Contradiction, Reader
from .capabilities import Capabilities, MinorLimit, Pair, Period, ProductModes, Reloading, Version
from .shape import COMPUTE, MEMORY, STANDINGS

PRODUCTS, DRIVERS = "partition_products", "partition_drivers"
MEMORY_CHANGES = ("reload", "bios", "none")
Sources = t.Mapping[str, str]
_VERSION = r"\d+(?:\.\d+)*"


def read_capabilities(documents: t.Iterable[Document]) -> Capabilities:
    """All that the files say. A document is ``{path, data, layer}``, lowest layer first.

    Raises:
        DataError: a file is not of its form; the message names file and path.
        Contradiction: a product is twice in one layer, a pair is twice, or its parts do not fit each other.
    """
    products: dict[str, tuple[int, str, ProductModes]] = {}
    reloading: tuple[Reloading, ...] = ()
    minors: tuple[MinorLimit, ...] = ()
    for document in documents:
        reader, kind = begun(document["data"], document["path"], (PRODUCTS, DRIVERS))
        bind = functools.partial(functools.partial, known=reader.texts_by_name("sources"))
        if kind == PRODUCTS:
            _add(products, int(document.get("layer", 0)), reader.records("products", bind(_product)))
        else:
            reloading = reader.records("reloading", bind(_reloading), []) or reloading
            minors = reader.records("minors", bind(_minors), []) or minors
        reader.done()
    return Capabilities({name: product for name, (_layer, _path, product) in products.items()}, reloading, minors)


def _add(known: dict[str, tuple[int, str, ProductModes]], layer: int,
         placed: t.Iterable[tuple[str, ProductModes]]) -> None:
    for path, product in placed:
        other = known.get(product.name)
        if other and other[0] == layer:
            raise Contradiction(f"{path}.name", f"{product.name!r} is also {other[1]}", "remove one")
        known[product.name] = (layer, path, product)


def _product(reader: Reader, known: Sources) -> tuple[str, ProductModes]:
    product = ProductModes(
        name=reader.text("name", pattern=NAME), xcds=_some(reader, "xcds"),
        compute_units=_some(reader, "compute_units"), memory_mib=_some(reader, "memory_mib"),
        memory_change=reader.choice("memory_change", MEMORY_CHANGES),
        pairs=reader.records("pairs", functools.partial(_pair, known=known), []),
        virtual=reader.records("virtual", _virtual, []),
        automatic=_automatic(reader), alternative=reader.text("alternative", ""), sources=cited(reader, known),
    )
    reader.choice("confidence", CONFIDENCES)
    _check(product, reader.path)
    return reader.path, product


def _check(product: ProductModes, path: str) -> None:
    """Raise Contradiction where the parts do not fit each other."""
    if bool(product.pairs) == bool(product.alternative):
        raise Contradiction(f"{path}.alternative", "is for products without pairs", "give one of alternative and pairs")
    for index, pair in enumerate(product.pairs):
        where = f"{path}.pairs[{index}]"
        if product.pair(pair.compute, pair.memory) is not pair:
            raise Contradiction(where, f"{pair.text} is there twice", "remove one")
        if product.devices(pair.compute) != pair.devices:
            raise Contradiction(f"{where}.devices", f"is {pair.devices}, and another pair with {pair.compute} has "
                                f"{product.devices(pair.compute)}", "correct one")
        if product.xcds % pair.devices:
            raise Contradiction(f"{where}.devices", f"is {pair.devices}, and {product.xcds} XCDs cannot be divided so",
                                "correct it")


def _pair(reader: Reader, known: Sources) -> Pair:
    periods = reader.records("periods", _period)
    if not periods:
        raise DataError(f"{reader.path}.periods", "is empty", "say how well the pair is known")
    ordered = tuple(sorted(periods, key=lambda period: period.driver_from))
    return Pair(reader.choice("compute", COMPUTE), reader.choice("memory", MEMORY), _some(reader, "devices"), ordered,
                reader.text("note", ""), cited(reader, known))


def _period(reader: Reader) -> Period:
    return Period(reader.choice("standing", STANDINGS), numbers(reader.text("driver_from", "", _VERSION)))


def _virtual(reader: Reader) -> tuple[int, str, str]:
    return _some(reader, "functions"), reader.choice("compute", COMPUTE), reader.choice("memory", MEMORY)


def _automatic(reader: Reader) -> dict[str, str]:
    modes = reader.texts_by_name("automatic")
    for memory, compute in modes.items():
        if memory not in MEMORY or compute not in COMPUTE:
            raise DataError(f"{reader.path}.automatic.{memory}", f"is {compute!r}",
                            f"write one of {', '.join(MEMORY)} and one of {', '.join(COMPUTE)}")
    return modes


def _reloading(reader: Reader, known: Sources) -> Reloading:
    return Reloading(_version(reader, "library_from"), reader.flag("by_library", True), cited(reader, known))


def _minors(reader: Reader, known: Sources) -> MinorLimit:
    return MinorLimit(_version(reader, "kernel_from"), reader.count("devices") if _said(reader) else None,
                      cited(reader, known))


def _said(reader: Reader) -> bool:
    """Whether the limit is a number; null is said: enough for any node."""
    return reader.anything("devices") is not None


def _version(reader: Reader, key: str) -> Version:
    return numbers(reader.text(key, pattern=_VERSION))


def _some(reader: Reader, key: str) -> int:
    number = reader.count(key)
    if not number:
        raise DataError(f"{reader.path}.{key}", "is missing or 0", "write how many there are")
    return number
