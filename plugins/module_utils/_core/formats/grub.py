# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What grub.cfg and grubenv say about the kernel that boots next. Anything unusual is unknown, never guessed."""

from __future__ import annotations

import dataclasses as dc
import re

_WORD = re.compile(r"""'([^']*)'|"((?:[^"\\]|\\.)*)"|([^\s'"]+)""")
_IMAGE = re.compile(r"^.*/(?:vmlinuz|vmlinux|kernel)-(?P<release>\S+)$")
_LOADERS = frozenset({"linux", "linux16", "linuxefi"})
# Ubuntu's grub.cfg retries after a failed boot; then next_entry is not what the file says.
_RETRY_VARIABLES = ("initrdfail",)
_PLAIN_VARIABLE = re.compile(r"^\$\{?(\w+)\}?$")
# grub.cfg of the RHEL family counts failed boots where boot_counter is set. source: 08_fallback_counting
_COUNTS_BOOTS = re.compile(r'^if \[ -n "?\$\{?boot_counter\}?"? -a ')
_TEST_VARIABLE = re.compile(r'^if \[ (?:-n )?"?\$\{?(\w+)\}?"? \]\s*;?\s*(?:then)?$')


# The variable that a part of grub.cfg of ours sets in a boot that was chosen for once, and what it then says: a kernel
# that panics starts the machine anew after so many seconds, and so does an initramfs that finds no root file system.
# Both are told by kernel-parameters.txt and initramfs-tools(7).
ONCE = "instinct_once"
ONE_BOOT = "panic=30"


class BootUnknownError(Exception):
    """The boot configuration does something this reader does not model; the text says what."""


@dc.dataclass
class Entry:
    """One menu entry or submenu. ``depth`` counts the conditions under which it exists."""

    title: str
    id: str | None
    depth: int
    children: list[Entry] | None = None  # None: an entry, a list: a submenu
    release: str | None = None
    arguments: str = ""  # of the kernel, variables of GRUB as they stand
    recovery: bool = False
    bls: bool = False  # from a file of its own, which is named by its id


@dc.dataclass(frozen=True)
class Menu:
    """The menu in order, and each ``set default=`` with the conditions it stands under."""

    entries: tuple[Entry, ...]
    defaults: tuple[tuple[tuple[str, ...], str], ...]
    unusual: tuple[str, ...]  # commands that may add entries from elsewhere
    blscfg: int | None = None  # how many entries stand before those from files of their own
    once: str = ""  # what it gives to a boot that was chosen for once

    @property
    def saved(self) -> bool:
        """Whether the entry that grubenv saves is the default."""
        return any(value in ("${saved_entry}", "$saved_entry") for _conditions, value in self.defaults)

    def paths(self) -> dict[str, str]:
        """Return kernel release -> path of titles, or id, that GRUB_DEFAULT understands; recovery entries are left out.

        An entry that names the release in its title is preferred: the first entry of the menu changes its kernel.
        """
        return {release: path for release, (path, _arguments) in self.chosen().items()}

    def chosen(self) -> dict[str, tuple[str, str]]:
        """Return kernel release -> path, and the arguments that the entry gives to the kernel."""
        paths: dict[str, tuple[str, str]] = {}
        named: set[str] = set()
        for path, entry in _walk(list(self.entries), ()):
            if entry.release is None or entry.recovery:
                continue
            names_it = entry.release in entry.title
            if entry.release not in paths or (names_it and entry.release not in named):
                paths[entry.release] = (">".join(path), entry.arguments)
                if names_it:
                    named.add(entry.release)
        return paths


def _walk(entries: list[Entry], above: tuple[str, ...]) -> list[tuple[tuple[str, ...], Entry]]:
    found = []
    for entry in entries:
        path = (*above, (entry.id if entry.bls else None) or entry.title)
        found.extend([(path, entry)] if entry.children is None else _walk(entry.children, path))
    return found


def parse_environment(text: str) -> dict[str, str]:
    """Read a grubenv block: name=value lines between a comment and padding of #."""
    pairs = (line.partition("=") for line in text.splitlines() if not line.startswith("#"))
    return {name: value for name, equals, value in pairs if equals}


def parse_menu(text: str) -> Menu:
    """Read a grub.cfg as grub-mkconfig writes it.

    Raises:
        BootUnknownError: blocks do not nest as expected.
    """
    return _Reader().read(text)


