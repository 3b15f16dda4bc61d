# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""A plan: what would be done to one node, in words and as data that a role can act on."""

from __future__ import annotations

import dataclasses as dc
import typing as t


@dc.dataclass(frozen=True)
class Step:
    """One change.

    Attributes:
        action: machine word that the role's task file switches on (``install``, ``hold``, ``write``).
        words: what is done, as a person would say it: "install amdgpu-dkms 1:6.14... (was 1:6.12...)".
        before: state before, for the diff; empty text when there is none.
        after: state after, for the diff.
        data: arguments of the action, JSON-serialisable.
    """

    action: str
    words: str
    before: str = ""
    after: str = ""
    data: t.Mapping[str, t.Any] = dc.field(default_factory=dict)


@dc.dataclass(frozen=True)
class Plan:
    """Ordered steps of one role for one node.

    Attributes:
        role: role that carries the plan out.
        steps: in order; empty means the node is as wanted.
        reboot: why a reboot is needed for the wanted state to hold; empty if none is.
        reload: why the driver must be reloaded; empty if it need not be.
        restarts: services that restart.
        notes: things a person should know that change nothing (a window that could not be checked).
        problems: what is wrong and no step of this plan mends (a GPU that the driver did not bind).
        verdicts: what was judged, as data, where a role judges and does not change.
        held: packages that our holds are on once the plan is carried out; the node's record keeps them.
    """

    role: str
    steps: tuple[Step, ...] = ()
    reboot: str = ""
    reload: str = ""
    restarts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    verdicts: tuple[t.Mapping[str, t.Any], ...] = ()

    @property
    def empty(self) -> bool:
        """True when there is nothing that may be done now. A reboot that is needed but not allowed is not a step."""
        return not self.steps

    def of(self, action: str) -> tuple[Step, ...]:
        """The steps with this action, in order."""
        return tuple(s for s in self.steps if s.action == action)

    def to_dict(self) -> dict[str, t.Any]:
        """Plain data, with steps also grouped by action for ``when`` and ``loop``."""
        data = dc.asdict(self)
        data["empty"] = self.empty
        data["by_action"] = {}
        for step in data["steps"]:
            data["by_action"].setdefault(step["action"], []).append(step)
        return data

    def diff(self) -> list[dict[str, str]]:
        """One Ansible diff entry per step that has a before or an after."""
        return [
            {"before": _lines(s.before), "after": _lines(s.after),
             "before_header": f"{self.role}: {s.words}", "after_header": f"{self.role}: {s.words}"}
            for s in self.steps if s.before or s.after
        ]


def _lines(text: str) -> str:
    return text if not text or text.endswith("\n") else text + "\n"
