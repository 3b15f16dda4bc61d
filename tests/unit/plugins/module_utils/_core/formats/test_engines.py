# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What podman, buildah and ldd print, as it is read."""

from __future__ import annotations

import json

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.formats import engines
from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.engines import Stored

A, B = "a" * 64, "b" * 64


def test_images_of_podman() -> None:
    said = [{"Id": A, "RepoTags": None, "Names": ["x:1"], "Labels": {"k": "v"}, "Size": 5, "Created": 7, "Dangling": False},
            {"Id": f"sha256:{B}", "RepoTags": None, "Labels": None, "Dangling": True},
            {"Id": A, "Names": ["x:2", "x:1"], "Labels": {"k": "v"}, "Size": 5, "Created": 7}]
    assert engines.images(json.dumps(said)) == (Stored(A, ("x:1", "x:2"), {"k": "v"}, 5, 7.0), Stored(B, (), {}, 0, 0.0))


@pytest.mark.parametrize("text", ["", "null\n", "[]"])
def test_no_images(text: str) -> None:
    assert engines.images(text) == () and engines.in_use(text) == frozenset() and engines.working(text, "scratch") == frozenset()


@pytest.mark.parametrize(("text", "sentence"), [("[", "podman images: is not JSON"), ('["x"]', r"podman images\[0\]: is text, not a mapping"),
                                                ('{"a": 1}', "podman images: is no list"), ('5', "podman images: is no list"),
                                                (f'[{{"Id": "{A}", "Names": 5}}]', r"podman images\[0\].Names: is no list"),
                                                (f'[{{"Id": "{A}", "Labels": ["a"]}}]', r"podman images\[0\].Labels: is no mapping"),
                                                ('[{"Id": "x"}]', r"podman images\[0\].Id: is 'x'")])
def test_what_is_not_podman(text: str, sentence: str) -> None:
    with pytest.raises(DataError, match=sentence):
        engines.images(text)


def test_images_that_containers_are_made_of() -> None:
    assert engines.in_use(json.dumps([{"ImageID": A}, {"ImageID": f"sha256:{B}"}])) == {A, B}


def test_containers_that_are_made_of_no_image_are_no_complaint() -> None:
    # As podman 4.3.1 says it of one with --rootfs; buildah from scratch; a container that podman does not know.
    assert engines.in_use(json.dumps([{"ImageID": ""}, {"ImageID": A}, {"Image": ""}])) == {A}


def test_containers_that_builds_work_in() -> None:
    said = json.dumps([
        {"id": name, "imageid": image, "imagename": of, "containername": called} for name, image, of, called in (
            ("1", "", "scratch", "working-container"), ("2", A, "", "a-working-container-2"), ("3", A, "", "mine"),
            ("4", B, "reg/x@sha256:1", "x-working-container"))])
    assert [engines.working(said, base) for base in ("scratch", A, "reg/x@sha256:1", "none")] == [{"1"}, {"2"}, {"4"}, set()]


# As glibc 2.36 says it.
LDD = """/usr/lib/libgood.so:
\tlinux-vdso.so.1 (0x00007ffd)
\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f)
/usr/lib/libbad.so:
\tlibnl-3.so.200 => not found
\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f)
undefined symbol: ibv_x\t(/usr/lib/libbad.so)
undefined symbol: ibv_x, version IBVERBS_1.1\t(/usr/lib/libbad.so)
symbol verbs_y, version IBVERBS_PRIVATE_34 not defined in file libibverbs.so.1 with link time reference\t(/usr/lib/libbad.so)
/usr/lib/libbad.so: /lib/libibverbs.so.1: version `IBVERBS_PRIVATE_99' not found (required by /usr/lib/libbad.so)
undefined symbol: other\t(/usr/lib/libother.so)
"""


def test_what_libraries_lack() -> None:
    assert engines.loaded(LDD) == {"/usr/lib/libgood.so": (), "/usr/lib/libbad.so": ("libnl-3.so.200", "ibv_x", "verbs_y", "IBVERBS_PRIVATE_99")}
    assert engines.loaded("\tlibx.so => not found\n") == {}
