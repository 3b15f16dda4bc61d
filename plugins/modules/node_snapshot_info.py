#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Module node_snapshot_info: see DOCUMENTATION."""

from __future__ import annotations

DOCUMENTATION = r"""
module: node_snapshot_info
short_description: Tell what a node has kept of itself
description:
  - Returns a snapshot that M(instinct.fleet.node_snapshot) took, for a plan of the way back, and which others there
    are. Without one it fails, and says which there are.
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
options:
  id:
    description: The snapshot to return. The newest, if neither this nor O(release) is given.
    type: str
    default: ""
  release:
    description: The newest snapshot of this release.
    type: str
    default: ""
  verify:
    description: Whether every file that is kept is read, and a snapshot that is damaged refused.
    type: bool
    default: false
attributes:
  check_mode:
    description: Changes nothing.
    support: full
  diff_mode:
    description: There is no difference to show, for nothing changes.
    support: full
  idempotent:
    description: Never changes the node.
    support: full
seealso:
  - module: instinct.fleet.node_snapshot
  - module: instinct.fleet.fleet_plan
"""

EXAMPLES = r"""
- name: What would the way back to an earlier release be?
  instinct.fleet.node_snapshot_info:
    release: rocm-7.0.2
  register: kept
"""

RETURN = r"""
id:
  description: Name of the snapshot, from its time and its release.
  type: str
  returned: success
  sample: 20261130T064500Z-rocm-7.0.2
release:
  description: Release that the node recorded.
  type: str
  returned: success
kernel:
  description: The kernel to go back to, which stays installed.
  type: str
  returned: success
when:
  description: When it was taken, UTC in ISO 8601.
  type: str
  returned: success
packages:
  description: How many packages are kept.
  type: int
  returned: success
notes:
  description: What a person should know.
  type: list
  elements: str
  returned: success
kept:
  description: What M(instinct.fleet.fleet_plan) takes to plan for this snapshot.
  type: dict
  returned: success
snapshots:
  description: All that are kept, the newest first, with C(id), C(release) and C(when).
  type: list
  elements: dict
  returned: success
actions:
  description: Always empty, for nothing changes.
  type: list
  elements: str
  returned: success
failure:
  description: Parts of the refusal. C(where), C(what), C(hint), C(source).
  type: dict
  returned: failure
"""

import typing as t

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._act import snapshot_store, snapshots
from ..module_utils._act.outcome import Outcome, finish
from ..module_utils._core.act.snapshot import chosen

SPEC: dict[str, t.Any] = {
    "id": {"type": "str", "default": ""},
    "release": {"type": "str", "default": ""},
    "verify": {"type": "bool", "default": False},
}


def act(module: AnsibleModule) -> Outcome:
    """Choose one, and read it whole if asked for."""
    found = chosen(snapshot_store.all_of_them(), module.params["id"], module.params["release"])
    if module.params["verify"]:
        snapshot_store.refuse_torn(found)
    return snapshots.told(found)


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    finish(module, lambda: act(module))


if __name__ == "__main__":
    main()
