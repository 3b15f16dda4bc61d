# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Components of ROCm and their packages."""

from __future__ import annotations

import fnmatch

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError, FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.components import STEMS, Component, pick
from ansible_collections.instinct.fleet.plugins.module_utils._core.strict import Reader
from ansible_collections.instinct.fleet.plugins.module_utils._node.packages import PATTERNS
from ansible_collections.instinct.fleet.tests.unit.support.catalogue import own

RECORD = {"name": "hip-dev", "stream": "legacy", "deb": "hip-dev", "rpm": "hip-devel", "confidence": "documented",
          "source": ["S1"]}


def component(**changes) -> Component:
    return Component.read(Reader(RECORD | changes, "c"), {"S1": "a source"})


@pytest.mark.parametrize(("changes", "form", "targets", "packages"), [
    pytest.param({}, "deb", (), ("hip-dev{line}",), id="apt"),
    pytest.param({}, "rpm", (), ("hip-devel{line}",), id="rpm"),
    pytest.param({}, "deb", ("gfx942",), ("hip-dev{line}",), id="one for all GPUs"),
    pytest.param({"per_gpu": True}, "deb", ("gfx90a", "gfx942"), ("hip-dev{line}-gfx90a", "hip-dev{line}-gfx942"),
                 id="one for each GPU"),
    pytest.param({"per_gpu": True}, "deb", (), ("hip-dev{line}",), id="one for each GPU, and none is known"),
])
def test_packages(changes, form, targets, packages):
    assert component(**changes).packages(form, targets) == packages


@pytest.mark.parametrize(("key", "value"), [("stream", "driver"), ("deb", "hip dev"), ("deb", "site-tool"), ("rpm", None), ("per_gpu", "yes")])
def test_a_record_of_another_form_is_refused(key, value):
    with pytest.raises(DataError, match=rf"c\.{key}: is "):
        component(**{key: value})


@pytest.mark.parametrize(("name", "stream", "deb"), [
    ("rocminfo", "legacy", "rocminfo"), ("rocminfo", "therock", "amdrocm-base"),
    ("rocm-core", "therock", "amdrocm-base"), ("amd-smi-lib", "therock", "amdrocm-amdsmi"),
    ("rocm", "therock", "amdrocm"), ("rocm-hip-runtime-dev", "therock", "amdrocm-runtime-dev"),
    ("amdrocm-core-sdk", "therock", "amdrocm-core-sdk"),
])
def test_the_catalogue_names_the_package_of_each_stream(name, stream, deb):
    assert pick(own().components, name, stream, "r").deb == deb


@pytest.mark.parametrize(("name", "hint"), [
    ("amdrocm-rdc", "in the stream legacy there are "), ("rocm-hip-runtime-devel", "rocm-hip-runtime-dev"),
])
def test_a_component_that_the_stream_lacks_is_refused_with_what_comes_near(name, hint):
    with pytest.raises(FleetError) as caught:
        pick(own().components, name, "legacy", "rocm-7.2.3")
    assert caught.value.where == "rocm_userspace_components"
    assert caught.value.what == f"release rocm-7.2.3 has no component {name!r}"
    assert hint in caught.value.hint


def test_a_name_that_is_near_none_is_answered_with_all():
    few = [component(name=name) for name in ("b", "a")]
    with pytest.raises(FleetError) as caught:
        pick(few, "xyzzy", "legacy", "r")
    assert caught.value.hint == "in the stream legacy there are a, b"


def test_the_look_sees_every_package_of_every_component():
    names = {p.format(line="7.14") for c in own().components for form in ("deb", "rpm") for p in c.packages(form, ())}
    names |= {f"{stem}{rest}" for stem in STEMS for rest in ("", "-x", "7.14")} - {"half-x"}
    assert [n for n in sorted(names) if not any(fnmatch.fnmatchcase(n, pattern) for pattern in PATTERNS)] == []
