# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The lists that apt has of the sources that are ours, as they are signed."""

from __future__ import annotations

import contextlib
import glob
import os
import typing as t

from .._core.act import partial_mirror
from .._core.act.offers import first_error
from .._core.act.partial_mirror import Archive, Index
from .._core.errors import FleetError
from .._core.formats.apt_lists import listed
from .._core.plan import managed
from .offers import ETC, torn_lists, view
from .process import run

HELPER = "/usr/lib/apt/apt-helper"
_QUICK = 120
_PACKED = ("", ".lz4", ".zst", ".gz", ".xz", ".bz2", ".lzma")  # as apt may keep its lists


@contextlib.contextmanager
def at_hand(timeout: float) -> t.Iterator[tuple[Index, ...]]:
    """apt with lists of the sources that are ours, and these lists: its own or, where one is not there or not whole, in
    a private copy that is gone afterwards. A node that was adopted may never have asked for them.

    Raises:
        FleetError: they cannot be fetched.
    """
    found = _indexes()
    if not _unlisted(found, torn_lists()):
        yield found
        return
    own = set(map(os.path.basename, _sources()))
    there = [os.path.join(ETC, "sources.list"), *glob.glob(os.path.join(ETC, "sources.list.d", "*"))]
    others = [{"path": path, "state": "absent"} for path in there if os.path.basename(path) not in own]
    with view(others, []) as apt:
        trouble = apt.refresh(timeout)
        with apt.for_all():
            found = _indexes()
            partial_mirror.refuse_lists(_unlisted(found), trouble)
            yield found


def _sources() -> list[str]:
    """The files of the sources that are ours."""
    return [path for path in (managed.AMDGPU_SOURCES, managed.ROCM_SOURCES) if os.path.exists(path)]


def _unlisted(indexes: t.Sequence[Index], broken: t.Collection[str] = ()) -> list[str]:
    """Sources of ours of which apt has no list, or one that is broken."""
    return [index.uri for index in indexes if _list(index) in (None, *broken)] or ([] if indexes else _sources())


def _indexes() -> tuple[Index, ...]:
    """The lists of the sources that are ours."""
    done = run(["apt-get", "indextargets", "--format", partial_mirror.TARGETS, "Created-By: Packages"], _QUICK)
    if done.code:
        why = first_error(done.err) or f"ended with {done.code}"
        raise FleetError("apt-get indextargets", why, "repair its sources first")
    return partial_mirror.parse_targets(done.out, set(map(os.path.basename, _sources())))


def _list(index: Index) -> str | None:
    return next((index.path + end for end in _PACKED if os.path.exists(index.path + end)), None)


def read(indexes: t.Sequence[Index]) -> tuple[dict[str, bytes], dict[tuple[str, str, str], Archive]]:
    """Their place in the mirror -> Release files and lists, and what those offer.

    Raises:
        FleetError: one is not there as it is signed.
    """
    texts: dict[str, bytes] = {}
    offers: dict[tuple[str, str, str], Archive] = {}
    for index in indexes:
        below = f"{partial_mirror.folder(index.uri)}/{index.below}"
        release = b""
        for name in partial_mirror.SIGNED:
            with contextlib.suppress(FileNotFoundError), open(index.signed + name, "rb") as stream:
                texts[below + name] = stream.read()
                release = release or texts[below + name]
        text = _plain(index)
        digest = partial_mirror.digest(text)
        partial_mirror.refuse_unlisted(index, digest, listed(release.decode("utf-8", "replace")))
        texts[below + index.key] = text
        offers.update(partial_mirror.parse_packages(text.decode("utf-8", "replace"), index.uri))
    return texts, offers


def _plain(index: Index) -> bytes:
    """The list as it is signed: uncompressed."""
    path = _list(index) or index.path
    if path == index.path:
        with open(path, "rb") as stream:
            return stream.read()
    done = run([HELPER, "cat-file", path], _QUICK)
    if done.code:
        raise FleetError(path, f"cannot be read: {first_error(done.err) or done.code}", "refresh the lists of apt")
    return done.out.encode()
