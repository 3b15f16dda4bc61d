# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Debian package sources from the machine's own apt configuration, for whichever suite is wanted.

apt itself reads its files (one-line and deb822 alike) and prints one line per index it would fetch; so nothing here
parses configuration files, and no mirror is named anywhere.
"""

from __future__ import annotations

import dataclasses as dc
import re
import subprocess

from .errors import SimError

SUITES = ("bullseye", "bookworm", "trixie", "forky")
FORMAT = "$(REPO_URI)|$(RELEASE)|$(COMPONENT)"
# What a private mirror or a proxy needs to be spoken to; anything else of the machine's settings is its own business.
SETTINGS = re.compile(r'^Acquire::(?:https?::(?:Proxy|Proxy::[^ ]+)|Check-Valid-Until|Check-Date) "[^"]+";$')


@dc.dataclass(frozen=True)
class Source:
    """One Debian archive: where it is, which part of the distribution it holds."""

    uri: str
    release: str
    components: tuple[str, ...]

    def line(self) -> str:
        """As a line of sources.list. Signatures are checked against Debian's own keyring, by mmdebstrap."""
        return f"deb {self.uri} {self.release} {' '.join(self.components)}"


def rewrite(targets: str, suite: str) -> tuple[Source, ...]:
    """The Debian sources among apt's index targets, turned to another suite.

    Args:
        targets: output of ``apt-get indextargets`` in FORMAT.
        suite: bookworm, trixie.

    Returns:
        One source for each archive and release, in the machine's order; empty if there is no Debian archive.
    """
    known = re.compile(rf"^(?:{'|'.join(SUITES)})(?P<part>-updates|-security)?$")
    found: dict[tuple[str, str], list[str]] = {}
    for line in targets.splitlines():
        uri, release, component = [*line.split("|"), "", ""][:3]
        match = known.match(release)
        if match and component:
            components = found.setdefault((uri, suite + (match["part"] or "")), [])
            if component not in components:
                components.append(component)
    return tuple(Source(uri, release, tuple(components)) for (uri, release), components in found.items())


def settings(dump: str) -> tuple[str, ...]:
    """The lines of ``apt-config dump`` that say how archives are reached."""
    return tuple(line for line in dump.splitlines() if SETTINGS.match(line))


def of_this_machine(suite: str) -> tuple[tuple[Source, ...], tuple[str, ...]]:
    """Sources for a suite and the settings to reach them.

    Returns:
        No sources on a machine that is not Debian's (Ubuntu, say): there mmdebstrap's own default serves.

    Raises:
        SimError: this machine has no apt.
    """
    try:
        targets = subprocess.run(["apt-get", "indextargets", "--format", FORMAT, "Created-By: Packages"],
                                 check=True, capture_output=True, text=True).stdout
        dump = subprocess.run(["apt-config", "dump"], check=True, capture_output=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise SimError(f"cannot read this machine's package sources ({error}); "
                       "node images need a Debian or Ubuntu machine") from error
    return rewrite(targets, suite), settings(dump)
