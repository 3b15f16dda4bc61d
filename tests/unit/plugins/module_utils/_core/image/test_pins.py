# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One version, one digest, one key: what is none of these is refused in a sentence."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.pgp import armour, dearmor
from ansible_collections.instinct.fleet.plugins.module_utils._core.image import pins
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.shape import Package, Parent
from ansible_collections.instinct.fleet.tests.unit.support.images import BASE, FINGERPRINT, KEY, A

OTHER = "CA8BB4727A47B4D09B4EE8969386B48A1A693C5C"


@pytest.mark.parametrize(("text", "version"), [
    ("libibverbs1=44.0-2", "44.0-2"), ("rocminfo=1.0.0.70002-56~24.04", "1.0.0.70002-56~24.04"), ("x11=1:7.7+23", "1:7.7+23"),
    ("amdrocm-core=7.14.0-3", "7.14.0-3"), ("rocm-core=7.0.2.70002-56.el9", "7.0.2.70002-56.el9"),
    ("libxml2=2.9.14+dfsg-1.3x4", "2.9.14+dfsg-1.3x4"),
])
def test_a_package_has_one_version(text: str, version: str) -> None:
    assert pins.package(text) == Package(text.split("=", maxsplit=1)[0], version)


def test_a_version_may_be_left_to_others() -> None:
    assert (pins.named("libibverbs1"), pins.named("libibverbs1=44.0-2")) == (Package("libibverbs1", ""), Package("libibverbs1", "44.0-2"))
    with pytest.raises(FleetError, match="'lib verbs': is not a package; write it as name=version"):
        pins.named("lib verbs")


@pytest.mark.parametrize(("text", "sentence"), [
    ("rocminfo", "rocminfo: is not pinned; write it as rocminfo=version, with the one version that you tested"),
    ("rocminfo=", "rocminfo: is not pinned; "),
    ("rocminfo=latest", "rocminfo: is not pinned by 'latest', which is no exact version; name the one version that you tested"),
    ("rocminfo=*", "rocminfo: is not pinned by '*'"),
    ("rocminfo=1.0*", "rocminfo: is not pinned by '1.0*'"),
    ("rocminfo=7.0.x", "rocminfo: is not pinned by '7.0.x'"),
    ("rocminfo==1.0", "rocminfo: is not pinned by '=1.0'"),
    ("rocminfo=>1.0", "rocminfo: is not pinned by '>1.0'"),
    ("rocminfo>=1.0", "'rocminfo>=1.0': is not a package; write it as name=version"),
    ("rocminfo=1.0 rm", "rocminfo: is not pinned by '1.0 rm'"),
    ("rocminfo=1.0;reboot", "rocminfo: is not pinned by '1.0;reboot'"),
    ("-o=1", "'-o=1': is not a package"),
])
def test_a_package_that_is_not_pinned(text: str, sentence: str) -> None:
    with pytest.raises(FleetError) as refusal:
        pins.package(text)
    assert refusal.value.sentence.startswith(sentence)


def test_a_base_has_a_digest() -> None:
    assert pins.image(BASE) == Parent(A, image=BASE)
    with_port = f"registry.example.org:5000/site/base@{A}"
    assert pins.image(with_port).image == with_port


@pytest.mark.parametrize(("text", "sentence"), [
    ("docker.io/library/debian:12", "'docker.io/library/debian:12': has no digest, so it may be another image tomorrow; "),
    ("docker.io/library/debian", "'docker.io/library/debian': has no digest"),
    ("docker.io/library/debian@sha256:1", "'sha256:1': is not a digest; write it as sha256: and 64 hexadecimal digits"),
    (f"docker.io/library/debian:12@{A}", f"'docker.io/library/debian:12@{A}': is not an image of a registry; "),
    (f"debian@{A}", f"'debian@{A}': is not an image of a registry; write it as host/name@sha256:..., without a tag"),
])
def test_a_base_that_is_not_pinned(text: str, sentence: str) -> None:
    with pytest.raises(FleetError) as refusal:
        pins.image(text)
    assert refusal.value.sentence.startswith(sentence)


def test_a_key_has_its_fingerprint() -> None:
    assert pins.check_key("repository site", KEY, FINGERPRINT.lower()) == FINGERPRINT
    with pytest.raises(FleetError) as refusal:
        pins.check_key("repository site", KEY, OTHER)
    assert refusal.value.sentence == (f"repository site: its key is {FINGERPRINT}, not just the pinned {OTHER}; "
                                      "ask the publisher which key is right")
    two = armour(dearmor(KEY.encode(), "") + b"\xc6\x0a\x04\x5e\x0b\xe1\x00\x16more").decode()
    with pytest.raises(FleetError, match=f"its key is {FINGERPRINT}, [0-9A-F]{{40}}, not just the pinned {FINGERPRINT}; "):
        pins.check_key("repository site", two, FINGERPRINT)
    with pytest.raises(FleetError, match="'1A693C5C' is not a whole fingerprint"):
        pins.check_key("repository site", KEY, "1A693C5C")
