# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""How every acting module ends: with what it did in words, or with one sentence."""

from __future__ import annotations

import dataclasses as dc
import errno
import typing as t

from .._core.errors import FleetError

if t.TYPE_CHECKING:
    from ansible.module_utils.basic import AnsibleModule


@dc.dataclass(frozen=True)
class Outcome:
    """What a module did, or would do in check mode. It changed something exactly if there are actions."""

    actions: tuple[str, ...] = ()
    diff: tuple[dict[str, str], ...] = ()
    values: t.Mapping[str, t.Any] = dc.field(default_factory=dict)


class Failed(FleetError):
    """A refusal that comes with return values."""

    def __init__(self, error: FleetError, **values: t.Any) -> None:
        super().__init__(error.where, error.what, error.hint, error.source)
        self.values = values


_ROOM = "make room there, then run again"
_HINTS = {
    errno.EACCES: "run as root (become: true)", errno.EPERM: "run as root (become: true)", errno.ENOSPC: _ROOM,
    errno.EDQUOT: _ROOM, errno.EROFS: "find out why it is mounted read-only",
}


def of_system(error: OSError) -> FleetError:
    """What the system said, as a refusal: a disk that is full is nothing to show a traceback for."""
    where = str(error.filename2 or error.filename or "this node")
    hint = _HINTS.get(error.errno or 0, "mend that on the node, then run again")
    return FleetError(where, error.strerror or str(error), hint)


def finish(module: AnsibleModule, act: t.Callable[[], Outcome]) -> None:
    """Act, then end the module: ``exit_json`` with the outcome, or ``fail_json`` with the refusal."""
    try:
        outcome = act()
    except FleetError as error:
        module.fail_json(msg=error.sentence, failure=error.to_dict(), **getattr(error, "values", {}))
    except OSError as error:
        refusal = of_system(error)
        module.fail_json(msg=refusal.sentence, failure=refusal.to_dict())
    result = dict(outcome.values, changed=bool(outcome.actions), actions=list(outcome.actions))
    if module._diff:
        result["diff"] = list(outcome.diff)
    module.exit_json(**result)
