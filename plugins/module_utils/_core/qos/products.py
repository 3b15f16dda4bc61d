# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What products take of performance levels and clocks: the catalogue's data."""

from __future__ import annotations

import dataclasses as dc
import functools
import typing as t

from ..records import Document, Layers, begun, cited
from ..release.products import NAME
from ..strict import Reader
from .shape import LEVELS, MCLK_MAX, SCLK_MAX, SCLK_MIN

KIND = "qos_products"
REFUSED = "refused"
ANSWERS = ("taken", "depends", REFUSED)


@dc.dataclass(frozen=True)
class Limits:
    """What one product takes.

    Attributes:
        id: MI210.
        levels: performance levels.
        determinism: taken, depends (on firmware: the node is asked), refused.
        sclk_max_mhz, mclk_max_mhz: highest clock that can be set as a limit; None: that clock takes none.
    """

    id: str
    levels: tuple[str, ...]
    determinism: str
    sclk_max_mhz: int | None
    mclk_max_mhz: int | None
    sources: tuple[str, ...] = ()

    @property
    def clocks(self) -> tuple[str, ...]:
        """The clocks that take a limit."""
        found = () if self.sclk_max_mhz is None else (SCLK_MIN, SCLK_MAX)
        return found if self.mclk_max_mhz is None else (*found, MCLK_MAX)


Products = t.Mapping[str, Limits]


def read_products(documents: t.Iterable[Document]) -> dict[str, Limits]:
    """All that the files say, by product. A document is ``{path, data, layer}``, lowest layer first.

    Raises:
        DataError: a file is not of its form; the message names file and path.
        Contradiction: a product is twice in one layer.
    """
    found: Layers[Limits] = Layers()
    for document in documents:
        reader, _kind = begun(document["data"], document["path"], (KIND,))
        known = reader.texts_by_name("sources")
        found.add(document, reader.records("products", functools.partial(_limits, known=known)))
        reader.done()
    return found.by_id


def _limits(reader: Reader, known: t.Mapping[str, str]) -> tuple[str, Limits]:
    levels = reader.texts("performance_levels", pattern="|".join(LEVELS))
    return reader.path, Limits(
        reader.text("name", pattern=NAME), levels, reader.choice("determinism", ANSWERS), reader.count("sclk_max_mhz"),
        reader.count("mclk_max_mhz"), cited(reader, known))
