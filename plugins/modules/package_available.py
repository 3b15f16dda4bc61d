#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Module package_available: see DOCUMENTATION."""

from __future__ import annotations

DOCUMENTATION = r"""
module: package_available
short_description: Ask whether the repositories have every package, before anything is changed
description:
  - Distributions take old kernels from their repositories, mirrors are incomplete, and a release names packages that
    are in none of them. This module asks apt about all packages of a change at once, and fails with one sentence that
    names those that are missing, and what is there instead.
  - apt is asked as it would be with O(files) written and O(keys) installed, in a private copy of its settings and
    lists. The node's own sources, pins, keys and lists stay as they are, whatever comes out.
  - That apt can install the packages together is asked too, unless O(together) is false. Packages that would be
    removed on the way and are not among O(removals) are refused by name, and so is what would go with O(removals).
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
extends_documentation_fragment:
  - instinct.fleet._attributes.info_module
  - instinct.fleet._offers
  - instinct.fleet._offers.waits
options:
  packages:
    description: Packages as C(name) or C(name=version); the version may be a pattern.
    type: list
    elements: str
    required: true
  removals:
    description: Installed packages that will be removed, without patterns. Nothing else may go.
    type: list
    elements: str
    default: []
  together:
    description: Whether apt must be able to install all of them together. False where the package manager is half done.
    type: bool
    default: true
seealso:
  - module: instinct.fleet.gpu_driver_trial
"""

EXAMPLES = r"""
- name: Does the distribution still have this kernel?
  instinct.fleet.package_available:
    packages: [linux-image-6.8.0-85-generic, linux-headers-6.8.0-85-generic, linux-modules-extra-6.8.0-85-generic]
"""

RETURN = r"""
actions:
  description: Always empty, for nothing changes.
  type: list
  elements: str
  returned: success
versions:
  description: Name of each package to the version that would be installed.
  type: dict
  returned: success
  sample: {amdgpu-dkms: "1:6.16.13.30300300-2327507.24.04"}
failure:
  description: Parts of the refusal. C(where), C(what), C(hint), C(source).
  type: dict
  returned: failure
"""

import typing as t

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._act.dpkg_lock import await_packages
from ..module_utils._act.offers import FILE, KEY, WAITS, ask, view
from ..module_utils._act.outcome import Outcome, finish
from ..module_utils._core.act.holds import checked_names
from ..module_utils._core.act.offers import chosen, parse_asked

SPEC: dict[str, t.Any] = {
    "packages": {"type": "list", "elements": "str", "required": True},
    "files": FILE,
    "removals": {"type": "list", "elements": "str", "default": []},
    "keys": KEY,
    "together": {"type": "bool", "default": True},
    **WAITS,
}


def act(module: AnsibleModule) -> Outcome:
    """Ask in a private copy of apt's settings and lists."""
    params = module.params
    asked, removals = parse_asked(params["packages"]), checked_names(params["removals"], "apt")
    await_packages(params["lock_timeout"])
    with view(params["files"], params["keys"]) as apt:
        offered, _simulation = ask(apt, asked, removals, params["together"], params["timeout"])
    return Outcome(values={"versions": {a.name: chosen(a, offered) for a in asked}})


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    finish(module, lambda: act(module))


if __name__ == "__main__":
    main()
