# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""How many of its GPUs a program sees, by variables that name them.

Each layer of ROCm has a variable of its own and counts from 0 what the layer below left. A list ends at the first word
that names nothing, such as the number that a GPU has on the node where the container has fewer.

source: https://rocm.docs.amd.com/en/latest/conceptual/gpu-isolation.html; HIP_VISIBLE_DEVICES before
    CUDA_VISIBLE_DEVICES: https://rocm.docs.amd.com/projects/HIP/en/latest/reference/env_variables.html
"""

from __future__ import annotations

import re
import typing as t

# From the lowest layer on; of one layer the first that is set counts.
_LAYERS = (("ROCR_VISIBLE_DEVICES",), ("HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"), ("GPU_DEVICE_ORDINAL",))
_UNIQUE = re.compile(r"GPU-[0-9a-fA-F-]+")
_INDEX = re.compile(r"[0-9]{1,6}")


def visible(environment: t.Mapping[str, str], count: int) -> tuple[int, tuple[str, ...]]:
    """How many of ``count`` GPUs are seen, and the variables that hide others, as NAME=value.

    A variable that is empty is none: what that means differs between releases, see ``empty``.
    """
    hiding = []
    for names in _LAYERS:
        name = next((one for one in names if environment.get(one)), None)
        if name is None:
            continue
        seen = _named(environment[name], count)
        if seen < count:
            hiding.append(f"{name}={environment[name]}")
        count = seen
    return count, tuple(hiding)


def empty(environment: t.Mapping[str, str]) -> tuple[str, ...]:
    """Variables that are there, and name nothing."""
    return tuple(name for names in _LAYERS for name in names if environment.get(name) == "")


def _named(value: str, count: int) -> int:
    found: set[str] = set()
    for word in map(str.strip, value.split(",")):
        index = _INDEX.fullmatch(word)
        if not (_UNIQUE.fullmatch(word) or (index and int(word) < count)):
            break
        found.add(str(int(word)) if index else word.lower())
    return min(len(found), count)
