#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Module gpu_idle: see DOCUMENTATION."""

from __future__ import annotations

DOCUMENTATION = r"""
module: gpu_idle
short_description: Wait until no process holds a GPU of the node
description:
  - Asks the kernel's own list of processes on GPUs, and at the end that of the GPU library too. Ends no process.
  - Fails if a GPU is still held, with pids, commands, units and containers, or if that cannot be told.
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
options:
  timeout:
    description: Seconds to wait. With V(0) the node is looked at once.
    type: int
    default: 0
  stop_units:
    description: Units whose processes do not count, since they will be stopped.
    type: list
    elements: str
    default: []
attributes:
  check_mode:
    description: Can run in check mode. It does not wait then, and refuses only if O(timeout=0).
    support: full
  diff_mode:
    description: It changes nothing.
    support: none
  idempotent:
    description: It changes nothing.
    support: full
seealso:
  - module: instinct.fleet.gpu_partition
"""

EXAMPLES = r"""
- name: Wait for what runs on the GPUs
  instinct.fleet.gpu_idle:
    timeout: 3600
"""

RETURN = r"""
actions:
  description: Empty, for nothing is changed.
  type: list
  elements: str
  returned: success
failure:
  description: Parts of the refusal. C(where), C(what), C(hint), C(source).
  type: dict
  returned: failure
"""

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._act.outcome import finish
from ..module_utils._partition import idle

SPEC = {"timeout": {"type": "int", "default": 0}, "stop_units": {"type": "list", "elements": "str", "default": []}}


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    given = module.params
    finish(module, lambda: idle.wait(given["timeout"], tuple(given["stop_units"]), module.check_mode))


if __name__ == "__main__":
    main()
