# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What Slurm is told of the devices of a node: lines of gres.conf, and the node's line in slurm.conf.

source: gres.conf(5), slurm.conf(5). Not written, for what it needs is not known or it would do harm:
* Links: how devices are linked is in no look, and a line with it could have one device alone.
* /dev/kfd: all jobs need it, and Slurm keeps from a job what gres.conf lists and the job was not given.
* AutoDetect=rsmi: it names types in its own way, and drains the node where a line says another.
Slurm numbers devices by type first. Programs number those that they may open, so where a node has several types they
agree only if jobs are kept from the others (ConstrainDevices=yes in cgroup.conf).
"""

from __future__ import annotations

import collections
import dataclasses as dc
import itertools
import re
import typing as t

from ..errors import FleetError
from .nodes import render_minors
from .shape import LogicalDevice

# With more than this one, a program would get ROCR_VISIBLE_DEVICES applied and then others on what is left.
_FLAGS = "Flags=amd_gpu_env"
_NODE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*", re.ASCII)
_CORES = re.compile(r"\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*", re.ASCII)
_PARAMETER = re.compile(r"[A-Za-z]+", re.ASCII)
_OURS = ("nodename", "gres")


@dc.dataclass(frozen=True)
class Gres:
    """Generic resources of one node.

    Attributes:
        lines: of gres.conf, in the order of the devices.
        definition: for ``Gres=`` of the node in slurm.conf: gpu:mi300x_cpx:64; empty where there is no device.
        counts: type -> number of devices.
    """

    lines: tuple[str, ...]
    definition: str
    counts: t.Mapping[str, int]


def gres(devices: t.Sequence[LogicalDevice], cores: t.Mapping[int, str] | None = None, node_name: str = "") -> Gres:
    """Return what Slurm is told: one line for each run of devices of one type near the same cores.

    Args:
        devices: of the node, in order.
        cores: NUMA node -> cores near it, as Slurm numbers them ("0-63"), which is not how Linux numbers CPUs.
        node_name: of the node in Slurm, for a file that nodes share; empty for a file of this node alone.

    Raises:
        FleetError: a device has no render node that is known, or two have the same; cores or name are not of the form.
    """
    if node_name:
        _check("node name", node_name, _NODE_NAME)
    for numa, text in (cores or {}).items():
        _check(f"cores of NUMA node {numa}", text, _CORES)
    minors = render_minors(devices)
    runs = itertools.groupby(zip(devices, minors), key=lambda pair: (gres_type(pair[0]), pair[0].numa_node))
    start = f"NodeName={node_name} AutoDetect=off " if node_name else ""
    lines = [] if node_name else ["AutoDetect=off"]
    for (kind, numa), pairs in runs:
        near = (cores or {}).get(-1 if numa is None else numa)
        words = [f"Name=gpu Type={kind} File={_files([minor for _device, minor in pairs])}",
                 *([f"Cores={near}"] if near else []), _FLAGS]
        lines.append(start + " ".join(words))
    counts = dict(collections.Counter(gres_type(device) for device in devices))
    return Gres(tuple(lines), ",".join(f"gpu:{kind}:{count}" for kind, count in counts.items()), counts)


def slurm_node(name: str, resources: Gres, parameters: t.Mapping[str, t.Any] | None = None) -> str:
    """Return the line of a node in slurm.conf.

    Raises:
        FleetError: the name, or a parameter, is not of the form, or is one of those that are written here.
    """
    _check("node name", name, _NODE_NAME)
    words = [f"NodeName={name}"]
    for key, value in (parameters or {}).items():
        where = f"parameter {key} of Slurm node {name}"
        if not _PARAMETER.fullmatch(str(key)) or str(key).lower() in _OURS:
            raise FleetError(where, "is no parameter that can be given here", "remove it")
        text = str(value)
        if isinstance(value, bool) or not isinstance(value, (int, str)) or not text or set(text) & set(" \t\r\n#\"'\\"):
            raise FleetError(where, f"is {value!r}, which is no number and no word", "write it as one word")
        words.append(f"{key}={text}")
    return " ".join([*words, *([f"Gres={resources.definition}"] if resources.definition else [])])


def gres_type(device: LogicalDevice) -> str:
    """Return the type by which jobs ask for a device: mi300x, or mi300x_cpx for a part of a GPU.

    Slurm takes no GPUs with a type beside such without one, so a product that is not known has a type too.
    """
    product = re.sub(r"[^a-z0-9]+", "_", (device.product or "").lower()).strip("_") or "amd"
    return product if device.compute in ("", "SPX") else f"{product}_{device.compute.lower()}"


def _files(minors: t.Sequence[int]) -> str:
    """Return /dev/dri/renderD[128-135,144]: ranges as Slurm reads them."""
    if len(minors) == 1:
        return f"/dev/dri/renderD{minors[0]}"
    ranges: list[tuple[int, int]] = []
    for minor in minors:
        if ranges and minor == ranges[-1][1] + 1:
            ranges[-1] = (ranges[-1][0], minor)
        else:
            ranges.append((minor, minor))
    texts = (str(first) if first == last else f"{first}-{last}" for first, last in ranges)
    return f"/dev/dri/renderD[{','.join(texts)}]"


def _check(what: str, text: object, form: re.Pattern[str]) -> None:
    if not isinstance(text, str) or not form.fullmatch(text):
        raise FleetError(what, f"is {text!r}, which does not match {form.pattern}", "write it in that form")
