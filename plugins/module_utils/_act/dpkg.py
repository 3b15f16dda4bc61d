# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Asking and telling dpkg about holds."""

from __future__ import annotations

import typing as t

from .._core.act.holds import QUERY_FORMAT, Selection, parse_selections
from .._core.errors import FleetError

Runner = t.Callable[..., tuple[int, str, str]]


def selections(names: t.Sequence[str], run: Runner) -> tuple[Selection, ...]:
    """What dpkg knows of these packages; names that it does not know are left out.

    Raises:
        FleetError: dpkg-query is missing or broken.
    """
    if not names:
        return ()
    code, out, err = run(["dpkg-query", "--show", f"--showformat={QUERY_FORMAT}", *names])
    if code not in (0, 1):  # 1: some name is not known. source: dpkg-query(1)
        raise FleetError("dpkg-query", f"ended with {code}: {' '.join(err.split())}", "repair dpkg first")
    return parse_selections(out)


def select(lines: t.Sequence[str], run: Runner) -> None:
    """Write selections.

    Raises:
        FleetError: dpkg refused them.
    """
    code, _out, err = run(["dpkg", "--set-selections"], data="".join(line + "\n" for line in lines))
    if code:
        # Of its lines the first says what; notes follow.
        said = " ".join(err.split("\n", maxsplit=1)[0].removeprefix("dpkg: error: ").split())
        hint = "wait for that process to end, then run again" if "lock" in said else "run as root (become: true)"
        raise FleetError("dpkg", f"refused the selections: {said or f'ended with {code}'}", hint)
