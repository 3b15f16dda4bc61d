# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What a report over all hosts of a play collects: which hosts, what their tasks registered, and why they failed."""

from __future__ import annotations

import typing as t

from . import endings, progress

Given = t.Mapping[str, t.Any]
# Documented in plugins/doc_fragments/_report.py; what is written to path each report says itself.
OPTIONS: Given = {"hosts": {"type": "list", "elements": "str"}, "path": {"type": "path"}}


def hosts(chosen: t.Sequence[t.Any] | None, known: Given) -> list[str]:
    """The hosts to report on: those that were chosen, or all of the play. ``known``: variables of the task."""
    return list(map(str, known.get("ansible_play_hosts_all", []) if chosen is None else chosen))


def variables(known: Given, host: str) -> Given:
    """The variables of a host, without templating them all; empty for one that the inventory does not have."""
    hostvars = known.get("hostvars", {})
    read: t.Callable[[str], Given] = getattr(hostvars, "raw_get", hostvars.get)
    return read(host) if host in hostvars else {}


def said(result: t.Any) -> dict[str, t.Any] | None:
    """The result of a task; of one that failed or did not reach its host, the message without Ansible's own words."""
    if not isinstance(result, t.Mapping):
        return None
    bad = result.get("failed") or result.get("unreachable")
    return {**result, "msg": progress.sentence(result)} if bad else dict(result)


# Where Ansible keeps the failure that a rescue is for.
_RESCUED = "ansible_failed_result"


def why(host: str, variables_of: Given | None = None) -> str:
    """Why a host last failed, as the callback told it, or what a rescue of it was for; empty if neither is known."""
    told = (endings.ending(host) or ("", ""))[1]
    rescued = (variables_of or {}).get(_RESCUED)
    return told or (progress.sentence(rescued) if rescued else "")
