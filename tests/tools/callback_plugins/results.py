# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Results for tests: a line of JSON for each task on each host, nothing else on standard output.

Use: ANSIBLE_CALLBACK_PLUGINS=tests/tools/callback_plugins ANSIBLE_STDOUT_CALLBACK=results
"""

from __future__ import annotations

import json
import typing as t

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: results
type: stdout
short_description: One line of JSON for each result
description: For tests that run ansible-playbook and look at what tasks returned.
"""


class CallbackModule(CallbackBase):
    """Prints {"host", "task", "status", "result"} for each result."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "results"

    def _line(self, status: str, result: t.Any) -> None:
        # Their names are public since ansible-core 2.19.
        parts = ("host", "task", "result")
        host, task, said = (getattr(result, name, None) or getattr(result, f"_{name}") for name in parts)
        line = {"host": host.name, "task": task.get_name(), "status": status, "result": said}
        self._display.display(json.dumps(line, default=str))

    def v2_runner_on_ok(self, result: t.Any) -> None:
        self._line("ok", result)

    def v2_runner_on_failed(self, result: t.Any, ignore_errors: bool = False) -> None:
        self._line("ignored" if ignore_errors else "failed", result)

    def v2_runner_on_skipped(self, result: t.Any) -> None:
        self._line("skipped", result)

    def v2_runner_on_unreachable(self, result: t.Any) -> None:
        self._line("unreachable", result)
