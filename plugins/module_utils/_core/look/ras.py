# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Blocks of a GPU that RAS knows, in the order of their bits.

source: linux:drivers/gpu/drm/amd/amdgpu/amdgpu_ras.h, enum amdgpu_ras_block; amdsmi_gpu_block_t of every binding
"""

from __future__ import annotations

BLOCKS = ("umc", "sdma", "gfx", "mmhub", "athub", "pcie_bif", "hdp", "xgmi_wafl", "df", "smn", "sem", "mp0", "mp1",
          "fuse", "mca", "vcn", "jpeg", "ih", "mpio")


def enabled(mask: int) -> tuple[str, ...]:
    """Return the blocks whose bits are set."""
    return tuple(name for bit, name in enumerate(BLOCKS) if mask >> bit & 1)
