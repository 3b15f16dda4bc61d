# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""fleet_export: the file that it writes, when it does not, and its documentation."""

from __future__ import annotations

import dataclasses as dc
import typing as t
from unittest import mock

import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.action import fleet_export
from ansible_collections.instinct.fleet.plugins.modules import fleet_export as module
from ansible_collections.instinct.fleet.tests.unit.plugins.plugin_utils.test_exporting import OWN_KEY, managed

KEYS = {"gpu_release_keys": OWN_KEY}


class HostVars(dict[str, t.Any]):
    """As Ansible's: raw_get does not template."""

    raw_get = dict.__getitem__


def run(
    directory: t.Any, hosts: dict[str, t.Any] | None = None, check: bool = False, diff: bool = False, **args: t.Any,
) -> dict[str, t.Any]:
    given = {"a": {**KEYS, "gpu_release_look": {"look": dc.asdict(managed())}}} if hosts is None else hosts
    task = mock.Mock(async_val=0, args={"name": "site-1", "directory": str(directory), **args}, check_mode=check, diff=diff)
    action = fleet_export.ActionModule(task, *[mock.Mock()] * 5)
    with mock.patch.object(fleet_export.Display(), "display"):
        return action.run(task_vars={"ansible_play_hosts_all": list(given), "hostvars": HostVars(given)})


def test_the_file_is_written_once(tmp_path: t.Any) -> None:
    path = tmp_path / "new" / "releases" / "site-1.yml"
    first = run(tmp_path / "new", diff=True)
    assert (first["changed"], first["path"], first["actions"]) == (True, str(path), [f"write {path}"])
    text = path.read_text()
    assert yaml.safe_load(text) == first["release"]
    assert first["release"]["release"]["title"] == "as a ran it"
    assert first["release"]["sources"]["measured"].startswith("read from a with instinct.fleet.gpu_node_info at 2")
    assert (first["diff"]["before"], first["diff"]["after"]) == ("", text)
    again = run(tmp_path / "new", diff=True)
    assert (again["changed"], again["actions"], "diff" in again, path.read_text()) == (False, [], False, text)


def test_in_check_mode_nothing_is_written(tmp_path: t.Any) -> None:
    result = run(tmp_path / "new", check=True)
    assert (result["changed"], (tmp_path / "new").exists()) == (True, False)


def test_what_goes_with_it_is_returned(tmp_path: t.Any) -> None:
    result = run(tmp_path)
    assert result["variables"]["gpu_release_name"] == "site-1"
    assert (result["host_variables"], list(result["adopting"]), list(result["notes"])) == ({}, ["a"], ["a"])


def test_a_file_that_says_something_else_stays_unless_it_may_be_replaced(tmp_path: t.Any) -> None:
    path = tmp_path / "releases" / "site-1.yml"
    path.parent.mkdir()
    path.write_text("release: {name: mine}\n")
    refused = run(tmp_path)
    assert refused["msg"] == (f"{path}: is there and describes something else; "
                              "choose another name, or replace it with fleet_export_replace=true")
    assert path.read_text() == "release: {name: mine}\n"
    assert run(tmp_path, replace=True)["changed"] is True


REFUSALS: dict[str, tuple[dict[str, t.Any], str]] = {
    "a node that was not looked at": ({"b": KEYS}, "b: was not looked at"),
    "a node that could not be reached": ({"b": {"gpu_release_look": {"unreachable": True}}}, "b: was not looked at"),
    "a look of another form": ({"b": {"gpu_release_look": {"look": {"os": []}}}}, "look.os: is list, not a mapping"),
    "a misspelt variable": (
        {"b": {"gpu_release_look": {"look": dc.asdict(managed())}, "gpu_driver_sorce": "x"}}, "did you mean gpu_driver_source?"),
    "no node": ({}, "there is no node to export"),
}


@pytest.mark.parametrize(("hosts", "says"), REFUSALS.values(), ids=REFUSALS)
def test_refusals(tmp_path: t.Any, hosts: dict[str, t.Any], says: str) -> None:
    result = run(tmp_path, hosts)
    assert (result["failed"], list(tmp_path.iterdir())) == (True, [])
    assert says in result["msg"]
    assert result["failure"]["where"] in result["msg"]


def test_many_nodes_are_not_all_in_the_title(tmp_path: t.Any) -> None:
    node = {**KEYS, "gpu_release_look": {"look": dc.asdict(managed())}}
    result = run(tmp_path, dict.fromkeys("abcd", node))
    assert result["release"]["release"]["title"] == "as a, b, c and others ran it"
    assert run(tmp_path, {"a": node}, title="mine", replace=True)["release"]["release"]["title"] == "mine"


def test_files_in_the_way_are_a_sentence(tmp_path: t.Any) -> None:
    (tmp_path / "releases").mkdir()
    (tmp_path / "releases" / "site-1.yml").mkdir()
    assert "site-1.yml: cannot be read" in run(tmp_path)["msg"]
    (tmp_path / "file").touch()
    assert "file/releases/site-1.yml: cannot be read" in run(tmp_path / "file")["msg"]


def test_the_documentation_is_about_this_plugin(tmp_path: t.Any) -> None:
    result = run(tmp_path)
    assert set(yaml.safe_load(module.RETURN)) == (set(result) | {"failure"}) - {"changed"}
    options = yaml.safe_load(module.DOCUMENTATION)["options"]
    assert set(options) == {"name", "directory", "title", "hosts", "replace"}
