# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""A look in which GPUs have the names of their products: without a driver nothing on the node says them."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..look import shape as lk
from .products import DeviceIds, candidates


def named(look: lk.Look, products: t.Sequence[DeviceIds]) -> lk.Look:
    """The look with products by PCI device ids, where the node names none and the id is that of one product."""
    if look.gpus is None:
        return look
    return dc.replace(look, gpus=dc.replace(look.gpus, gpus=tuple(_named(gpu, products) for gpu in look.gpus.gpus)))


def _named(gpu: lk.Gpu, products: t.Sequence[DeviceIds]) -> lk.Gpu:
    known = candidates(products, gpu.device_id, gpu.market_name) if gpu.product is None else ()
    return dc.replace(gpu, product=known[0].name) if len(known) == 1 else gpu
