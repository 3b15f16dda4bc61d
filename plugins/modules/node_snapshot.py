#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Module node_snapshot: see DOCUMENTATION."""

from __future__ import annotations

DOCUMENTATION = r"""
module: node_snapshot
short_description: Keep on a node what it takes to come back to what it is
description:
  - Keeps the node's record, and of the repositories of its release the signed lists and the archives of what is
    installed, below C(/var/lib/instinct/kept). apt reads that as a part of the vendor's own repository, and verifies it
    with the vendor's key, whether the repositories can be reached then or not.
  - Archives come from apt's cache or another snapshot as hard links, or are fetched by apt from the sources that there
    are. Each is checked by its SHA256. A snapshot that was interrupted is none.
  - The kernel is not kept, it must stay installed. A node that is not what its record says is refused.
  - A snapshot of the same record that is whole stays the one. The newest two are kept.
  - On systems with dnf or zypper the record is kept and packages are not. The way back needs their repositories.
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
options:
  timeout:
    description: Seconds for fetching archives.
    type: int
    default: 3600
  lock_timeout:
    description: Seconds to wait for another run that acts on this node, or works on packages.
    type: int
    default: 300
attributes:
  check_mode:
    description: >-
      Says whether a snapshot can be taken, how much room it needs and what would be fetched. Archives that are on the
      node are not read for that; their size is taken for an answer.
    support: full
  diff_mode:
    description: There is no difference to show; archives are no text.
    support: none
  idempotent:
    description: A node that is what it was when its newest snapshot was taken is not changed.
    support: full
seealso:
  - module: instinct.fleet.node_snapshot_info
  - module: instinct.fleet.node_progress
  - module: instinct.fleet.fleet_plan
"""

EXAMPLES = r"""
- name: Keep what the node is
  instinct.fleet.node_snapshot:
  register: snapshot
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
room:
  description: Bytes that it takes besides what is there already.
  type: int
  returned: success
fetch:
  description: Packages that are, or in check mode would be, fetched from the repositories.
  type: list
  elements: str
  returned: success
notes:
  description: What a person should know.
  type: list
  elements: str
  returned: success
kept:
  description: What M(instinct.fleet.fleet_plan) takes to plan for this snapshot. Empty where it is only foreseen.
  type: dict
  returned: success
snapshots:
  description: All that are kept, the newest first, with C(id), C(release) and C(when).
  type: list
  elements: dict
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

import typing as t

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._act import snapshots
from ..module_utils._act.outcome import Outcome, finish

SPEC: dict[str, t.Any] = {
    "timeout": {"type": "int", "default": 3600},
    "lock_timeout": {"type": "int", "default": 300},
}


def act(module: AnsibleModule) -> Outcome:
    """Take one, unless there is one of this node as it is."""
    return snapshots.take(module.check_mode, module.params["timeout"], module.params["lock_timeout"])


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    finish(module, lambda: act(module))


if __name__ == "__main__":
    main()
