# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every record says how sure it is and where it was read."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.provenance import Provenance
from ansible_collections.instinct.fleet.plugins.module_utils._core.strict import Reader

SOURCES = {"S1": "one", "S2": "two"}


def read(raw):
    return Provenance.read(Reader(raw, "r"), SOURCES)


def test_sources_are_spelled_out():
    raw = {"confidence": "derived", "source": ["S2", "S1"], "note": "n"}
    assert read(raw) == Provenance("derived", ("two", "one"), "n")


def test_the_first_source_stands_in_a_sentence():
    assert (Provenance("documented", ("one", "two")).first, Provenance("documented", ()).first) == ("one", "")


@pytest.mark.parametrize(("raw", "sentence"), [
    ({"confidence": "sure", "source": ["S1"]}, ("r.confidence: is 'sure'; choose one of documented, third_party, "
                                                "derived, unverified")),
    ({"confidence": "derived", "source": []}, ("r.source: is empty: a fact without a source is none; say where it "
                                               "is from")),
    ({"confidence": "derived", "source": ["S1", "S3"]}, "r.source[1]: the file's sources do not define 'S3'; add it to sources"),
    ({"source": ["S1"]}, "r.confidence: is missing; add it"),
])
def test_a_record_without_them_is_refused(raw, sentence):
    with pytest.raises(DataError) as caught:
        read(raw)
    assert caught.value.sentence == sentence
