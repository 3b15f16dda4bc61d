# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Verdicts on reservations as plain data: what gpu_reservation_info returns."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from .verdict import OK, TRESPASS, UNKNOWN, VERDICTS, Use, Verdict, findings
from .verdict_proof import LOCKED_OUT, Proof

_OF_HOLDER = ("pid", "started", "since", "user", "login", "units", "engine", "container", "namespace", "slurm_job",
              "slurm_account", "command", "line", "unknown")


def plain(found: t.Sequence[Verdict], proofs: t.Sequence[Proof] | None, unknown: t.Mapping[str, str],
          recorded: bool) -> dict[str, t.Any]:
    """All of a node.

    Args:
        found: the verdict on each device.
        proofs: what came of trying; None: it was not tried.
        unknown: what could not be read.
        recorded: whether the node was told of reservations at all.
    """
    return {
        "verdict": _worst(item.verdict for item in found),
        "recorded": recorded,
        "devices": list(map(_device, found)),
        "findings": [dc.asdict(finding) for finding in findings(found)],
        "proved": None if proofs is None else _proved(proofs),
        "proofs": None if proofs is None else list(map(dc.asdict, proofs)),
        "unknown": dict(unknown),
    }


def _worst(verdicts: t.Iterable[str]) -> str:
    return max(verdicts, key=VERDICTS.index, default=UNKNOWN)


def _proved(proofs: t.Sequence[Proof]) -> str:
    """The worst of the proofs; who must open a device and cannot is as bad as who must not and can."""
    order = (OK, UNKNOWN, LOCKED_OUT, TRESPASS)
    return max((proof.verdict for proof in proofs), key=order.index, default=UNKNOWN)


def _device(item: Verdict) -> dict[str, t.Any]:
    device = item.device
    return {
        "id": device.id, "gpu": device.gpu, "render_node": device.render_node, "uuid": device.uuid,
        "product": device.product, "state": item.state, "reservations": list(item.reservations),
        "tenants": list(item.tenants), "priority": item.priority or None, "verdict": item.verdict,
        "why": item.why or None, "holders": list(map(_use, item.uses)),
    }


def _use(use: Use) -> dict[str, t.Any]:
    holder = dc.asdict(use.holder)
    return {**{name: holder[name] for name in _OF_HOLDER}, "vram_bytes": use.hold.vram_bytes, "queues": use.hold.queues,
            "tenant": use.whose.tenant, "by": use.whose.by or None, "verdict": use.verdict, "why": use.why}
