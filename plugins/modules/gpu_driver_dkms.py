#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Module gpu_driver_dkms: see DOCUMENTATION."""

from __future__ import annotations

DOCUMENTATION = r"""
module: gpu_driver_dkms
short_description: Install a version of amdgpu for a kernel by DKMS, or remove it from DKMS
description:
  - Builds the version first and installs it then, so that the module that the kernel has stays on disk until its
    successor is built.
  - Mends what C(dkms install) calls installed and leaves as it is, such as modules that are gone or differ from those
    that were built.
  - Success means that DKMS has the version installed for the kernel as it was built.
  - Removes trees that have lost their source, which dkms itself refuses; modules that such a tree had installed stay on
    disk.
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
options:
  version:
    description: Version as C(dkms status) prints it.
    type: str
    required: true
  state:
    description: Whether it should be installed for O(kernel), or be gone from DKMS and all kernels.
    type: str
    choices: [installed, absent]
    default: installed
  kernel:
    description: Release of the kernel, as C(uname -r) prints it. Needed with O(state=installed).
    type: str
  force:
    description: Build and install it also if DKMS says that all is well, because C(modules.dep) does not agree.
    type: bool
    default: false
  timeout:
    description: Seconds that each of building, installing and removing may take.
    type: int
    default: 900
attributes:
  check_mode:
    description: Can run in check mode and report what would change. Whether it builds is not known before.
    support: full
  diff_mode:
    description: Shows what DKMS says of the version before and after.
    support: full
  idempotent:
    description: A second run changes nothing, unless O(force) is set.
    support: partial
seealso:
  - module: instinct.fleet.gpu_driver_trial
"""

EXAMPLES = r"""
- name: Build the driver for the kernel that will boot
  instinct.fleet.gpu_driver_dkms:
    version: 6.16.13-2327507.24.04
    kernel: 6.8.0-85-generic
"""

RETURN = r"""
actions:
  description: What was done, or would be done in check mode, in words.
  type: list
  elements: str
  returned: success
  sample: [install amdgpu 6.16.13-2327507.24.04 for 6.8.0-85-generic]
before:
  description: What DKMS said of the version; empty if nothing.
  type: str
  returned: success
  sample: added
after:
  description: What it says now.
  type: str
  returned: success
  sample: installed
failure:
  description: Parts of the refusal. C(where), C(what), C(hint), C(source).
  type: dict
  returned: failure
"""

import typing as t

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._act import dkms
from ..module_utils._act.lock import node_lock
from ..module_utils._act.outcome import Outcome, finish
from ..module_utils._core.act.dkms_build import MODULE, checked, right, state

SPEC: dict[str, t.Any] = {
    "version": {"type": "str", "required": True},
    "state": {"type": "str", "choices": ["installed", "absent"], "default": "installed"},
    "kernel": {"type": "str"},
    "force": {"type": "bool", "default": False},
    "timeout": {"type": "int", "default": 900},
}


def act(module: AnsibleModule) -> Outcome:
    """Look, and tell DKMS if there is anything to tell."""
    p = module.params
    version, absent = p["version"], p["state"] == "absent"
    kernel = None if absent else p["kernel"]
    checked(version, kernel)
    known = dkms.modules()
    before = after = state(known, version, kernel)
    done = not before if absent else right(known, version, kernel) and not p["force"]
    words = f"remove {MODULE} {version} from DKMS" if absent else f"install {MODULE} {version} for {kernel}"
    if not done:
        after = "" if absent else "installed"
        if not module.check_mode:
            with node_lock(30):
                dkms.forget(version, p["timeout"]) if absent else dkms.install(version, kernel, p["timeout"])
            after = state(dkms.modules(), version, kernel)
    head = f"{MODULE}/{version}" + (f", {kernel}" if kernel else "")
    diff = {"before_header": head, "after_header": head, "before": before + "\n", "after": after + "\n"}
    return Outcome(() if done else (words,), () if done else (diff,), {"before": before, "after": after})


def main() -> None:
    """Entry point."""
    module = AnsibleModule(
        argument_spec=SPEC, supports_check_mode=True, required_if=[("state", "installed", ["kernel"])]
    )
    finish(module, lambda: act(module))


if __name__ == "__main__":
    main()