class _Reader:
    """Walks the lines with a stack of open blocks."""

    def __init__(self) -> None:
        self.top: list[Entry] = []
        self.blocks: list[Entry | None] = []  # None: a function
        self.conditions: list[str] = []
        self.defaults: list[tuple[tuple[str, ...], str]] = []
        self.unusual: list[str] = []
        self.blscfg: int | None = None
        self.once = ""

    def read(self, text: str) -> Menu:
        for raw in text.splitlines():
            line = raw.strip()
            if line and not line.startswith("#"):
                self._line(line)
        if self.blocks or self.conditions:
            raise BootUnknownError("a block of grub.cfg does not end")
        return Menu(tuple(self.top), tuple(self.defaults), tuple(self.unusual), self.blscfg, self.once)

    def _line(self, line: str) -> None:
        words = _words(line)
        command = words[0]
        if command in ("menuentry", "submenu"):
            self._open(command, words)
        elif command == "function":
            self.blocks.append(None)
        elif command == "}":
            if not self.blocks:
                raise BootUnknownError("grub.cfg closes a block that is not open")
            self.blocks.pop()
        elif command == "if" and re.search(r";\s*fi$", line):
            self._one_line(line)
        elif command in ("if", "elif", "else", "fi"):
            self._condition(command, line)
        elif command in _LOADERS and self.blocks:
            self._kernel(words)
        elif None not in self.blocks:
            self._plain(command, words, line)

    def _open(self, command: str, words: list[str]) -> None:
        if words[-1] != "{" or len(words) < 3:
            raise BootUnknownError(f"{command} of grub.cfg is not on one line")
        entry = Entry(words[1], _identifier(words), len(self.conditions),
                      children=[] if command == "submenu" else None)
        parent = next((block for block in reversed(self.blocks) if block is not None), None)
        siblings = self.top if parent is None else parent.children
        if siblings is None:
            raise BootUnknownError("a menu entry of grub.cfg holds another one")
        siblings.append(entry)
        self.blocks.append(entry)

    @staticmethod
    def _one_line(line: str) -> None:
        if re.search(r"\b(?:menuentry|submenu|linux\w*|default=)", line):
            raise BootUnknownError(f"grub.cfg decides within one line: {line}")

    def _condition(self, command: str, line: str) -> None:
        if command == "if":
            self.conditions.append(line)
        elif not self.conditions:
            raise BootUnknownError(f"{command} without if in grub.cfg")
        elif command == "fi":
            self.conditions.pop()
        else:
            first = self.conditions[-1].rpartition("not ")[2]
            self.conditions[-1] = f"not {first}" if command == "else" else line

    def _kernel(self, words: list[str]) -> None:
        entry, match = self.blocks[-1], _IMAGE.match(words[1]) if len(words) > 1 else None
        if entry is not None and match and len(self.conditions) == entry.depth:
            entry.release = match["release"]
            entry.arguments = " ".join(words[2:])
            entry.recovery = bool({"single", "recovery", "init=/bin/bash"} & set(words[2:]))

    def _plain(self, command: str, words: list[str], line: str) -> None:
        name, equals, value = (words[1] if command == "set" and len(words) > 1 else "").partition("=")
        if name == "default" and equals and not self.blocks:
            rest = words[2] if not value and len(words) > 2 else value
            self.defaults.append((tuple(self.conditions), rest))
        elif name == ONCE and not self.blocks:
            self.once = value
        elif command == "blscfg" and not self.blocks:
            self.blscfg = len(self.top)
        elif command in ("source", "configfile", ".") and not self.blocks:
            self.unusual.append(line)


def _words(line: str) -> list[str]:
    """Split like a shell, quotes taken off; ``a="b"`` stays one word."""
    words: list[str] = []
    end = -1
    for match in _WORD.finditer(line):
        text = next(group for group in match.groups() if group is not None)
        if match.start() == end and words:
            words[-1] += text
        else:
            words.append(text)
        end = match.end()
    return words or [""]


def _identifier(words: list[str]) -> str | None:
    for option in ("$menuentry_id_option", "--id"):
        if option in words[:-1]:
            return words[words.index(option) + 1]
    return None


def next_kernel(menu: Menu, environment: dict[str, str]) -> str:
    """Return the release of the kernel that GRUB boots if nobody touches the keyboard.

    Raises:
        BootUnknownError: the configuration does not say, or says it in a way this reader does not model.
    """
    for name in _RETRY_VARIABLES:
        if environment.get(name):
            raise BootUnknownError(f"grubenv holds {name}={environment[name]}: the last boot failed")
    default = _default(menu, environment)
    entry = _find(menu, default)
    if entry.release is None:
        raise BootUnknownError(f"menu entry {entry.title!r} starts no Linux kernel that this reader sees")
    return entry.release


def _default(menu: Menu, environment: dict[str, str]) -> str:
    default = "0"
    for conditions, value in menu.defaults:
        truths = [_truth(condition, environment) for condition in conditions]
        if False in truths:
            continue
        if None in truths:
            raise BootUnknownError(f"grub.cfg sets its default under a condition: {conditions[truths.index(None)]}")
        variable = _PLAIN_VARIABLE.match(value)
        if variable is None and "$" in value:
            raise BootUnknownError(f"grub.cfg computes its default: {value}")
        default = environment.get(variable[1], "") if variable else value
    return default or "0"


def _truth(condition: str, environment: dict[str, str]) -> bool | None:
    negated = condition.startswith("not ")
    if _COUNTS_BOOTS.match(condition) and not environment.get("boot_counter"):
        return False
    match = _TEST_VARIABLE.match(condition[4:] if negated else condition)
    if match is None or match[1] not in ("next_entry", "saved_entry"):
        return None
    return bool(environment.get(match[1])) is not negated


def _find(menu: Menu, default: str) -> Entry:
    siblings: list[Entry] | None = list(menu.entries)
    whole = next((e for e in menu.entries if default in (e.title, e.id) and e.children is None), None)
    if whole is not None:
        return whole
    found: Entry | None = None
    for part in default.split(">"):
        found = _child(siblings or [], part)
        if found is None:
            elsewhere = f", but it reads {menu.unusual[0]!r}" if menu.unusual else ""
            raise BootUnknownError(f"grub.cfg has no entry {default!r}{elsewhere}")
        siblings = found.children
    if found is None or found.children is not None:
        raise BootUnknownError(f"the default {default!r} is a submenu")
    return found


def _child(siblings: list[Entry], part: str) -> Entry | None:
    if not part.isdigit():
        return next((e for e in siblings if part in (e.title, e.id)), None)
    before = siblings[:int(part) + 1]
    if not all(entry.depth == 0 for entry in before):
        raise BootUnknownError(f"the default is number {part}, and an entry before it exists only under a condition")
    return before[int(part)] if int(part) < len(before) else None
