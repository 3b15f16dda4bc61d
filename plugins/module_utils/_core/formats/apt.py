# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Package sources, preferences and configuration of apt."""

from __future__ import annotations

import re
import typing as t

from ..errors import DataError
from ..look.shape import Preference, Source

_YES = frozenset({"yes", "true", "with", "on", "enable", "1"})  # apt's own list, sources.list(5) says "yes or no"
_NO = frozenset({"no", "false", "without", "off", "disable", "0"})
_ONE_LINE = re.compile(r"^(?P<type>deb|deb-src)\s+(?:\[(?P<options>[^\]]*)\]\s+)?(?P<rest>\S.*)$")
_FIELD = re.compile(r"^(?P<name>[A-Za-z0-9-]+)\s*:\s*(?P<value>.*)$")
# A name apt reads in its .d directories. source: apt.conf(5), sources.list(5)
_FILE_NAME = re.compile(r"^[A-Za-z0-9_.-]+$")

EMBEDDED = "embedded"


def is_source_file(name: str) -> bool:
    """Whether apt reads a file of this name in sources.list.d."""
    return bool(_FILE_NAME.match(name)) and name.endswith((".list", ".sources"))


def is_preference_file(name: str) -> bool:
    """Whether apt reads a file of this name in preferences.d: no extension, or .pref."""
    return bool(_FILE_NAME.match(name)) and ("." not in name or name.endswith(".pref"))


def parse_one_line(text: str, file: str) -> tuple[Source, ...]:
    """Read one-line sources. A commented line is a comment, not a disabled source.

    Raises:
        DataError: a line that apt would refuse.
    """
    sources = []
    for number, line in enumerate(text.splitlines(), 1):
        content = line.partition("#")[0].strip()
        if not content:
            continue
        match = _ONE_LINE.match(content)
        words = match["rest"].split() if match else []
        if match is None or len(words) < 2 or (len(words) == 2 and not words[1].endswith("/")):
            raise DataError(f"{file}:{number}", f"not an apt source: {line.strip()!r}")
        options = _options(match["options"] or "", f"{file}:{number}")
        sources.append(Source(
            file=file, types=(match["type"],), uris=(words[0],), suites=(words[1],), components=tuple(words[2:]),
            architectures=tuple(_list(options.get("arch", ""))), signed_by=options.get("signed-by"),
            trusted=_boolean(options.get("trusted", "no"), f"{file}:{number}"), enabled=True,
        ))
    return tuple(sources)


def _options(text: str, where: str) -> dict[str, str]:
    options = {}
    for word in text.split():
        name, equals, value = word.partition("=")
        if not equals:
            raise DataError(where, f"option {word!r} has no value")
        options[name.lower()] = value
    return options


def parse_deb822(text: str, file: str) -> tuple[Source, ...]:
    """Read a .sources file. A key written into the file gives ``signed_by`` the value ``embedded``.

    Raises:
        DataError: a stanza that apt would refuse.
    """
    sources = []
    for stanza in stanzas(text, file):
        missing = [name for name in ("types", "uris", "suites") if name not in stanza]
        if missing:
            raise DataError(file, f"a stanza has no field {missing[0]}")
        signed_by = stanza.get("signed-by", "").strip()
        sources.append(Source(
            file=file, types=tuple(stanza["types"].split()), uris=tuple(stanza["uris"].split()),
            suites=tuple(stanza["suites"].split()), components=tuple(stanza.get("components", "").split()),
            architectures=tuple(_list(stanza.get("architectures", ""))),
            signed_by=EMBEDDED if "BEGIN PGP" in signed_by else (signed_by or None),
            trusted=_boolean(stanza.get("trusted", "no"), file), enabled=_boolean(stanza.get("enabled", "yes"), file),
        ))
    return tuple(sources)


def embedded_keys(text: str, file: str) -> tuple[str, ...]:
    """Return the armoured keys written into a .sources file (deb822 writes an empty line as a dot).

    Raises:
        DataError: the file is not deb822.
    """
    keys = []
    for stanza in stanzas(text, file):
        value = stanza.get("signed-by", "")
        if "BEGIN PGP" in value:
            lines = (line.strip() for line in value.strip().splitlines())
            keys.append("\n".join("" if line == "." else line for line in lines) + "\n")
    return tuple(keys)


def stanzas(text: str, file: str) -> t.Iterator[dict[str, str]]:
    """Yield the stanzas of a deb822 text: field name in lower case -> value with its continuation lines.

    Raises:
        DataError: a line that is no field, no continuation and no comment.
    """
    fields: dict[str, str] = {}
    name = ""
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#"):
            continue
        if not line.strip():
            if fields:
                yield fields
            fields, name = {}, ""
            continue
        match = _FIELD.match(line)
        if line[0] in " \t" and name:
            fields[name] += "\n" + line.strip()
        elif match:
            name = match["name"].lower()
            fields[name] = match["value"].strip()
        else:
            raise DataError(f"{file}:{number}", f"not a deb822 line: {line.strip()!r}")
    if fields:
        yield fields


def parse_preferences(text: str, file: str) -> tuple[Preference, ...]:
    """Read apt preferences. Stanzas of explanations only are skipped.

    Raises:
        DataError: a stanza without its three fields, or a priority that is no number.
    """
    preferences = []
    for stanza in stanzas(text, file):
        if set(stanza) <= {"explanation"}:
            continue
        missing = [name for name in ("package", "pin", "pin-priority") if name not in stanza]
        if missing:
            raise DataError(file, f"a stanza has no field {missing[0]}")
        try:
            priority = int(stanza["pin-priority"])
        except ValueError:
            raise DataError(file, f"Pin-Priority {stanza['pin-priority']!r} is no number") from None
        preferences.append(Preference(file, " ".join(stanza["package"].split()), stanza["pin"], priority))
    return tuple(preferences)


def parse_dump(text: str) -> dict[str, list[str]]:
    """Read ``apt-config dump``: key in lower case -> its values in order; list items count for their list.

    Raises:
        DataError: a line of another form.
    """
    values: dict[str, list[str]] = {}
    for line in text.splitlines():
        match = re.match(r'^(?P<key>\S+) "(?P<value>.*)";$', line)
        if match is None:
            raise DataError("apt-config dump", f"line not understood: {line!r}")
        values.setdefault(match["key"].lower().removesuffix("::"), []).append(match["value"])
    return values


def unattended(dump: t.Mapping[str, list[str]]) -> tuple[bool, tuple[str, ...]]:
    """Return whether unattended upgrades are switched on, and their package black list."""
    switch = (dump.get("apt::periodic::unattended-upgrade") or ["0"])[-1]
    blacklist = [item for item in dump.get("unattended-upgrade::package-blacklist", []) if item]
    return switch not in ("", "0"), tuple(blacklist)


def _list(text: str) -> list[str]:
    return text.replace(",", " ").split()


def _boolean(text: str, where: str) -> bool:
    word = text.strip().lower()
    if word in _YES | {"force"}:
        return True
    if word in _NO:
        return False
    raise DataError(where, f"{text!r} is neither yes nor no")
