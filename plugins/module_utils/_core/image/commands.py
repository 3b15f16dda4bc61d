# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Commands of a layer: what installs packages has no place there, for nothing would hold them to a version."""

from __future__ import annotations

import re

from ..errors import DataError

# A manager of packages as a word of its own, and within the same command a word that has it install something.
# The schema of images has the same pattern.
INSTALLS = (r"(?:^|[\s;&|(\x22\x27`/])"
            r"(pipx?[0-9.]*|uv|conda|mamba|micromamba|npm|yarn|apt|apt-get|aptitude|dnf|microdnf|yum|zypper|apk|gem)"
            r"\s(?:[^;&|\n]|\\\n)*?(?<=\s)(?:install|add|ci)(?:\s|$)")
# pip takes what lies in the image then, which ``files`` brought by its digest.
_LOCAL = re.compile(r"\s--no-index(?:\s|$)")


def refuse(where: str, command: str) -> str:
    """The command, if it installs nothing.

    Raises:
        DataError: it does.
    """
    for found in re.finditer(INSTALLS, command, re.ASCII):
        rest = re.split(r"[;&|]", command[found.start(1):], maxsplit=1)[0]
        if not _LOCAL.search(rest):
            raise DataError(where, f"installs packages by {found[1]}, so no version of them is pinned",
                            "name them in packages, those of Python in python")
    return command
