# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What a site says of its nodes, read strictly: of a name that is written wrong nothing would ever be asked."""

from __future__ import annotations

import re
import typing as t

from ..errors import DataError
from ..near import hint
from ..strict import Reader
from .shape import Wants

NOT_ASKED = -1
# source: https://llvm.org/docs/AMDGPUUsage.html#processors
_GFX = re.compile(r"gfx[0-9]{1,3}[0-9a-f]{2}", re.ASCII)
# Providers of libibverbs. source: linux-rdma/rdma-core:providers
PROVIDERS = ("bnxt_re", "cxgb4", "efa", "erdma", "hfi1verbs", "hns", "ionic", "ipathverbs", "irdma", "mana", "mlx4",
             "mlx5", "mthca", "ocrdma", "qedr", "rxe", "siw", "vmw_pvrdma")


def wants(release: str, gfx: t.Sequence[object], render_gid: int, verbs: object,
          providers: t.Iterable[str] = ()) -> Wants:
    """What an image must be to them; its ROCm is not known yet. ``providers``: of families that a site knows besides.

    Raises:
        DataError: something is no instruction set, no number of a group, or no provider.
    """
    for index, name in enumerate(gfx):
        if not _GFX.fullmatch(str(name)):
            raise DataError(f"rocm_image_gfx[{index}]", f"{str(name)!r} is no instruction set of a GPU",
                            "write it as rocminfo says it: gfx942")
    if render_gid < NOT_ASKED:
        raise DataError("rocm_image_render_gid", f"is {render_gid}, which is no number of a group",
                        f"write the number of the group render on the nodes, or {NOT_ASKED}")
    reader, known = Reader(verbs, "rocm_image_verbs"), {*PROVIDERS, *providers}
    spoken = {_provider(str(name), known): reader.count(str(name)) or 0
              for name in t.cast("dict[object, object]", verbs)}
    return Wants(release, "", tuple(map(str, gfx)), None if render_gid == NOT_ASKED else render_gid, spoken)


def _provider(name: str, known: t.AbstractSet[str]) -> str:
    if name not in known:
        raise DataError(f"rocm_image_verbs.{name}", "is no provider of RDMA", hint(name, known))
    return name
