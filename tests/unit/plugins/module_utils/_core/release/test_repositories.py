# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""URLs, mirrors and fingerprints."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.repositories import (
    KernelPackages,
    Repository,
    filled,
    mirrored,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.versions import RocmVersion
from ansible_collections.instinct.fleet.plugins.module_utils._core.strict import Reader
from ansible_collections.instinct.fleet.tests.unit.support.catalogue import own

RADEON = "https://repo.radeon.com"


@pytest.mark.parametrize(("url", "mirrors", "expected"), [
    (f"{RADEON}/rocm/apt/7.2.3", {}, f"{RADEON}/rocm/apt/7.2.3"),
    (f"{RADEON}/rocm/apt/7.2.3", {RADEON: "file:///srv/repo"}, "file:///srv/repo/rocm/apt/7.2.3"),
    (f"{RADEON}/rocm/apt/7.2.3", {f"{RADEON}/": "file:///srv/repo/"}, "file:///srv/repo/rocm/apt/7.2.3"),
    (RADEON, {RADEON: "https://mirror.example"}, "https://mirror.example"),
    (f"{RADEON}/rocm/apt/7.2.3", {RADEON: "https://a.example", f"{RADEON}/rocm": "https://b.example"},
     "https://b.example/apt/7.2.3"),
    ("https://repo.radeon.com.example/rocm", {RADEON: "https://a.example"}, "https://repo.radeon.com.example/rocm"),
])
def test_the_longest_base_is_mirrored(url, mirrors, expected):
    assert mirrored(url, mirrors) == expected


def test_words_are_replaced_not_evaluated():
    assert filled("{a}/{b}/{a.__class__}", {"a": "x", "c": "y"}) == "x/{b}/{a.__class__}"


@pytest.mark.parametrize(("stream", "rocm", "uri"), [
    ("driver", "7.2.3", "https://repo.radeon.com/amdgpu/{driver}/ubuntu"),
    ("legacy", "7.2.3", "https://repo.radeon.com/rocm/apt/{rocm}"),
    ("therock", "7.14.0", "https://repo.amd.com/rocm/packages-multi-arch/{directory}"),
    ("therock", "10.0.0", "https://stable.repo.amd.com/rocm/core/packages/{directory}/"),
])
def test_one_repository_serves_a_stream_and_version(stream, rocm, uri):
    assert [r.uri for r in own().repositories if r.serves(stream, RocmVersion.parse(rocm))] == [uri]


RECORD = {"name": "rocm", "stream": "legacy", "uri": "https://h/{rocm}", "suite": "{codename}", "components": ["main"],
          "architectures": ["amd64"], "key": "k", "origin": None, "confidence": "derived", "source": ["S1"]}


@pytest.mark.parametrize(("key", "value"), [
    ("uri", "https://h/{version}"), ("uri", "https://h/{rocm.__class__}"), ("uri", "https://h/{rocm"), ("uri", "h/x"),
    ("uri", "https://h/a b"), ("suite", "{suite}"), ("suite", "a\nb"), ("name", "other"),
])
def test_a_template_knows_four_words(key, value):
    with pytest.raises(DataError, match=rf"r\.{key}: is "):
        Repository.read(Reader(RECORD | {key: value}, "r"), {"S1": "s"})


def test_kernel_packages_end_in_the_kernel():
    raw = {"os": "debian", "names": ["linux-image-amd64"], "confidence": "derived", "source": ["S1"]}
    with pytest.raises(DataError, match=r"r\.names\[0\]: is 'linux-image-amd64'"):
        KernelPackages.read(Reader(raw, "r"), {"S1": "s"})
