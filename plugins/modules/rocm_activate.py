#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Module rocm_activate: see DOCUMENTATION."""

from __future__ import annotations

DOCUMENTATION = r"""
module: rocm_activate
short_description: Let programs find one of several ROCm installations
description:
  - Until ROCm 7.2, C(/opt/rocm) is a link to an installation. From 7.13 on it is a folder in which installations lie,
    and beside them links to the parts of one of them, C(bin), C(lib) and so on. Both are kept by update-alternatives.
  - This module makes them lead to the installation named, whichever of both ways its place asks for. AMD's packages of
    7.14 register nothing unless all GPU libraries are installed; what is missing is registered here.
  - Other groups of update-alternatives that offer a program of that installation, such as C(/usr/bin/amd-smi), follow.
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
options:
  prefix:
    description: Path of the installation, such as V(/opt/rocm-7.2.3) or V(/opt/rocm/core-7.14). Needed for
      O(state=active).
    type: path
  state:
    description:
      - V(active) for an installation that programs should find.
      - V(cleared) takes away C(/opt/rocm) if it is a link, before packages that lie below it are installed. They would
        be unpacked through the link, into another installation.
    type: str
    choices: [active, cleared]
    default: active
attributes:
  check_mode:
    description: Can run in check mode and report what would change.
    support: full
  diff_mode:
    description: Shows the active installation before and after.
    support: full
  idempotent:
    description: A second run with the same options changes nothing.
    support: full
seealso:
  - module: instinct.fleet.gpu_node_info
"""

EXAMPLES = r"""
- name: Let programs find ROCm 7.2.3
  instinct.fleet.rocm_activate:
    prefix: /opt/rocm-7.2.3
"""

RETURN = r"""
actions:
  description: Commands that were run, or would be run in check mode.
  type: list
  elements: str
  returned: success
  sample: [update-alternatives --set rocm /opt/rocm-7.2.3]
active:
  description: Path of the installation that programs find now.
  type: str
  returned: success
failure:
  description: Parts of the refusal. C(where), C(what), C(hint), C(source).
  type: dict
  returned: failure
"""

import contextlib
import typing as t

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._act import alternatives
from ..module_utils._act.lock import node_lock
from ..module_utils._act.outcome import Outcome, finish
from ..module_utils._core.plan.rocm_active import activation, clearing

LOCK_TIMEOUT = 30  # seconds
SPEC: dict[str, t.Any] = {
    "prefix": {"type": "path"},
    "state": {"type": "str", "choices": ["active", "cleared"], "default": "active"},
}


def act(module: AnsibleModule) -> Outcome:
    """Look, run what is missing, look again."""
    with contextlib.nullcontext() if module.check_mode else node_lock(LOCK_TIMEOUT):
        return lead(module)


def lead(module: AnsibleModule) -> Outcome:
    """The same, while no other run acts on the node."""
    prefix = module.params["prefix"]
    cleared = module.params["state"] == "cleared"
    before = alternatives.look()
    if not cleared:
        alternatives.refuse_missing(before, prefix)
    commands = clearing(before) if cleared else activation(before, prefix)
    after = before
    if commands and not module.check_mode:
        after = alternatives.carry_out(commands, lambda rocm: clearing(rocm) if cleared else activation(rocm, prefix))
    predicted = (None if cleared else prefix) if module.check_mode and commands else after.active
    diff = {"before_header": "/opt/rocm", "after_header": "/opt/rocm",
            "before": f"{before.active or ''}\n", "after": f"{predicted or ''}\n"}
    return Outcome(tuple(" ".join(c) for c in commands), (diff,) if commands else (), {"active": predicted})


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True, required_if=[("state", "active", ["prefix"])])
    finish(module, lambda: act(module))


if __name__ == "__main__":
    main()
