# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The simulated libamd_smi.so and its binding, as the tree that amd-smi-lib installs."""

from __future__ import annotations

import typing as t
from pathlib import Path

from .images import Image
from .paths import SIMULATOR

SMI = SIMULATOR / "smi"


def sources() -> list[Path]:
    """What the library is made of, for the digest."""
    return [SMI] if SMI.is_dir() else []


def build(releases: t.Iterable[t.Mapping[str, t.Any]], image: Image, say: t.Callable[[str], None]) -> dict[str, Path]:
    """Tree for each ROCm release; nothing while the library's builder is not there."""
    del releases, image, say
    return {}
