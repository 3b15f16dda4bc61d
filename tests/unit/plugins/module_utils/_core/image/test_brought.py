# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a layer is brought, and what has no place that is known."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.image import brought
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.shape import Copy, File
from ansible_collections.instinct.fleet.plugins.module_utils._core.strict import Reader
from ansible_collections.instinct.fleet.tests.unit.support.images import A, B

IMAGE = f"quay.io/site/rdma@{A}"


def test_a_file_and_a_copy_are_read() -> None:
    assert brought.file(Reader({"source": "/a", "digest": B, "path": "/opt/a"}, "f")) == File("/a", B, "/opt/a", "0644")
    assert brought.copy(Reader({"image": IMAGE, "paths": ["/opt/a", "/usr/lib/b.so.1"]}, "c")) == Copy(IMAGE, ("/opt/a", "/usr/lib/b.so.1"))


@pytest.mark.parametrize(("raw", "sentence"), [
    ({"image": IMAGE, "paths": []}, "c.paths: is empty; name what is taken from the image"),
    ({"image": IMAGE, "paths": ["/opt", "/a/../b"]}, "c.paths[1]: is '/a/../b', which does not say where the file is; "),
    ({"image": IMAGE, "paths": ["/opt/*"]}, "c.paths[0]: is '/opt/*', which does not match "),
    ({"image": IMAGE, "paths": ["/"]}, "c.paths[0]: is '/', which does not match "),
    ({"image": "quay.io/site/rdma:1", "paths": ["/a"]}, "c.image: 'quay.io/site/rdma:1' has no digest, so it may be another image tomorrow; "),
    ({"image": f"quay.io/site/rdma:1@{A}", "paths": ["/a"]}, "c.image: 'quay.io/site/rdma:1@sha256:"),
])
def test_what_is_not_pinned_or_nowhere_is_refused(raw: dict[str, t.Any], sentence: str) -> None:
    with pytest.raises(DataError) as refusal:
        brought.copy(Reader(raw, "c"))
    assert refusal.value.sentence.startswith(sentence)


@pytest.mark.parametrize("path", ["/opt/../a", "/opt/.", "/..", "/./a"])
def test_a_path_says_where_the_file_is(path: str) -> None:
    with pytest.raises(DataError, match=r"which does not say where the file is; write the whole path, without \. and \.\."):
        brought.file(Reader({"source": "/a", "digest": A, "path": path}, "f"))


@pytest.mark.parametrize(("paths", "sentence"), [
    (("/a", "/b", "/a"), "files: two files are /a; remove one"),
    (("/a/b", "/a"), "files: /a is a file and the folder of another; write the whole path of the file"),
])
def test_two_files_are_apart(paths: tuple[str, ...], sentence: str) -> None:
    brought.apart("files", ("/a/b", "/a/c", "/ab"))
    with pytest.raises(DataError) as refusal:
        brought.apart("files", paths)
    assert refusal.value.sentence == sentence
