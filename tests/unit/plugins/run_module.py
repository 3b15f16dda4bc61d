# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a module's main() in this process, as Ansible would with these arguments."""

from __future__ import annotations

import json
import types
import typing as t
from unittest import mock

from ansible.module_utils import basic


class _Ended(BaseException):
    """The module called exit_json or fail_json. Not an Exception, so that no handler in a module swallows it."""


def run_module(
    module: types.ModuleType, args: dict[str, t.Any], check: bool = False, diff: bool = True, **replaced: t.Any
) -> dict[str, t.Any]:
    """Return what the module returns. ``replaced`` are methods of AnsibleModule to stand in for (run_command)."""
    ended: dict[str, t.Any] = {}

    def end(_self: t.Any, failed: bool = False, **result: t.Any) -> None:
        ended.update(json.loads(json.dumps(result)), failed=failed)
        raise _Ended

    settings = {
        "_ansible_check_mode": check,
        "_ansible_diff": diff,
        "_ansible_remote_tmp": "/tmp",
        "_ansible_keep_remote_files": False,
    }
    payload = json.dumps({"ANSIBLE_MODULE_ARGS": {**args, **settings}}).encode()
    with (
        mock.patch.multiple(
            basic.AnsibleModule, exit_json=end, fail_json=lambda self, **kw: end(self, failed=True, **kw), **replaced
        ),
        mock.patch.object(basic, "_ANSIBLE_ARGS", payload),
        mock.patch.object(basic, "_ANSIBLE_PROFILE", "legacy", create=True),
    ):
        try:
            module.main()
        except _Ended:
            return ended
    raise AssertionError("the module ended without exit_json or fail_json")
