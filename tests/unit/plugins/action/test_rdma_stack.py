# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""rdma_stack: what the node is told, and what is refused before that; its documentation."""

from __future__ import annotations

import typing as t
from pathlib import Path
from unittest import mock

import yaml

from ansible_collections.instinct.fleet.plugins.action import rdma_stack
from ansible_collections.instinct.fleet.plugins.modules import rdma_stack as module
from ansible_collections.instinct.fleet.plugins.plugin_utils import rdma_data

Result = dict[str, t.Any]


def run(**args: t.Any) -> tuple[Result, list[Result]]:
    """What the action returns, and with what it called the module."""
    called: list[Result] = []

    def execute(name: str, given: Result, task_vars: t.Any) -> Result:
        assert name == "instinct.fleet.rdma_stack"
        called.append(given)
        return {"changed": False, "fabric": "none", "invocation": {"module_args": given}}

    action = rdma_stack.ActionModule(mock.Mock(async_val=0, args=args, check_mode=False, diff=False), *[mock.Mock()] * 5)
    with mock.patch.object(action, "_execute_module", side_effect=execute):
        return action.run(task_vars={}), called


def test_the_node_is_told_what_is_known() -> None:
    result, called = run(state="verified", versions={"rdma-core": "1"})
    assert result == {"changed": False, "fabric": "none"}
    assert (called[0]["state"], called[0]["versions"], called[0]["catalogue"]) == (
        "verified", {"rdma-core": "1"}, list(rdma_data.documents()))


def test_data_that_is_wrong_reaches_no_node(tmp_path: Path) -> None:
    (tmp_path / "mine.yml").write_text("---\nversion: v1\nkind: rdma_family\nname: mine\n")
    result, called = run(catalogue_dirs=[str(tmp_path)])
    assert (result["failed"], called) == (True, [])
    assert result["msg"] == f"{tmp_path}/mine.yml: title: is missing; add it"


def test_documentation_and_specification_agree() -> None:
    options = yaml.safe_load(module.DOCUMENTATION)["options"]
    assert set(options) == set(module.SPEC)
    for name, option in options.items():
        for key in ("type", "elements", "default", "choices"):
            assert option.get(key) == module.SPEC[name].get(key), (name, key)
    assert set(options["roce"]["suboptions"]) == set(module.ROCE)
