# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a site decides, and which data it accepts."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError, FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.policy import Book, KeyOverride, Policy
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.provenance import Provenance


def test_nothing_said_means_the_defaults():
    assert Policy.from_dict({}) == Policy((), {}, {}, None, "dkms")


def test_everything_said_is_kept():
    raw = {"accept": ["derived"], "mirrors": {"https://a": "https://b"}, "kernel": "6.1.0-56-amd64",
           "driver_source": "in_tree",
           "keys": {"radeon": {"fingerprint": "AB"}, "own": {"fingerprint": "CD", "url": "https://k"}}}
    assert Policy.from_dict(raw) == Policy(
        ("derived",), {"https://a": "https://b"}, {"radeon": KeyOverride("AB"), "own": KeyOverride("CD", "https://k")},
        "6.1.0-56-amd64", "in_tree")


@pytest.mark.parametrize(("raw", "sentence"), [
    ({"acept": []}, "policy: acept: is not a known key; did you mean accept"),
    ({"accept": ["sure"]}, ("policy: accept[0]: is 'sure', which does not match "
                            "documented|third_party|derived|unverified; write it in that form")),
    ({"driver_source": "runfile"}, "policy: driver_source: is 'runfile'; choose one of dkms, in_tree"),
    ({"keys": {"radeon": {}}}, "policy: keys.radeon.fingerprint: is missing; add it"),
    ({"mirrors": {"https://a": None}}, "policy: mirrors.https://a: is null, not text; fill it in"),
    ({"mirrors": {"https://a": "b"}}, ("policy: mirrors.https://a: 'b' is not a URL; write it as "
                                       "https://mirror.example.org/radeon")),
    ({"mirrors": {"a": "https://b"}}, ("policy: mirrors: 'a' is not a URL; write it as "
                                       "https://mirror.example.org/radeon")),
    ({"keys": {"own": {"fingerprint": "CD", "url": "k"}}},
     "policy: keys.own.url: 'k' is not a URL; write it as https://mirror.example.org/radeon"),
    ([], "policy: is a list, not a mapping; write it as a mapping"),
])
def test_a_policy_is_read_strictly(raw, sentence):
    with pytest.raises(DataError) as caught:
        Policy.from_dict(raw)
    assert caught.value.sentence == sentence


SECRETS = [
    {"mirrors": {"https://a": "https://user:s3cret@mirror.example/x"}},
    {"mirrors": {"https://user:s3cret@a": "https://b"}},
    {"mirrors": {"https://a": "https://s3cret@mirror.example"}},
    {"mirrors": {"https://a": "https://us@er:s3cret@mirror.example"}},
    {"keys": {"own": {"fingerprint": "CD", "url": "ftp://user:s3cret@mirror.example/key"}}},
]


@pytest.mark.parametrize("raw", SECRETS)
def test_a_password_in_an_address_is_refused_and_not_repeated(raw):
    with pytest.raises(DataError, match=r"is written with a user or password.*/etc/apt/auth\.conf\.d") as caught:
        Policy.from_dict(raw)
    assert "s3cret" not in caught.value.sentence


@pytest.mark.parametrize("address", ["https://mirror.example/@scope/x", "file:///srv/a@b", "https://mirror.example?u=a@b"])
def test_an_at_sign_elsewhere_is_none(address):
    assert Policy.from_dict({"mirrors": {"https://a": address}}).mirrors == {"https://a": address}


def record(confidence, note=""):
    return Provenance(confidence, ("src",), note)


@pytest.mark.parametrize(("accept", "confidence"), [
    ((), "documented"), (("derived",), "derived"), (("derived", "third_party"), "third_party"),
    (("unverified",), "unverified")])
def test_accepted_data_is_used(accept, confidence):
    book = Book(Policy(accept=accept))
    book.accept("w", "it", record(confidence, "n"), note=True)
    book.accept("w", "it", record(confidence, "not this"))
    assert (book.sources, book.notes) == (("src",), ("n",))


@pytest.mark.parametrize(("accept", "note", "sentence"), [
    ((), "", "w: it is derived, not documented; add derived to gpu_release_accept to act on it (source: src)"),
    (("third_party",), "guessed", ("w: it is derived, not documented (guessed); add derived to gpu_release_accept "
                                   "to act on it (source: src)")),
])
def test_other_data_is_refused(accept, note, sentence):
    with pytest.raises(FleetError) as caught:
        Book(Policy(accept=accept)).accept("w", "it", record("derived", note))
    assert caught.value.sentence == sentence


def test_notes_and_sources_stand_once_and_in_order():
    book = Book(Policy())
    for text in ("b", "", "a", "b"):
        book.note(text)
    book.use(Provenance("derived", ("y", "x")))
    book.use(Provenance("derived", ("x", "z")))
    assert (book.notes, book.sources) == (("b", "a"), ("y", "x", "z"))
