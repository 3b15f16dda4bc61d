# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What nodes are given of what the controller has read, as plain data.

Paths are short, so that every control machine writes the same bytes.
"""

from __future__ import annotations

import pathlib
import typing as t

from ..module_utils._core.release.products import Product
from . import catalogue_files

Plain = dict[str, t.Any]


def products() -> tuple[Product, ...]:
    """What the collection knows of products.

    Raises:
        FleetError: a file is not right.
    """
    return catalogue_files.catalogue((), "").products  # no release, but all that releases are checked against


def product_ids() -> list[Plain]:
    """The PCI ids by which products are known. Errors as of ``products``."""
    return [{"name": product.name, "pci_ids": list(product.pci_ids), "vf_ids": list(product.vf_ids)}
            for product in products()]


def short(path: str) -> str:
    """The last two parts of a path."""
    return "/".join(pathlib.PurePath(path).parts[-2:])


def shortened(document: t.Mapping[str, t.Any]) -> Plain:
    """A document with a short path."""
    return {**document, "path": short(document["path"])}
