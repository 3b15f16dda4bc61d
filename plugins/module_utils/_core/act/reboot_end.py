# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Whether a node came back from a reboot at all, in the words of who waited for it."""

from __future__ import annotations

import dataclasses as dc
import typing as t

Plain = t.Mapping[str, t.Any]


@dc.dataclass(frozen=True)
class Told:
    """What the node was told before: the kernel to boot, the one that ran, and seconds that it is waited for."""

    kernel: str
    running: str
    seconds: int


def trouble(chosen: Plain, restart: Plain, told: Told) -> str:
    """Why it is not back; empty if it is.

    Args:
        chosen: what node_boot returned before; without a boot id the node did not answer.
        restart: what ansible.builtin.reboot returned; a message is a failure, ``rebooted`` with one a time-out.
        told: see there.
    """
    if "boot_id" not in chosen:
        return "the node did not answer when it was to reboot, and was not rebooted"
    why = restart.get("msg")
    if not restart.get("rebooted"):
        return f"the node did not reboot: {why or 'no reason was given; run again with -v'}"
    if why is None:
        return ""
    once = (chosen.get("fallback") or {}).get("once")
    back = f"kernel {told.running} boots by default, so a power cycle brings that back"
    return (f"the node did not come back within {told.seconds} s after it was told to boot kernel {told.kernel}; "
            f"{back if once else 'no other kernel comes back by itself'}; look at its console")
