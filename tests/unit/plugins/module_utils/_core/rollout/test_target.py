# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a node is to become, as one text."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.target import target

RELEASE: dict[str, t.Any] = {
    "name": "rocm-7.2.3", "kernel": {"wanted": "6.1.0-56-amd64"}, "rocm": {"version": "7.2.3"},
    "driver": {"source": "dkms", "packages": {"b": "2", "a": "1:6.16"}}, "beside": []}
PLAIN = "rocm-7.2.3, kernel 6.1.0-56-amd64, driver a=1:6.16 b=2, ROCm 7.2.3"

TARGETS: dict[str, tuple[dict[str, t.Any], t.Any, str]] = {
    "a release": ({}, "", PLAIN),
    "no list of ROCm beside it": ({"beside": ...}, "", PLAIN),
    "partitions by name": ({}, "cpx-nps4", f"{PLAIN}, partitions cpx-nps4"),
    "partitions of each GPU": ({}, [{"b": 1, "a": 2}], f'{PLAIN}, partitions [{{"a": 2, "b": 1}}]'),
    "the kernel as it is": ({"kernel": {"wanted": None}}, None, PLAIN.replace("6.1.0-56-amd64", "as it is")),
    "the driver of the kernel": ({"driver": {"source": "in_tree", "packages": {}}}, "", PLAIN.replace("a=1:6.16 b=2", "in_tree")),
    "two of ROCm": ({"beside": [{"version": "6.4.4"}, {"version": "7.2.3"}]}, "", PLAIN.replace("ROCm 7.2.3", "ROCm 6.4.4 and 7.2.3")),
}


@pytest.mark.parametrize(("changed", "partitions", "text"), TARGETS.values(), ids=TARGETS)
def test_target(changed: dict[str, t.Any], partitions: t.Any, text: str) -> None:
    release = {key: value for key, value in {**RELEASE, **changed}.items() if value is not ...}
    assert target(release, partitions) == text
