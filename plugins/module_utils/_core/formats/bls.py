# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Menu entries in files of their own, one for each kernel, as GRUB of the RHEL family reads them.

source: The Boot Loader Specification; grubby-bls of grubby 8.40 (order, default, names)
"""

from __future__ import annotations

import dataclasses as dc
import functools
import re
import typing as t

from . import grub
from .rpm import compare

DIRECTORY = "/boot/loader/entries"
_IMAGE = re.compile(r"/vmlinuz-(\S+)$")
_RESCUE = "0-rescue"


def entry(text: str, name: str) -> grub.Entry:
    """The menu entry in a file ``name``.conf. An entry without a kernel image of the usual name has no release."""
    fields: dict[str, str] = {}
    for line in text.splitlines():
        key, _blank, value = line.strip().partition(" ")
        fields.setdefault(key, value.strip())
    image = _IMAGE.search(fields.get("linux", ""))
    release = image[1] if image else None
    return grub.Entry(fields.get("title", name), name, 0, release=release, bls=True,
                      arguments=fields.get("options", ""),
                      recovery=bool(release and release.startswith(_RESCUE)))


def into(menu: grub.Menu, entries: t.Iterable[grub.Entry]) -> grub.Menu:
    """The menu with the entries where its command ``blscfg`` stands, the newest kernel first."""
    if menu.blscfg is None:
        return menu
    found = sorted(entries, key=lambda e: _key(e.id or ""), reverse=True)
    before, behind = menu.entries[:menu.blscfg], menu.entries[menu.blscfg:]
    return dc.replace(menu, entries=(*before, *found, *behind))


def _order(one: str, other: str) -> int:
    """Order of file names as name, version and release of packages."""
    return next(filter(None, map(compare, _nvr(one), _nvr(other))), 0)


_key = functools.cmp_to_key(_order)


def _nvr(name: str) -> list[str]:
    parts = name.rsplit("-", 2)
    return ["", "", *parts][-3:]
