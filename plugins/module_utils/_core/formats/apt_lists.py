# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The lists that apt has of its repositories, and the Release files that tell how long each of them is."""

from __future__ import annotations

import re
import typing as t

# apt keeps a file of an address under its name so. source: apt-pkg/strutl.cc of apt, URItoFileName
_QUOTED = re.compile(r"""[\\|{}\[\]<>"^~_=!@#$%&*]""")
_RELEASE = re.compile(r"^(?P<repository>.*_)(?:In)?Release$")
_HASHES = re.compile(r"^SHA256:\n(?P<lines>(?: .*\n?)+)", re.MULTILINE)
_ROW = re.compile(r"^ (?P<sha256>[0-9a-f]{64}) +(?P<size>[0-9]{1,12}) +(?P<name>\S+)$", re.MULTILINE | re.ASCII)


def listed(release: str) -> dict[str, tuple[str, int]]:
    """Name of each list -> its SHA256 and its size in bytes, as a Release file tells."""
    match = _HASHES.search(release)
    rows = _ROW.finditer(match["lines"]) if match else ()
    return {row["name"]: (row["sha256"], int(row["size"])) for row in rows}


def torn(sizes: t.Mapping[str, int], read: t.Callable[[str], str]) -> tuple[str, ...]:
    """Names of lists of packages that are shorter or longer than their Release file tells.

    A power cut leaves such lists, mostly empty. apt takes a list for good if it is there and the Release file is still
    the same, so that ``apt-get update`` never mends it (seen with apt 2.6).

    Args:
        sizes: name of each file in the folder of lists -> its size in bytes.
        read: the text of one of them.
    """
    found = []
    for name in sorted(sizes):
        match = _RELEASE.match(name)
        if match is None:
            continue
        for key, (_sha256, size) in listed(read(name)).items():
            path = match["repository"] + _QUOTED.sub(lambda one: f"%{ord(one[0]):02x}", key).replace("/", "_")
            if path.endswith("Packages") and sizes.get(path, size) != size:
                found.append(path)
    return tuple(dict.fromkeys(found))
