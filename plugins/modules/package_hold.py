#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Module package_hold: see DOCUMENTATION."""

from __future__ import annotations

DOCUMENTATION = r"""
module: package_hold
short_description: Hold a list of packages, or let them go, in one task
description:
  - Holds packages at their installed version, or lifts the hold. Only the packages named are touched.
  - apt obeys what dpkg is told. dnf obeys the list of its versionlock plugin, in which each installed version of a
    package gets a line; without the plugin nothing can be held. zypper locks by name.
  - Reads the result back; a return code is no proof.
  - A package that is not installed cannot be held. The others are held before the task fails for it, unless O(missing)
    says that it may lack.
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
options:
  names:
    description: Names of packages, without patterns.
    type: list
    elements: str
    required: true
  state:
    description: Whether the packages should be held.
    type: str
    choices: [held, unheld]
    default: held
  missing:
    description:
      - What to do about packages to be held that are not installed.
      - V(skip) is for holds that are restored after a failure, which must not add one of their own.
    type: str
    choices: [fail, skip]
    default: fail
  manager:
    description: The package manager that must obey.
    type: str
    choices: [apt, dnf, zypper]
    default: apt
attributes:
  check_mode:
    description: Can run in check mode and report what would change. A package not installed yet is no failure then.
    support: full
  diff_mode:
    description: Shows the held packages among those named, before and after.
    support: full
  idempotent:
    description: A second run with the same options changes nothing.
    support: full
seealso:
  - module: ansible.builtin.dpkg_selections
"""

EXAMPLES = r"""
- name: Hold driver and kernel together
  instinct.fleet.package_hold:
    names: [amdgpu-dkms, amdgpu-dkms-firmware, linux-image-6.1.0-57-amd64]

- name: The same on RHEL
  instinct.fleet.package_hold:
    names: [amdgpu-dkms, amdgpu-dkms-firmware, kernel-core]
    manager: dnf
"""

RETURN = r"""
actions:
  description: What was done, or would be done in check mode, in words.
  type: list
  elements: str
  returned: success
  sample: [hold amdgpu-dkms]
names:
  description: The packages named, sorted.
  type: list
  elements: str
  returned: success
before:
  description: Those of them that were held.
  type: list
  elements: str
  returned: success
after:
  description: Those of them that are held now.
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

from ..module_utils._act.holders import holder
from ..module_utils._act.outcome import Outcome, finish
from ..module_utils._core.act.holds import checked_names, plan_holds, refuse_missing
from ..module_utils._core.errors import FleetError

SPEC: dict[str, t.Any] = {
    "names": {"type": "list", "elements": "str", "required": True},
    "state": {"type": "str", "choices": ["held", "unheld"], "default": "held"},
    "missing": {"type": "str", "choices": ["fail", "skip"], "default": "fail"},
    "manager": {"type": "str", "choices": ["apt", "dnf", "zypper"], "default": "apt"},
}


def act(module: AnsibleModule) -> Outcome:
    """Ask the package manager, plan, tell it, ask again."""
    manager, held = module.params["manager"], module.params["state"] == "held"
    names, hand = checked_names(module.params["names"], manager), holder(manager, module.run_command)
    plan = plan_holds(names, hand.selections(names, held), held)
    if plan.lines and not module.check_mode:
        hand.tell(plan.lines, held)
        left = plan_holds(names, hand.selections(names, held), held).actions
        if left:
            raise FleetError(hand.name, f"took the selections but did not {', '.join(left)}", hand.audit)
    if not module.check_mode and module.params["missing"] == "fail":
        refuse_missing(plan.missing)
    predicted = plan.missing if module.check_mode else ()
    after = sorted({*plan.after, *predicted})
    diff = {
        "before_header": "held packages",
        "after_header": "held packages",
        "before": "".join(n + "\n" for n in plan.before),
        "after": "".join(n + "\n" for n in after),
    }
    actions = plan.actions + tuple(f"hold {name} (not installed yet)" for name in predicted)
    values = {"names": list(names), "before": list(plan.before), "after": after}
    return Outcome(actions, (diff,) if actions else (), values)


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    finish(module, lambda: act(module))


if __name__ == "__main__":
    main()
