# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Commands of a layer: what installs packages has no place there, for nothing would hold them to a version."""

from __future__ import annotations

import re
import typing as t

from ..errors import DataError

# A manager of packages as a word of its own, and within the same command a word that has it install something: words
# that do so with all of them, then those of one. The schema of images has the same pattern.
# source: the manuals apt-get(8), aptitude(8), dnf(8), zypper(8), and the command references of npm, conda, uv and gem
_START = r"(?:^|[\s;&|(\x22\x27`/])"
_WITHIN = r"\s(?:[^;&|\n]|\\\n)*?(?<=\s)"
INSTALLS = "|".join(rf"{_START}({managers}){_WITHIN}(?:{words})(?:\s|$)" for managers, words in (
    (r"pipx?[0-9.]*|uv|conda|mamba|micromamba|npm|pnpm|yarn|apt|apt-get|aptitude|dnf|microdnf|yum|zypper|apk|gem",
     ("install|reinstall|localinstall|groupinstall|upgrade|dist-upgrade|full-upgrade|safe-upgrade|distro-sync|"
      "downgrade|build-dep|builddep|add|ci|sync|create")),
    ("dnf|microdnf|yum|conda|mamba|micromamba|npm|pnpm|gem", "update|swap"),
    ("npm|pnpm", "i"),
    ("zypper", "in|up|update|dup|patch"),
))
# pip takes what lies in the image then, which ``files`` brought by its digest.
_LOCAL = re.compile(r"\s--no-index(?:\s|$)")
_REMOTE = "://"


def refuse(where: str, command: str) -> str:
    """The command, if it installs nothing.

    Raises:
        DataError: it does.
    """
    for found in re.finditer(INSTALLS, command, re.ASCII):
        manager = t.cast("int", found.lastindex)
        rest = re.split(r"[;&|]", command[found.start(manager):], maxsplit=1)[0]
        if not _LOCAL.search(rest) or _REMOTE in rest:
            raise DataError(where, f"installs packages by {found[manager]}, so no version of them is pinned",
                            "name them in packages, those of Python in python")
    return command
