# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of records: their head, their sources, and layers of them."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.records import (
    Layers,
    begun,
    cited,
    document,
    sources,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.strict import Reader


class Rose(t.NamedTuple):
    """A record."""

    id: str
    colour: str


def test_begun_tells_the_kind() -> None:
    reader, kind = begun({"version": "v1", "kind": "roses", "roses": ["red"]}, "f.yml", ("tulips", "roses"))
    assert (kind, reader.texts(kind)) == ("roses", ("red",))
    reader.done()


def test_a_document_lies_in_our_layer_unless_it_says_another() -> None:
    assert document(Reader({"path": "a.yml", "data": [1]}, "f:")) == {"path": "a.yml", "data": [1], "layer": 0}
    assert document(Reader({"path": "a.yml", "data": {}, "layer": 2}, "f:"))["layer"] == 2
    with pytest.raises(DataError, match="data: is missing"):
        document(Reader({"path": "a.yml"}, "f:"))


@pytest.mark.parametrize(("raw", "sentence"), [
    ([], "f.yml: is a list, not a mapping; write it as a mapping"),
    ({"version": "v2", "kind": "roses"}, "f.yml: version: is 'v2'; choose one of v1"),
    ({"version": "v1", "kind": "thorns"}, "f.yml: kind: is 'thorns'; choose one of roses"),
])  # fmt: skip
def test_begun_refuses(raw: object, sentence: str) -> None:
    with pytest.raises(DataError) as refused:
        begun(raw, "f.yml", ("roses",))
    assert refused.value.sentence == sentence


def test_a_record_has_a_source() -> None:
    assert sources(Reader({"sources": ["a book"]}, "f.yml: roses[0]")) == ("a book",)
    with pytest.raises(DataError, match=r"f.yml: roses\[0\].sources: is empty"):
        sources(Reader({"sources": []}, "f.yml: roses[0]"))


def test_a_source_is_one_that_the_file_defines() -> None:
    known = {"S1": "a book", "S2": "a letter"}
    assert cited(Reader({"sources": ["S2", "S1"]}, "f.yml: roses[0]"), known) == ("a letter", "a book")
    with pytest.raises(DataError) as refused:
        cited(Reader({"sources": ["S1", "S3"]}, "f.yml: roses[0]"), known)
    assert refused.value.sentence == "f.yml: roses[0].sources[1]: the file's sources do not define 'S3'; add it to sources"


def test_a_higher_layer_replaces_and_the_same_layer_must_not() -> None:
    layers: Layers[Rose] = Layers()
    layers.add({"path": "f.yml"}, [("f.yml: 0", Rose("a", "red")), ("f.yml: 1", Rose("b", "red"))])
    layers.add({"path": "site.yml", "layer": 1}, [("site.yml: 0", Rose("a", "white"))])
    assert layers.placed == {"a": ("site.yml: 0", Rose("a", "white")), "b": ("f.yml: 1", Rose("b", "red"))}
    assert layers.by_id == {"a": Rose("a", "white"), "b": Rose("b", "red")}
    with pytest.raises(DataError) as refused:
        layers.add({"path": "other.yml", "layer": 1}, [("other.yml: 0", Rose("a", "pink"))])
    assert refused.value.sentence == "other.yml: 0.id: 'a' is also site.yml: 0; rename one"
