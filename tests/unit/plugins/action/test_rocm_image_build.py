# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""rocm_image_build: what the builder is told, and what is refused before it is told anything."""

from __future__ import annotations

import typing as t
from unittest import mock

import pytest

from ansible_collections.instinct.fleet.plugins.action import rocm_image_build
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.plain import given
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.shape import Wants
from ansible_collections.instinct.fleet.plugins.plugin_utils import container_check_data, own_version
from ansible_collections.instinct.fleet.tests.unit.support.images import B

Result = dict[str, t.Any]
ASKED = {"definition": "debian-12-rocm", "release": "rocm-7.0.2", "parent": {"archive": "/srv/base.tar", "digest": B}, "render_gid": 1200,
         "gfx": ["gfx942"], "verbs": {"mlx5": 1}}


def run(**args: t.Any) -> tuple[Result, list[Result]]:
    """What the action returns, and with what it called the module."""
    called: list[Result] = []

    def execute(name: str, given: Result, task_vars: t.Any) -> Result:
        assert name == "instinct.fleet.rocm_image_build"
        called.append(given)
        return {"changed": True, "id": "1", "invocation": {"module_args": {}}}

    task = mock.Mock(async_val=0, args=args, check_mode=False, diff=False)
    action = rocm_image_build.ActionModule(task, *[mock.Mock()] * 5)
    with mock.patch.object(action, "_execute_module", side_effect=execute):
        return action.run(task_vars={}), called


def test_the_builder_is_told_an_image_of_which_nothing_is_open() -> None:
    result, (told,) = run(**ASKED, timeout=60)
    assert result == {"changed": True, "id": "1"}
    image = given(told["image"])
    assert ([layer.name for layer in image.layers], image.parent.digest) == (["base", "rocm", "tools"], B)
    assert image.wants == Wants("rocm-7.0.2", "5.2.3", ("gfx942",), 1200, {"mlx5": 1})
    assert (told["checks"], told["collection"], told["timeout"]) == (container_check_data.documents(), own_version.version(), 60)


@pytest.mark.parametrize(("change", "sentence"), [
    ({"definition": "debian"}, "rocm_image_definition: there is no image 'debian'; "),
    ({"parent": {}}, "image debian-12-rocm: has no base; "),
    ({"parent": {"image": "docker.io/library/debian:12"}}, "rocm_image_parent.image: 'docker.io/library/debian:12' has no digest"),
])
def test_what_is_wrong_is_one_sentence_and_nothing_is_built(change: Result, sentence: str) -> None:
    result, called = run(**{**ASKED, **change})
    assert (result["failed"], called) == (True, [])
    assert result["msg"].startswith(sentence) and result["failure"]["where"] in result["msg"]
