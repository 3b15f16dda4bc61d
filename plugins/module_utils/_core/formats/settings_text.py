# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Names in texts that set things: units, shell scripts, environment files, modprobe.d, sysctl.d, udev rules, YAML.

These texts have many forms, and a setting has the same few in all of them: NAME=value, "name value" behind the right
words, a path that something is written to. So texts are searched for the names that are asked for, and for no others.
Nothing is evaluated: a value is what is written there, of a shell perhaps with a variable in it.
"""

from __future__ import annotations

import re
import typing as t

from ..look.settings import Setting

_MOST_VALUE = 300  # characters
_LONGEST = 2000  # characters of a line that are searched: expressions cost up to the square of that
_VALUE = r"""("[^"\n]*"|'[^'\n]*'|[^\s"';,|&<>\]}]*)"""
_SERVICE = re.compile(r"^(\s+)([\w.-]+):\s*$")
_MODULE = re.compile(r"(?:^|[\s;&|=/])(?:options|modprobe|insmod)\s+(?:-\S+\s+)*([\w-]+)(\s.*)?$")


class Names:
    """The names that are asked for, made ready for searching."""

    def __init__(self, names: t.Iterable[tuple[str, str]]) -> None:
        """Take pairs of name and kind; kinds are those of ``Setting.kind``."""
        by_kind: dict[str, list[str]] = {}
        for name, kind in names:
            by_kind.setdefault(kind, []).append(name)
        variables = by_kind.get("environment", ())
        self._parameters = {_plain(name): name for name in by_kind.get("module_parameter", ())}
        self._arguments = {_plain(name): name for name in by_kind.get("kernel_parameter", ())}
        self._commands = {name: _command(name) for name in by_kind.get("command", ())}
        self._attributes = {name: _attribute(name) for name in by_kind.get("sysfs", ())}
        either = "|".join(map(re.escape, variables)) or r"(?!)"
        self._variable = re.compile(rf"""(?<![\w.])["']?({either})["']?(?:=|:\s+|\s+=\s+){_VALUE}"""
                                    rf"""|setenv\s+({either})\s+{_VALUE}""")
        self._listed = re.compile(rf"""^\W*name:\s*["']?({either})["']?\s*$""")
        self._sysctls = {name: re.compile(rf"(?:^|[\s\"'])-?{re.escape(name)}\s*=\s*{_VALUE}")
                         for name in self._arguments.values() if "." in name}
        self._any = re.compile("|".join(sorted({
            *map(re.escape, variables), *map(re.escape, self._sysctls),
            *(_loose(name.partition(".")[2] or name) for name in self._parameters),
            *(re.escape(name.split()[-1]) for name in self._commands), *map(re.escape, self._attributes)})) or r"(?!)")

    def in_arguments(self, text: str, file: str, line: int | None = None) -> list[Setting]:
        """Return what a kernel command line sets."""
        found = []
        for word in re.split(r"[\s\"']+", text):
            left, equals, value = word.partition("=")
            for known, kind in ((self._parameters, "module_parameter"), (self._arguments, "kernel_parameter")):
                name = known.get(_plain(left))
                if name is not None:
                    found.append(Setting(name, _cut(value) if equals else None, kind, file, line))
        return found

    def in_text(self, text: str, file: str, holder: str | None = None, yaml: bool = False) -> list[Setting]:
        """Return what a text sets. ``holder`` is the unit that it belongs to; of YAML it is the service."""
        if not self._any.search(text):
            return []
        found: list[Setting] = []
        indent = None
        lines = _logical(text)
        for index, (number, line) in enumerate(lines):
            service = _SERVICE.match(line) if yaml else None
            if service and indent in (None, service[1]):
                indent, holder = service[1], service[2]
            if self._any.search(line):
                following = lines[index + 1][1] if index + 1 < len(lines) else ""
                found += (Setting(name, value, kind, file, number, holder)
                          for name, value, kind in self._line(line, following))
        return found

    def _line(self, line: str, following: str) -> t.Iterator[tuple[str, str | None, str]]:
        for match in self._variable.finditer(line):
            yield match[1] or match[3], _cut(match[2] if match[1] else match[4]), "environment"
        listed = self._listed.match(line)
        if listed:
            value = re.match(rf"^\s*value:\s*{_VALUE}", following)
            yield listed[1], _cut(value[1]) if value else None, "environment"
        yield from self._of_module(line)
        for kind, patterns in (("kernel_parameter", self._sysctls), ("command", self._commands),
                               ("sysfs", self._attributes)):
            for name, pattern in patterns.items():
                met = pattern.search(line)
                if met:
                    yield name, next((_cut(value) for value in met.groups() if value), None), kind

    def _of_module(self, line: str) -> t.Iterator[tuple[str, str | None, str]]:
        """Yield parameters of modules: on their own, or behind options or modprobe with the module's name."""
        match = _MODULE.search(line)
        module, rest = (f"{match[1]}.", match[2] or "") if match else ("", line)
        for word in re.split(r"[\s\"';]+", rest):
            left, equals, value = f"{module}{word}".partition("=")
            name = self._parameters.get(_plain(left))
            if name is not None:
                yield name, _cut(value) if equals else None, "module_parameter"


