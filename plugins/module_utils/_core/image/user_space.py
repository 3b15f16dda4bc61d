# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What is wrong with the user space of a tree: RDMA against devices, libraries that it lacks, the group of GPUs."""

from __future__ import annotations

import typing as t

from ..findings import Finding
from ..rdma import abi
from ..rdma.shape import Provider, UserSpace, VerbsDevice
from .checks import Checks

RENDER = "render"  # group of /dev/kfd and of render nodes
_SHOWN = 6
_OF_GAP = {abi.ABSENT: "image-provider-absent", abi.BROKEN: "image-provider-broken",
           abi.STRANGE: "image-provider-broken", abi.OLDER: "image-provider-old", abi.NEWER: "image-provider-new"}


def findings(devices: t.Sequence[VerbsDevice], space: UserSpace, providers: t.Mapping[str, str],
             checks: Checks) -> tuple[Finding, ...]:
    """Why programs of a tree cannot use RDMA devices; what is not known is no finding.

    Args:
        devices: that there are.
        space: of the tree.
        providers: kernel driver to the name of its provider.
        checks: what each finding means.
    """
    if not devices:
        return ()
    if space.libibverbs is None:
        names = ", ".join(device.name for device in devices)
        return (checks.finding("image-rdma-absent", f"it has no libibverbs, and there are RDMA devices: {names}"),)
    manager = () if space.librdmacm else (checks.finding(
        "image-rdmacm-absent", "it has libibverbs, and no librdmacm"),)
    gaps: dict[tuple[str, str, str], list[VerbsDevice]] = {}
    for gap in abi.gaps(devices, space, providers):
        if gap.kind != abi.UNKNOWN:
            gaps.setdefault((gap.kind, gap.provider, gap.said), []).append(gap.device)
    lost = (checks.finding(_OF_GAP[kind], f"RDMA device {', '.join(one.name for one in of)}: {said}", (provider,))
            for (kind, provider, said), of in gaps.items())
    return (*manager, *lost)


def unread(devices: t.Sequence[VerbsDevice], space: UserSpace, providers: t.Mapping[str, str]) -> tuple[abi.Gap, ...]:
    """Devices of which it is not known whether programs of a tree can use them, and why."""
    if space.libibverbs is None:
        return ()
    return tuple(gap for gap in abi.gaps(devices, space, providers) if gap.kind == abi.UNKNOWN)


def unknown(devices: t.Sequence[VerbsDevice], space: UserSpace, providers: t.Mapping[str, str]) -> str:
    """The same in words; empty if it is known of all."""
    return "; ".join(dict.fromkeys(gap.said for gap in unread(devices, space, providers)))


def broken(provider: Provider, checks: Checks) -> Finding:
    """A provider that does not load, whether or not there is a device for it."""
    said = f"{provider.path} lacks {', '.join(provider.missing)}"
    return checks.finding("image-provider-broken", said, (provider.name,))


def incomplete(ident: str, lacks: t.Mapping[str, t.Sequence[str]], checks: Checks) -> Finding:
    """Libraries and programs that lack others."""
    lines = [f"{path} lacks {', '.join(names)}" for path, names in sorted(lacks.items())]
    more = f"; and {len(lines) - _SHOWN} more" if len(lines) > _SHOWN else ""
    return checks.finding(ident, "; ".join(lines[:_SHOWN]) + more, lines)


def group(seen: int | None, wanted: int, checks: Checks) -> Finding:
    """The group of GPUs has another number than on the node."""
    there = "has no group" if seen is None else f"gives number {seen} to the group"
    said = f"it {there} {RENDER}, and the devices of the node are of number {wanted}"
    return checks.finding("image-render-group", said, (str(wanted),))
