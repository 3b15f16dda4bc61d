# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What AMD's device plugin and node labeller for Kubernetes say of the devices of a node, once they are started anew.

source: ROCm/k8s-device-plugin docs/user-guide/configuration.md, cmd/k8s-node-labeller/main.go,
internal/pkg/amdgpu/amdgpu.go; ROCm/gpu-operator docs/dcm/applying-partition-profiles.rst
"""

from __future__ import annotations

import collections
import dataclasses as dc
import typing as t

from ..errors import FleetError
from .shape import LogicalDevice

SINGLE, MIXED = STRATEGIES = ("single", "mixed")
_GIB = 1024**3
_WHOLE = "amd.com/gpu"


@dc.dataclass(frozen=True)
class Kubernetes:
    """What a node should offer and be labelled with.

    Attributes:
        arguments: of the device plugin.
        resources: name -> number of devices; none where the plugin would not start.
        labels: of the labeller that depend on partitions.
        notes: what a person should know.
    """

    arguments: tuple[str, ...]
    resources: t.Mapping[str, int]
    labels: t.Mapping[str, str]
    notes: tuple[str, ...]


def kubernetes(devices: t.Sequence[LogicalDevice], strategy: str = SINGLE) -> Kubernetes:
    """Return what is offered.

    Raises:
        FleetError: the strategy is none.
    """
    if strategy not in STRATEGIES:
        raise FleetError("naming strategy", f"is {strategy!r}", f"choose one of {', '.join(STRATEGIES)}")
    styles = collections.Counter(_style(device) for device in devices)
    known = {style: count for style, count in styles.items() if style}
    notes = ["the device plugin and the node labeller read partitions when they start: restart their pods on the node"]
    if strategy == MIXED:
        resources = {f"amd.com/{style}" if style else _WHOLE: count for style, count in styles.items()}
    elif len(known) > 1:
        resources = {}
        notes.append(f"devices are {' and '.join(known)}, and with the naming strategy single the device plugin takes "
                     "no node with more than one style: use mixed, or one mode for all GPUs")
    else:
        resources = {_WHOLE: len(devices)} if devices else {}
    return Kubernetes((f"--resource_naming_strategy={strategy}",), resources, _labels(devices, known), tuple(notes))


def _style(device: LogicalDevice) -> str:
    """Return cpx_nps4; empty where a mode is not known, or there is none."""
    return f"{device.compute}_{device.memory}".lower() if device.compute and device.memory else ""


def _labels(devices: t.Sequence[LogicalDevice], styles: t.Collection[str]) -> dict[str, str]:
    labels = {"amd.com/compute-memory-partition": next(iter(styles))} if len(styles) == 1 else {}
    for name, values in (
        ("cu-count", [None if one.compute_units is None else str(one.compute_units) for one in devices]),
        ("vram", [None if one.memory_bytes is None else f"{round(one.memory_bytes / _GIB)}G" for one in devices]),
    ):
        counts = collections.Counter(value for value in values if value is not None)
        if None in values:  # of some it is not known, so neither is what the labeller will count
            continue
        one = len(counts) == 1
        labels.update({f"{_WHOLE}.{name}" if one else f"{_WHOLE}.{name}.{value}": value if one else str(count)
                       for value, count in counts.items()})
    return labels
