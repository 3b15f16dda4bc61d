#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Module gpu_driver_adopt: see DOCUMENTATION."""

from __future__ import annotations

DOCUMENTATION = r"""
module: gpu_driver_adopt
short_description: Take an amdgpu of another hand out of the way, so that it can be put back
description:
  - Removes versions of amdgpu from DKMS. Their sources in C(/usr/src) stay.
  - Moves modules that neither the kernel's package put there nor a version that DKMS still has installed, with those of
    the driver beside them, to C(/var/lib/instinct/adopted/<kernel>/), under the path that they had.
  - Writes down in the node's journal what was there.
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
options:
  versions:
    description: Versions to remove, as C(dkms status) prints them.
    type: list
    elements: str
    default: []
  modules:
    description: Paths of amdgpu modules to move away.
    type: list
    elements: str
    default: []
  who:
    description: Who runs this, for the journal.
    type: str
    default: unknown
  timeout:
    description: Seconds that one command of DKMS or depmod may take.
    type: int
    default: 300
attributes:
  check_mode:
    description: Can run in check mode and report what would change.
    support: full
  diff_mode:
    description: There is no difference to show; RV(actions) names every file.
    support: none
  idempotent:
    description: A second run changes nothing.
    support: full
"""

EXAMPLES = r"""
- name: Take over the driver that a runfile installed
  instinct.fleet.gpu_driver_adopt:
    versions: [6.12.12-2164967.24.04]
"""

RETURN = r"""
actions:
  description: What was done, or would be done in check mode, in words.
  type: list
  elements: str
  returned: success
  sample: ["remove amdgpu 6.12.12-2164967.24.04 from DKMS"]
failure:
  description: Parts of the refusal. C(where), C(what), C(hint), C(source).
  type: dict
  returned: failure
"""

import typing as t

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._act import adopt, dkms, journal
from ..module_utils._act.lock import node_lock
from ..module_utils._act.outcome import Outcome, finish
from ..module_utils._core.act.adopt import destination, kernel_of
from ..module_utils._core.act.dkms_build import checked, state

SPEC: dict[str, t.Any] = {
    "versions": {"type": "list", "elements": "str", "default": []},
    "modules": {"type": "list", "elements": "str", "default": []},
    "who": {"type": "str", "default": "unknown"},
    "timeout": {"type": "int", "default": 300},
}


def act(module: AnsibleModule) -> Outcome:
    """Look, take away what is there, write it down."""
    params, timeout = module.params, module.params["timeout"]
    for version in params["versions"]:
        checked(version, None)
    files = {path: kernel_of(path) for named in params["modules"] for path in adopt.present(named)}
    known = dkms.modules() if params["versions"] else ()
    versions = {version: state(known, version, None) for version in params["versions"] if state(known, version, None)}
    words = [f"remove amdgpu {version} from DKMS" for version in versions]
    words += [f"move {path} to {destination(path)}" for path in files]
    if words and not module.check_mode:
        with node_lock(30):
            was = [f"amdgpu/{version}: {said}" for version, said in versions.items()] + list(files)
            record = {"who": params["who"], "what": "gpu_driver_adopt", "from": ", ".join(was)}
            journal.append({**record, "to": "; ".join(words), "result": "started"})
            for version in versions:
                dkms.forget(version, timeout)
            for path, kernel in files.items():
                adopt.move(path, kernel, timeout)
            journal.append({**record, "to": "; ".join(words), "result": "done"})
    return Outcome(tuple(words))


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    finish(module, lambda: act(module))


if __name__ == "__main__":
    main()
