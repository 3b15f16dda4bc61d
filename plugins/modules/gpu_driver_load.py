#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Module gpu_driver_load: see DOCUMENTATION."""

from __future__ import annotations

DOCUMENTATION = r"""
module: gpu_driver_load
short_description: Load or reload the amdgpu driver, and prove it
description:
  - Loads the module that is on disk for the running kernel, or takes the loaded one out and loads that.
  - Refuses, before it touches anything, if modprobe would load another kind of module than the wanted one. A missing
    DKMS build otherwise brings in the kernel's own driver without a word.
  - Refuses to reload while processes hold GPUs, and names them.
  - Success means that the module in the kernel is live, is the one on disk by version and srcversion, and that the KFD
    topology shows all GPUs.
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
options:
  state:
    description:
      - V(loaded) loads the module if none is loaded, and fails if another than the one on disk is.
      - V(reloaded) always takes a loaded module out and loads the one on disk.
    type: str
    choices: [loaded, reloaded]
    default: loaded
  kind:
    description: The wanted kind of module, built by DKMS or the kernel's own.
    type: str
    choices: [dkms, in_tree]
    required: true
  gpus:
    description: How many physical GPUs must show. Partitions of one GPU count once.
    type: int
    required: true
  version:
    description: Version that the module on disk must have. Not checked if empty; the kernel's own module has none.
    type: str
    default: ""
  srcversion:
    description: Source version that the module on disk must have. Not checked if empty.
    type: str
    default: ""
  timeout:
    description: Seconds that each of unloading, loading and the appearance of all GPUs may take.
    type: int
    default: 120
attributes:
  check_mode:
    description: Can run in check mode and report what would change. Whether the GPUs then show is not known before.
    support: full
  diff_mode:
    description: Shows the module in the kernel before and after.
    support: full
  idempotent:
    description: With O(state=loaded) a second run changes nothing. O(state=reloaded) reloads every time.
    support: partial
"""

EXAMPLES = r"""
- name: Load the driver that DKMS built
  instinct.fleet.gpu_driver_load:
    kind: dkms
    gpus: 8
"""

RETURN = r"""
actions:
  description: What was done, or would be done in check mode, in words.
  type: list
  elements: str
  returned: success
  sample: [reload amdgpu]
path:
  description: File of the module.
  type: str
  returned: success
kind:
  description: V(dkms) or V(in_tree).
  type: str
  returned: success
version:
  description: Version of the module; empty for the kernel's own.
  type: str
  returned: success
srcversion:
  description: Source version of the module.
  type: str
  returned: success
gpus:
  description: Physical GPUs that the KFD topology shows.
  type: int
  returned: success
seconds:
  description: How long it took.
  type: int
  returned: success
failure:
  description: Parts of the refusal. C(where), C(what), C(hint), C(source).
  type: dict
  returned: failure
"""

import contextlib
import typing as t

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._act import amdgpu
from ..module_utils._act.lock import node_lock
from ..module_utils._act.outcome import Outcome, finish
from ..module_utils._core.act.module_proof import Wanted, line, next_step, refuse_busy, refuse_other

SPEC: dict[str, t.Any] = {
    "state": {"type": "str", "choices": ["loaded", "reloaded"], "default": "loaded"},
    "kind": {"type": "str", "choices": ["dkms", "in_tree"], "required": True},
    "gpus": {"type": "int", "required": True},
    "version": {"type": "str", "default": ""},
    "srcversion": {"type": "str", "default": ""},
    "timeout": {"type": "int", "default": 120},
}


def act(module: AnsibleModule) -> Outcome:
    """Look, refuse, carry out, prove."""
    wanted = Wanted(**{name: module.params[name] for name in SPEC if name != "timeout"})
    disk, before, seconds = amdgpu.on_disk(), amdgpu.loaded(), 0
    refuse_other(disk, wanted)
    step = next_step(disk, before, wanted)
    if step == "reload":
        refuse_busy(amdgpu.holders())
    if not (step and module.check_mode):
        with node_lock(module.params["timeout"]) if step else contextlib.nullcontext():
            seconds = amdgpu.carry_out(step, disk, wanted, module.params["timeout"])
    shown = wanted.gpus if step else amdgpu.gpus()
    diff = {"before_header": "kernel", "after_header": "kernel", "before": line(before), "after": line(disk)}
    values = {"path": disk.path, "kind": disk.kind, "version": disk.version, "srcversion": disk.srcversion}
    values.update(gpus=shown, seconds=seconds)
    return Outcome((f"{step} amdgpu",) if step else (), (diff,) if step else (), values)


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    finish(module, lambda: act(module))


if __name__ == "__main__":
    main()
