# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Images are somebody else's: whatever bytes are in one, reading it ends in an answer or in a sentence, and in little memory."""

from __future__ import annotations

import contextlib
import json
import pathlib
import struct
import tempfile
import tracemalloc
import typing as t

from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.formats import credentials, elf, engines, inspected
from ansible_collections.instinct.fleet.plugins.module_utils._core.image import judge, labels
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma import abi
from ansible_collections.instinct.fleet.plugins.module_utils._image.contents import contents
from ansible_collections.instinct.fleet.tests.unit.support.containers import checks, host
from ansible_collections.instinct.fleet.tests.unit.support.image_trees import IONIC, LIB, image_tree
from ansible_collections.instinct.fleet.tests.unit.support.providers import libibverbs, provider

WHOLE = [provider("ionic", 1, 4), provider("ionic", 1, 4, 34, "-Wl,-z,pack-relative-relocs"), libibverbs()]
EDGES = st.sampled_from([0, 1, 7, 0xFF, 0xFFFF, 1 << 31, (1 << 32) - 1, 1 << 40, (1 << 63) - 1, 1 << 63, (1 << 64) - 1])
NUMBERS = EDGES | st.integers(0, (1 << 64) - 1)
# Where, how wide, and what: mostly within headers, segments and the dynamic section.
CHANGES = st.lists(st.tuples(st.integers(0, 4095) | st.integers(0, 1 << 15), st.sampled_from("BHIQ"), NUMBERS), max_size=6)
TEXTS = ("etc/os-release", "etc/group", "var/lib/dpkg/status", "opt/rocm/.info/version", "etc/libibverbs.d/ionic.driver", "etc/ld.so.conf")
BINARIES = (IONIC[1:], f"{LIB[1:]}/libibverbs.so.1.14.44.0", f"{LIB[1:]}/librdmacm.so.1", "bin/sh")
WORDS = st.sampled_from(["ID=", "render:x:", "Package: a\n", "Version: 1\n", "Status: install ok installed\n", "driver ", "include ",
                         "/", "..", "\0", "*", "9" * 5000, ":", "\n", "٣", "[", "\udc80".encode("utf-8", "surrogateescape").decode("latin1")])
TREES = st.dictionaries(st.sampled_from(TEXTS), st.lists(WORDS, max_size=8).map("".join).map(str.encode) | st.binary(max_size=64), max_size=3)
JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.just("sha256:" + "a" * 64), lambda inner:
                    st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3), max_leaves=6)
# What engines print, with anything in the place of anything.
IMAGE = st.fixed_dictionaries({"Id": st.just("b" * 64)}, optional=dict.fromkeys(("Names", "RepoTags", "Labels", "Size", "Created"), JSON))
ONE = st.fixed_dictionaries({}, optional={**dict.fromkeys(("ImageID", "id", "imageid", "imagename", "containername", "config"), JSON),
                                          "State": JSON | st.fixed_dictionaries({"Pid": JSON})})
PRINTED = (JSON | st.lists(IMAGE | ONE, max_size=2) | st.fixed_dictionaries({"config": st.fixed_dictionaries({"Labels": JSON})})).map(json.dumps)


def changed(whole: bytes, changes: list[tuple[int, str, int]]) -> bytes:
    """A real file in which some numbers are others."""
    data = bytearray(whole)
    for place, form, value in changes:
        struct.pack_into(f"<{form}", data, place % (len(data) - 8), value % (1 << 8 * struct.calcsize(form)))
    return bytes(data)


FILES = st.builds(changed, st.sampled_from(WHOLE), CHANGES) | st.binary(max_size=256) | st.binary(max_size=256).map(
    lambda rest: b"\x7fELF\x02\x01\x01" + rest)


@given(FILES)
@settings(max_examples=300, deadline=None)
def test_any_file_is_a_library_none_or_a_sentence(data: bytes) -> None:
    with contextlib.suppress(DataError):
        found = elf.parse(data)
        if found:
            abi.private(found)
            abi.provider(found, "/libionic-rdmav34.so")


@given(TREES, st.dictionaries(st.sampled_from(BINARIES), FILES, max_size=2))
@settings(max_examples=60, deadline=None)
def test_any_tree_is_judged(texts: dict[str, bytes], binaries: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = image_tree(pathlib.Path(folder))
        for path, data in {**texts, **binaries}.items():
            (root / path).write_bytes(data)
        tracemalloc.start()
        found = contents(str(root))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 32 << 20
    assert judge.by_tree(found, host(), checks()).verdict in ("pass", "warn", "unknown", "fail")


READERS: list[t.Callable[[str], object]] = [
    inspected.first_process, lambda text: inspected.labels(text, "image"), engines.images, engines.in_use,
    lambda text: engines.working(text, "scratch"), engines.loaded, lambda text: credentials.parse(text, text)]


@given(st.sampled_from(READERS), PRINTED | st.text(max_size=40) | st.just("[" * 100000))
@settings(max_examples=300, deadline=None)
def test_whatever_an_engine_prints_is_read_or_refused(read: t.Callable[[str], object], text: str) -> None:
    with contextlib.suppress(DataError):
        read(text)


@given(st.dictionaries(st.sampled_from([labels.KEY, *(labels.PREFIX + name for name in ("rocm", "gfx", "render-gid", "verbs-abi", "machine"))]),
                       st.text(max_size=8) | st.sampled_from(["9" * 5000, "mlx5=" + "9" * 5000, "7.0.2", "٣"])))
@settings(max_examples=200, deadline=None)
def test_whatever_labels_say_is_judged(said: dict[str, str]) -> None:
    assert judge.by_labels(labels.told(said), host(), checks()).verdict in ("pass", "warn", "unknown", "fail")
