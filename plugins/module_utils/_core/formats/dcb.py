# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What ``dcb`` says of an interface: priorities with flow control, and the priority of each DSCP.

source: dcb-pfc(8), dcb-app(8)
"""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

_PFC = re.compile(r"\b([0-7]):(on|off)\b")
_DSCP = re.compile(r"\b(\d{1,2}):([0-7])\b")


@dc.dataclass(frozen=True)
class Dcb:
    """Priorities with flow control, and DSCP -> priority."""

    pfc: tuple[int, ...]
    dscp: t.Mapping[int, int]


def parse(pfc: str, app: str) -> Dcb | None:
    """Read ``dcb pfc show dev X prio-pfc`` and ``dcb -N app show dev X dscp-prio``; None: the first says nothing."""
    priorities = _PFC.findall(pfc)
    if not priorities:
        return None
    return Dcb(tuple(sorted(int(number) for number, state in priorities if state == "on")),
               {int(dscp): int(priority) for dscp, priority in _DSCP.findall(app)})
