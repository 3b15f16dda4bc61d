# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Small texts of /proc and /sys about the machine: choices, lists of numbers, memory, limits, options of a kernel."""

from __future__ import annotations

import re
import typing as t


def chosen(text: str) -> str | None:
    """Return the word in brackets: madvise of "always [madvise] never"; None if there is none."""
    match = re.search(r"\[(\w+)\]", text)
    return match[1] if match else None


def count(text: str) -> int | None:
    """Return how many numbers a list of the kernel has, 0-3,8 has five; None if it is none.

    source: linux:Documentation/admin-guide/kernel-parameters.rst, cpu lists
    """
    ranges = [re.match(r"^(\d+)(?:-(\d+))?$", part) for part in text.strip().split(",")]
    if not all(ranges):
        return None
    return sum(int(match[2] or match[1]) - int(match[1]) + 1 for match in ranges if match)


def kibibytes(text: str, name: str) -> int | None:
    """Return an amount of /proc/meminfo in bytes, None if it is not there."""
    match = re.search(rf"^{name}:\s+(\d+) kB$", text, re.MULTILINE)
    return int(match[1]) * 1024 if match else None


def cpu_vendor(text: str) -> str | None:
    """Return vendor_id of the first processor of /proc/cpuinfo."""
    match = re.search(r"^vendor_id\s*:\s*(\w+)$", text, re.MULTILINE)
    return match[1] if match else None


def soft_limit(text: str, name: str) -> int | None:
    """Return a soft limit of /proc/<pid>/limits, -1 for none; None if it is not there."""
    match = re.search(rf"^{name}\s+(unlimited|\d+)\s", text, re.MULTILINE)
    if match is None:
        return None
    return -1 if match[1] == "unlimited" else int(match[1])


def kernel_options(text: str, names: t.Iterable[str]) -> dict[str, str]:
    """Return options of a kernel's configuration that it names: y, m, n, or a value. Others are left out."""
    found = {}
    for name in names:
        match = re.search(rf"^(?:{name}=(.*)|# {name} (is not set))$", text, re.MULTILINE)
        if match:
            found[name] = "n" if match[2] else match[1]
    return found


def number(text: str) -> int | None:
    """Return a whole number at the start of a text: 4 of "4: ACTIVE", 400 of "400 Gb/sec"; None if there is none."""
    match = re.match(r"^-?\d+", text.strip())
    return int(match[0]) if match else None


def named(text: str) -> str | None:
    """Return the name behind a number: ACTIVE of "4: ACTIVE"; None if it is not of that form."""
    match = re.match(r"^\d+:\s*(\S.*)$", text.strip())
    return match[1] if match else None
