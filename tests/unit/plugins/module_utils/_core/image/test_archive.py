# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an archive holds, and what pins a reference."""

from __future__ import annotations

import json

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError, FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.image import archive
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.archive import Archive

ID = "a" * 64
DIGEST = f"sha256:{'b' * 64}"
INDEX = json.dumps({"schemaVersion": 2, "manifests": [{"digest": DIGEST, "annotations": {"org.opencontainers.image.ref.name": "x"}}]})


def test_an_archive_of_one_image() -> None:
    assert archive.manifest_digest(INDEX, "a.tar") == DIGEST
    assert archive.image_id(json.dumps({"config": {"digest": f"sha256:{ID}", "size": 1}, "layers": []}), "a.tar") == ID


@pytest.mark.parametrize(("text", "sentence"), [
    ("{", "a.tar: is not JSON; export the image anew"), ('{"manifests": {}}', "a.tar: holds 0 images, not one"),
    ('{"manifests": [{}, {}]}', "a.tar: holds 2 images, not one"), ('{"manifests": [{"digest": "md5:1"}]}', "a.tar: manifests.0. digest|does not match"),
])
def test_an_index_that_is_none(text: str, sentence: str) -> None:
    with pytest.raises(DataError, match=sentence):
        archive.manifest_digest(text, "a.tar")


def test_what_an_archive_calls_its_image() -> None:
    assert archive.name(INDEX, "a.tar") == "x"
    for text in ('{"manifests": []}', '{"manifests": [1]}', '{"manifests": [{"annotations": 1}]}', '{"manifests": [{"annotations": {"a": "b"}}]}'):
        assert archive.name(text, "a.tar") == ""


STORED = [(ID, ["localhost/duo:1"]), ("c" * 64, ["localhost/trio:1", "docker.io/library/x:latest", "x"])]


@pytest.mark.parametrize(("name", "taken"), [
    ("", ""), ("localhost/duo:1", ""), ("localhost/trio:1", "localhost/trio:1"), ("trio:1", "localhost/trio:1"), ("x", "docker.io/library/x:latest"),
    ("rio:1", ""), ("reg:5000/trio", ""), ("localhost/new:1", ""),
])
def test_a_name_that_another_image_has(name: str, taken: str) -> None:
    assert archive.taken(name, ID, STORED) == taken


def test_the_note_says_what_the_archive_is() -> None:
    said = json.loads(archive.note(Archive(ID, DIGEST), "x:1", {"a": "b"}, "c", 5))
    assert said == {"version": "v1", "kind": "image_archive", "id": ID, "digest": DIGEST, "tag": "x:1", "labels": {"a": "b"}, "sha256": "c", "size_bytes": 5}


@pytest.mark.parametrize(("ident", "digest", "wrong"), [("", "", ""), (ID, DIGEST, ""), ("c", "", "id"), (ID, "sha256:c", "digest")])
def test_another_image_is_refused(ident: str, digest: str, wrong: str) -> None:
    if not wrong:
        archive.refuse_other("a.tar", Archive(ID, DIGEST), ident, digest)
        return
    with pytest.raises(FleetError, match=f"a.tar: holds the {wrong} "):
        archive.refuse_other("a.tar", Archive(ID, DIGEST), ident, digest)


@pytest.mark.parametrize("reference", ["reg/x", "reg/x:latest", f"reg/x @{DIGEST}", "reg/x@sha256:1", ""])
def test_what_pins(reference: str) -> None:
    assert archive.pinned(f"reg:5000/x@{DIGEST}") == DIGEST
    with pytest.raises(DataError, match="is not pinned by a digest"):
        archive.pinned(reference)
