# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What the callback fleet tells the action fleet_report: how hosts left the play, and how wide the output is.

Ansible tells an action plugin which hosts are still in the play, but not why others are not. Callbacks run in the
main process; action plugins run in processes forked from it when their task starts, without its terminal, and find
what was told before.
"""

from __future__ import annotations

import dataclasses as dc


@dc.dataclass
class _Told:
    endings: dict[str, tuple[str, str]] = dc.field(default_factory=dict)
    width: int | None = None


_TOLD = _Told()


def tell(host: str, how: str, why: str) -> None:
    """Remember that a task of the host failed or did not reach it."""
    _TOLD.endings[host] = (how, why)


def ending(host: str) -> tuple[str, str] | None:
    """The last failure of the host and its reason; None if none was told. It may have been rescued since."""
    return _TOLD.endings.get(host)


def told() -> bool:
    """Whether the callback tells at all, so that a host without an ending had no failure of its own."""
    return _TOLD.width is not None


def width(otherwise: int) -> int:
    """Columns of the output, if that was told."""
    return _TOLD.width or otherwise


def begin(columns: int) -> None:
    """Forget an earlier run; output is so wide."""
    _TOLD.endings.clear()
    _TOLD.width = columns
