# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Whether a node has its settings, each by itself, and what is there instead."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..errors import FleetError
from .arguments import missing, there
from .plan import obstacle
from .seen import Seen, arguments
from .setting import ACCESS, ARGUMENT, COOPERATIVE, SERVICE_LIMIT, SYSCTL, UNATTENDED, Setting
from .texts import OF_KIND

OK, REBOOT, DIFFERS, UNKNOWN, NONE = "ok", "reboot", "differs", "unknown", "none"


@dc.dataclass(frozen=True)
class Verdict:
    """One setting.

    Attributes:
        mark: enforcing, cooperative.
        state: OK; REBOOT: from the next boot on; DIFFERS; UNKNOWN; NONE: the node has no use for it.
        found: what is there; None: not known.
        why: what the state is due to; empty where it is OK.
    """

    id: str
    kind: str
    name: str
    wanted: str
    found: str | None
    mark: str
    state: str
    why: str = ""

    @property
    def sentence(self) -> str:
        """What is wrong."""
        return f"setting {self.id}: {self.name} should be {self.wanted}: {self.why}"


def verdicts(settings: t.Iterable[Setting], seen: Seen, stale: t.Container[str]) -> tuple[Verdict, ...]:
    """All settings. ``stale``: paths of files that are not as they should be."""
    return tuple(_verdict(setting, seen, stale) for setting in settings)


def as_wanted(found: t.Iterable[Verdict]) -> bool:
    """Whether every setting is there that the node has a use for."""
    return all(verdict.state in (OK, NONE) for verdict in found)


def failure(found: t.Iterable[Verdict]) -> FleetError | None:
    """What was set and is not there, as a refusal."""
    wrong = [verdict.sentence for verdict in found if verdict.state == DIFFERS]
    return FleetError("host_tuning", f"what was set is not there: {'; '.join(wrong)}",
                      "find out what sets it otherwise") if wrong else None


def reboot_required(settings: t.Sequence[Setting], before: Seen, found: t.Iterable[Verdict]) -> bool:
    """Whether the running kernel has other arguments than it should have. ``before``: the node before the change."""
    kept = missing(arguments(settings), before.foreign)
    left = [word for word in before.own if word not in kept and word in (before.running or ())]
    return bool(left) or any(verdict.state == REBOOT for verdict in found)


def _verdict(setting: Setting, seen: Seen, stale: t.Container[str]) -> Verdict:
    found, state, why = _JUDGES.get(setting.kind, _of_file)(setting, seen)
    path = OF_KIND.get(setting.kind, "")
    against = obstacle(setting, seen)
    if state == OK and path in stale:
        found, state, why = found if setting.kind in _LIVE else None, DIFFERS, f"{path} is not as it should be"
    if state != NONE and against:
        state, why = DIFFERS, against.sentence
    mark = "cooperative" if setting.kind in COOPERATIVE else "enforcing"
    return Verdict(setting.id, setting.kind, setting.name, setting.value, found, mark, state, why)


_LIVE = (SYSCTL, SERVICE_LIMIT, ACCESS)  # what is there is not told by the file alone
Judged = tuple[t.Optional[str], str, str]  # found, state, why


def _argument(setting: Setting, seen: Seen) -> Judged:
    if seen.entry is None:
        return None, UNKNOWN, "what the next boot gives to its kernel is not known"
    if not there(setting, seen.entry):
        return None, DIFFERS, f"the boot entry of {seen.next_boot} does not have it"
    if seen.running is None:
        return None, UNKNOWN, "the command line of the running kernel is not known"
    if not there(setting, seen.running):
        return None, REBOOT, "the running kernel was booted without it"
    return setting.value, OK, ""


def _sysctl(setting: Setting, seen: Seen) -> Judged:
    found = seen.sysctls.get(setting.name)
    return (found, OK, "") if found == setting.value else (found, DIFFERS, f"the running kernel has {found}")


def _service(setting: Setting, seen: Seen) -> Judged:
    found = seen.manager.get(setting.name)
    if found is None:
        return None, UNKNOWN, f"systemd does not tell its default of {setting.name}"
    return (found, OK, "") if found == setting.value else (found, DIFFERS, f"systemd gives its units {found}")


def _access(setting: Setting, seen: Seen) -> Judged:
    if seen.registers is None:
        return None, UNKNOWN, "configuration space of PCI cannot be read"
    if not seen.registers:
        return None, NONE, "no PCI function has access control services"
    wrong = [register.bdf for register in seen.registers if not register.right(setting.value)]
    if wrong:
        return "mixed", DIFFERS, f"it is not {setting.value} at {', '.join(wrong)}"
    return (setting.value, OK, "") if seen.enabled else (setting.value, DIFFERS, "nothing sets it at the next boot")


def _unattended(setting: Setting, seen: Seen) -> Judged:
    if seen.apt:
        return _of_file(setting, seen)
    if seen.by_itself is False:
        return None, NONE, "the node has no apt, and installs nothing by itself"
    known = "installs updates by itself" if seen.by_itself else "may install updates by itself"
    return None, UNKNOWN, f"the node has no apt, and {known}: keep kernel and driver out of that there"


def _of_file(setting: Setting, _seen: Seen) -> Judged:
    return setting.value, OK, ""


_JUDGES: dict[str, t.Callable[[Setting, Seen], Judged]] = {
    ARGUMENT: _argument, SYSCTL: _sysctl, SERVICE_LIMIT: _service, ACCESS: _access, UNATTENDED: _unattended,
}
