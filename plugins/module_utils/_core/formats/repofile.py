# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Repositories and settings of dnf and zypper, which write both as ini files. source: dnf.conf(5), zypper(8)"""

from __future__ import annotations

import configparser
import typing as t

from ..errors import DataError
from ..look.shape import Preference, Source

_YES, _NO = frozenset({"1", "yes", "true", "on"}), frozenset({"0", "no", "false", "off"})


def parse(text: str, file: str) -> configparser.ConfigParser:
    """The sections of an ini file.

    Raises:
        DataError: a line that belongs to no section or is no option.
    """
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except configparser.Error as error:
        raise DataError(file, f"cannot be read: {str(error).splitlines()[0]}") from None
    return parser


def parse_repositories(text: str, file: str, checked: bool = False) -> tuple[Source, ...]:
    """The repositories of a .repo file. ``checked``: signatures are checked where a repository does not say.

    A repository has neither suite nor components; ``trusted`` means that its packages need no signature.

    Raises:
        DataError: the file is not of that form.
    """
    parser = parse(text, file)
    return tuple(_source(parser[name], file, checked) for name in parser.sections() if name != "main")


def _source(section: configparser.SectionProxy, file: str, checked: bool) -> Source:
    uris = tuple(word for key in ("baseurl", "mirrorlist", "metalink") for word in words(section.get(key, "")))
    return Source(
        file=file, types=("rpm",), uris=uris, suites=(), components=(), architectures=(),
        signed_by=" ".join(words(section.get("gpgkey", ""))) or None,
        trusted=not flag(section.get("gpgcheck"), checked, file), enabled=flag(section.get("enabled"), True, file),
    )


def words(text: str) -> tuple[str, ...]:
    """Items of a list: blanks, commas and new lines stand between them."""
    return tuple(text.replace(",", " ").split())


def flag(text: str | None, default: bool, file: str) -> bool:
    """A boolean as dnf and zypper read it.

    Raises:
        DataError: neither yes nor no.
    """
    word = (text or "").strip().lower()
    if not word:
        return default
    if word not in _YES | _NO:
        raise DataError(file, f"{text!r} is neither yes nor no")
    return word in _YES


def parse_excludes(text: str, file: str) -> tuple[Preference, ...]:
    """What the main section keeps dnf from installing, whoever asks: patterns of package names."""
    parser = parse(text, file)
    main: t.Mapping[str, str] = parser["main"] if parser.has_section("main") else {}
    patterns = dict.fromkeys(word for key in ("excludepkgs", "exclude") for word in words(main.get(key, "")))
    return tuple(Preference(file, pattern, "exclude", -1) for pattern in patterns)
