# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The documentation of fleet_report is about the action plugin that there is."""

from __future__ import annotations

import typing as t
from unittest import mock

import yaml
from ansible.plugins.action import ActionBase

from ansible_collections.instinct.fleet.plugins.action import fleet_report as action
from ansible_collections.instinct.fleet.plugins.doc_fragments._report import ModuleDocFragment
from ansible_collections.instinct.fleet.plugins.modules import fleet_report as module


def test_documented_options_and_returns_are_the_real_ones() -> None:
    documented = {**yaml.safe_load(ModuleDocFragment.DOCUMENTATION)["options"], **yaml.safe_load(module.DOCUMENTATION)["options"]}
    taken: dict[str, t.Any] = {}

    def validate(_self: t.Any, spec: dict[str, t.Any]) -> tuple[None, dict[str, t.Any]]:
        taken.update(spec)
        return None, dict.fromkeys(spec)

    plugin = action.ActionModule(mock.Mock(async_val=0), *[mock.Mock()] * 5)
    with (
        mock.patch.object(ActionBase, "validate_argument_spec", validate),
        mock.patch.object(action.Display(), "display"),
    ):
        result = plugin.run(task_vars={})
    kept = ("type", "elements")
    assert taken == {name: {k: v for k, v in o.items() if k in kept} for name, o in documented.items()}
    assert set(yaml.safe_load(module.RETURN)) == set(result) - {"changed"}
