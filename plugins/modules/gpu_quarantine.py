#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Module gpu_quarantine: see DOCUMENTATION."""

from __future__ import annotations

DOCUMENTATION = r"""
module: gpu_quarantine
short_description: Set a node aside, or take it back
description:
  - A node in quarantine fails every gate, whatever its GPUs show, until the quarantine is lifted.
  - This module acts for a person. It lifts what a gate or another person set. A gate lifts only what a gate set, by
    passing a profile that lifts (V(admission)).
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
options:
  state:
    description: Whether the node should be in quarantine.
    type: str
    choices: [present, absent]
    default: present
  reason:
    description: Why it is set aside, for those who find it so. Required with O(state=present).
    type: str
  actor:
    description: Who sets it aside, as a person is called at the site. Required with O(state=present).
    type: str
  lock_timeout:
    description: Seconds to wait for a gate that runs on the node.
    type: int
    default: 30
attributes:
  check_mode:
    description: Can run in check mode and report what would change.
    support: full
  diff_mode:
    description: Shows the quarantine before and after.
    support: full
  idempotent:
    description: A quarantine of a person with the same reason and actor stays as it is, with its time.
    support: full
seealso:
  - module: instinct.fleet.gpu_health_gate
"""

EXAMPLES = r"""
- name: Set a node aside
  instinct.fleet.gpu_quarantine:
    reason: GPU 3 throttles, case 4711
    actor: "{{ lookup('ansible.builtin.env', 'USER') }}"

- name: Take it back
  instinct.fleet.gpu_quarantine:
    state: absent
"""

RETURN = r"""
quarantine:
  description: The quarantine as it is now, with C(by), C(actor), C(reason), C(when) and C(checks); null if there is
    none.
  type: dict
  returned: success
actions:
  description: What was done, or would be done in check mode, in words.
  type: list
  elements: str
  returned: success
failure:
  description: Parts of the refusal. C(where), C(what), C(hint), C(source).
  type: dict
  returned: failure
"""

import contextlib
import typing as t

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._act.outcome import Outcome, finish
from ..module_utils._core.health.quarantine import PERSON, Quarantine
from ..module_utils._gate.gate import now
from ..module_utils._gate.state import State

SPEC: dict[str, t.Any] = {
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "reason": {"type": "str"},
    "actor": {"type": "str"},
    "lock_timeout": {"type": "int", "default": 30},
}


def act(module: AnsibleModule) -> Outcome:
    """Compare, then set or lift."""
    state, given = State(), module.params
    with contextlib.nullcontext() if module.check_mode else state.locked(given["lock_timeout"]):
        before = state.read_quarantine()
        after = None
        if given["state"] == "present":
            same = before and (before.by, before.actor, before.reason) == (PERSON, given["actor"], given["reason"])
            after = before if same else Quarantine(PERSON, given["actor"], given["reason"], now())
        if after != before and not module.check_mode:
            state.write_quarantine(after)
    words = () if after == before else (f"set the node aside: {after.reason}" if after else "lift the quarantine",)
    texts = {side: f"{item.words}\n" if item else "" for side, item in (("before", before), ("after", after))}
    headers = {f"{side}_header": state.quarantine for side in texts}
    return Outcome(words, ({**texts, **headers},), {"quarantine": after.to_dict() if after else None})


def main() -> None:
    """Entry point."""
    module = AnsibleModule(
        argument_spec=SPEC, supports_check_mode=True, required_if=[("state", "present", ("reason", "actor"))])
    finish(module, lambda: act(module))


if __name__ == "__main__":
    main()
