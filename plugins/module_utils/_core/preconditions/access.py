# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Checks of device nodes: who may open them, and whether there are as many as there should be."""

from __future__ import annotations

from ..look.shape import DeviceNode
from .values import Values
from .view import Result, UnseenError, View

OTHERS_WRITE = 0o002
SHOWN = 4  # paths in a sentence


def _nodes(view: View, *kinds: str) -> tuple[DeviceNode, ...]:
    found = tuple(n for n in view.known(view.devices.nodes, "devices.nodes") if n.kind in kinds)
    if not found:
        why = view.why("devices", "nodes")
        if why:
            raise UnseenError(why)
    return found


def _some(texts: list[str]) -> str:
    more = len(texts) - SHOWN
    return ", ".join(texts[:SHOWN]) + (f" and {more} more" if more > 0 else "")


def kfd_node(view: View, want: Values) -> Result | None:
    """Whether the compute device is there, where a driver is loaded that should make it."""
    if not view.driver.loaded or not view.gpus or want.text("there") == "no":
        return None
    there = bool(_nodes(view, "kfd"))
    return Result(there, "/dev/kfd", f"/dev/kfd is {'' if there else 'not '}there")


def world_writable(view: View, _want: Values) -> Result | None:
    """Whether everybody may use the GPUs, whoever has them reserved."""
    nodes = _nodes(view, "kfd", "render")
    if not nodes:
        return None
    open_to_all = [f"{n.path} ({n.mode})" for n in nodes if int(n.mode, 8) & OTHERS_WRITE]
    return Result(not open_to_all, "kfd and render nodes that only their group may open (0660)",
                  f"everybody may open {_some(open_to_all)}" if open_to_all else "only their group may open them")


def group(view: View, want: Values) -> Result | None:
    """Whether kfd and render nodes belong to the group that users are put into."""
    nodes, groups = _nodes(view, "kfd", "render"), want.texts("groups")
    named = [n for n in nodes if not n.group.isdigit()]
    if not named:
        return None
    wrong = [f"{n.path} ({n.group})" for n in named if n.group not in groups]
    return Result(not wrong, f"group {' or '.join(groups)} for kfd and render nodes",
                  f"another group has {_some(wrong)}" if wrong else f"they belong to {named[0].group}")


def named_group(view: View, _want: Values) -> Result | None:
    """Whether the group of device nodes has a name: without one, nobody can be put into it."""
    nodes = _nodes(view, "kfd", "render")
    if not nodes:
        return None
    nameless = [f"{n.path} (gid {n.gid})" for n in nodes if n.group.isdigit()]
    return Result(not nameless, "a group with a name for kfd and render nodes",
                  f"no local group has the gid of {_some(nameless)}" if nameless else "the group has a name")


def drm_limit(view: View, want: Values) -> Result | None:
    """Whether the kernel's limit of DRM devices takes partitions away.

    Old kernels have 64 minors of each kind, whichever driver asks first. A kernel that gave out more has no such limit.
    """
    limit, host = want.number("minors"), view.host
    used = view.known(host.drm_minors, "host.drm_minors")
    others = {name: count for name, count in host.drm_devices.items() if name != "amdgpu"}
    wanted = f"a DRM device for every partition, within the limit of {limit} that older kernels have"
    partitions = sum(want.maybe_number((g.compute_partition or "").lower()) or len(g.partitions) for g in view.gpus)
    there = sum(len(g.partitions) for g in view.gpus)
    seen = f"{there} of {partitions} partitions are there, and {used} of {limit} DRM devices are in use"
    if used != limit or there >= partitions:
        return Result(True, wanted, f"{used} DRM devices are in use")
    by = ", ".join(f"{count} by {name}" for name, count in sorted(others.items()))
    return Result(False, wanted, f"{seen} ({by})" if by else seen)