def environment_files(text: str) -> tuple[str, ...]:
    """Return the files that a unit's EnvironmentFile= names, but those that need expansion. source: systemd.exec(5)"""
    lines = re.finditer(r"^\s*EnvironmentFile\s*=\s*-?(\S+)\s*$", text, re.MULTILINE)
    paths = (match[1].strip("\"'") for match in lines)
    return tuple(path for path in paths if path.startswith("/") and not set("*?[%$") & set(path))


def job_scripts(text: str) -> tuple[str, ...]:
    """Return the prolog and epilog programs that slurm.conf names. source: slurm.conf(5)"""
    lines = re.finditer(r"^\s*(?:Task|Srun)?(?:Prolog|Epilog)(?:Slurmctld)?\s*=\s*(/[^\s*?%#]+)", text,
                        re.MULTILINE | re.IGNORECASE)
    return tuple(match[1] for match in lines)


def _logical(text: str) -> list[tuple[int, str]]:
    """Return the lines with the number of each, joined where a backslash says so; comments are left out."""
    found: list[tuple[int, str]] = []
    rest = ""
    first = 0
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith(("#", ";", "//")):
            continue
        first = first if rest else number
        rest += line.rstrip("\r")
        if rest.endswith("\\"):
            rest = rest[:-1] + " "
            continue
        found.append((first, rest[:_LONGEST]))
        rest = ""
    return [*found, (first, rest[:_LONGEST])] if rest else found


def _plain(name: str) -> str:
    """The kernel takes - and _ of parameters for the same."""
    return name.replace("-", "_")


def _loose(name: str) -> str:
    return re.escape(name).replace("_", "[-_]")


def _cut(value: str) -> str:
    return value.strip("\"'")[:_MOST_VALUE]


def _command(name: str) -> re.Pattern[str]:
    """The words of a command in their order, and the word behind the last of them."""
    words = r"(?:\s+[^\s;|&]+)*?\s+".join(re.escape(word) for word in name.split())
    return re.compile(rf"(?<![\w-]){words}(?![\w-])(?:[ =]+([^\s\"';|&]+))?")


def _attribute(name: str) -> re.Pattern[str]:
    """What is written to a file of sysfs by a shell, a udev rule, tmpfiles.d or sysfs.conf; or that it is named."""
    place = rf"(?<![\w.-]){re.escape(name)}(?![\w.-])"
    written = r"""echo\s+(?:-n\s+)?["']?([^\s"'>|]+)["']?\s*(?:>+|\|\s*(?:sudo\s+)?tee(?:\s+-a)?)\s*["']?[^\s"'>|]*"""
    forms = (f"{written}{place}", rf"""ATTR\{{{re.escape(name)}\}}\s*=\s*"([^"]*)\"""",
             rf"""{place}(?:\s*=\s*|(?:\s+-){{4}}\s+)([^\s"'=]+)""", place)
    return re.compile("|".join(forms))
