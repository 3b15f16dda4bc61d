# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What is to be done so that a node has its settings, and nothing else of ours."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..act.fileset import Change, changes
from ..act.fileset import Seen as SeenFile
from ..errors import FleetError
from . import texts
from .arguments import conflict, missing
from .overrides import overriding
from .record import Record
from .seen import ENTRIES, MENU, Seen, access, arguments
from .setting import SERVICE_LIMIT, SYSCTL, Setting

ADD, TAKE = "--args", "--remove-args"


@dc.dataclass(frozen=True)
class Edit:
    """Words that the boot entry of a kernel is given (ADD) or freed of (TAKE)."""

    kernel: str
    option: str
    words: tuple[str, ...]


@dc.dataclass(frozen=True)
class Plan:
    """What is to be done, in this order.

    Attributes:
        stop: the unit is stopped, and does not start at boot any more.
        files: written and removed as one set.
        reload: systemd reads its files anew.
        sysctls: name -> value that the running kernel is given.
        start: the unit starts at boot, and now.
        registers: PCI address -> control register that is given back.
        edits: of boot entries.
        menu: grub.cfg is made anew.
        closing: the record without what was given back. Who is cut off before that finds it still.
    """

    stop: bool
    files: tuple[Change, ...]
    reload: bool
    sysctls: t.Mapping[str, str]
    start: bool
    registers: t.Mapping[str, str]
    edits: tuple[Edit, ...]
    menu: bool
    closing: tuple[Change, ...]

    @property
    def actions(self) -> tuple[str, ...]:
        """The same in words."""
        edits = [f"{'give' if edit.option == ADD else 'take'} {' '.join(edit.words)} "
                 f"{'to' if edit.option == ADD else 'from'} the boot entry of {edit.kernel}" for edit in self.edits]
        return (
            *([f"stop and disable {texts.UNIT_NAME}"] if self.stop else []),
            *(change.words for change in self.files),
            *(["have systemd read its files anew"] if self.reload else []),
            *(f"set {name} to {value}" for name, value in self.sysctls.items()),
            *([f"enable and start {texts.UNIT_NAME}"] if self.start else []),
            *(f"set access control of {bdf} to {value}" for bdf, value in self.registers.items()),
            *edits,
            *(["write the GRUB menu"] if self.menu else []),
            *(change.words for change in self.closing),
        )


def plan(settings: t.Sequence[Setting], seen: Seen) -> Plan:
    """What is to be done. Without settings: everything is given back. ``refuse`` says whether it can be."""
    appended = missing(arguments(settings), seen.foreign)
    record = _record(settings, seen, appended)
    both = record.beside(seen.record).text
    files = changes(texts.wanted(settings, appended if seen.loader != ENTRIES else (), both, seen.apt), seen.files)
    kept = SeenFile("file", both.encode(), owner="root", group="root", mode=texts.MODE) if both else SeenFile()
    changed = {change.wanted.path for change in files}
    acs, was = access(settings), seen.files[texts.UNIT].kind != "absent"
    wrong = bool(acs) and not all(register.right(acs) for register in seen.registers or ())
    return Plan(
        stop=was and not acs,
        files=files,
        reload=bool(changed & {texts.MANAGER, texts.UNIT}) or any(
            seen.manager.get(setting.name, setting.value) != setting.value for setting in settings
            if setting.kind == SERVICE_LIMIT),
        sysctls=_sysctls(settings, seen),
        start=bool(acs) and (wrong or not seen.enabled or bool(changed & {texts.UNIT, texts.PROGRAM})),
        registers=_registers(acs, seen),
        edits=_edits(appended, seen),
        menu=_menu(appended, seen, texts.GRUB in changed),
        closing=changes([texts.of_record(record.text)], {texts.RECORD: kept}),
    )


def refuse(settings: t.Sequence[Setting], seen: Seen) -> None:
    """Refuse settings that a node cannot have.

    Raises:
        FleetError: something there contradicts one, or the node has no means for it.
    """
    for setting in settings:
        found = obstacle(setting, seen)
        if found:
            raise found


def obstacle(setting: Setting, seen: Seen) -> FleetError | None:
    """Why a node cannot have a setting, as a refusal; None if it can."""
    where = f"setting {setting.id}"
    skip = f"name {setting.id} in host_tuning_skip"
    if setting in arguments([setting]):
        if seen.entry is None:
            why = f": {seen.boot_unknown}" if seen.boot_unknown else ""
            return FleetError(where, f"what the next boot gives to its kernel is not known{why}",
                              f"append {setting.word} by hand, and {skip}")
        against = conflict(setting, seen.foreign, f"the boot entry of {seen.next_boot}")
        if against or seen.loader or not missing([setting], seen.entry):
            return against
        return FleetError(where, "neither update-grub nor grubby is installed, so nothing appends it to boot entries",
                          f"append {setting.word} by hand, and {skip}")
    if access([setting]):
        return None if seen.setpci else FleetError(where, "setpci is not installed", f"install pciutils, or {skip}")
    if setting.kind == SYSCTL and setting.name not in seen.sysctls:
        return FleetError(where, f"the running kernel has no {setting.name}", skip)
    return overriding(setting, seen.later)


def _record(settings: t.Sequence[Setting], seen: Seen, appended: tuple[str, ...]) -> Record:
    """What is to be given back one day: of each thing what it was before the first change."""
    known = seen.record
    sysctls = {name: known.sysctls.get(name, seen.sysctls.get(name)) for name in _wanted(settings)}
    registers = known.registers or {register.bdf: f"{register.control:04x}" for register in seen.registers or ()}
    return Record({name: value for name, value in sysctls.items() if value}, registers if access(settings) else {},
                  appended)


def _wanted(settings: t.Sequence[Setting]) -> dict[str, str]:
    return {setting.name: setting.value for setting in settings if setting.kind == SYSCTL}


def _sysctls(settings: t.Sequence[Setting], seen: Seen) -> dict[str, str]:
    """What the running kernel is given: what is wanted, and what was before of what is wanted no more."""
    wanted = {**seen.record.sysctls, **_wanted(settings)}
    return {name: value for name, value in wanted.items() if seen.sysctls.get(name, value) != value}


def _registers(acs: str, seen: Seen) -> dict[str, str]:
    there = {register.bdf: f"{register.control:04x}" for register in seen.registers or ()}
    return {bdf: value for bdf, value in seen.record.registers.items() if not acs and there.get(bdf, value) != value}


def _edits(appended: t.Sequence[str], seen: Seen) -> tuple[Edit, ...]:
    """Words for entries that lack them, and none of ours that are not wanted any more."""
    if seen.loader != ENTRIES:
        return ()
    found = []
    for kernel, words in seen.entries.items():
        stale = tuple(word for word in seen.record.arguments if word not in appended and word in words)
        fresh = tuple(word for word in appended if word not in words)
        found += [Edit(kernel, option, some) for option, some in ((TAKE, stale), (ADD, fresh)) if some]
    return tuple(found)


def _menu(appended: t.Sequence[str], seen: Seen, written: bool) -> bool:
    """Whether the menu is not made of what the files say."""
    if seen.loader != MENU:
        return False
    words = seen.entry or ()
    stale = any(word in words for word in seen.own if word not in appended)
    return written or stale or any(word not in words for word in appended)
