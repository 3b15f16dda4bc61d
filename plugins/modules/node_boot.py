#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Module node_boot: see DOCUMENTATION."""

from __future__ import annotations

DOCUMENTATION = r"""
module: node_boot
short_description: Make initramfs images and the GRUB menu, and prove which kernel boots next
description:
  - Makes the initramfs of kernels that have none, or one that is older than the amdgpu module or the settings in
    C(modprobe.d) that may be copied into it, with initramfs-tools or dracut. Others stay as they are,
    but for those that O(anew) names.
  - Writes the GRUB menu if O(next) is given, and fails unless that kernel boots next then.
  - Neither may take longer than O(timeout), and nothing of what it started is left behind.
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
options:
  images:
    description: Kernel releases whose initramfs must be fresh.
    type: list
    elements: str
    default: []
  anew:
    description:
      - Those of O(images) that are made whatever their time, for what was copied into them is known to be another.
      - A driver that was removed leaves the kernel's own in its place, which is older than the image.
    type: list
    elements: str
    default: []
  next:
    description: Release of the kernel that must boot next. Without it the menu stays as it is.
    type: str
  timeout:
    description: Seconds that each image, and the menu, may take.
    type: int
    default: 600
attributes:
  check_mode:
    description: Can run in check mode and report what would change.
    support: full
  diff_mode:
    description: There is no difference to show; images are no text.
    support: none
  idempotent:
    description: A second run makes none but the images that O(anew) names, and the menu if O(next) is given.
    support: partial
"""

EXAMPLES = r"""
- name: The initramfs holds the driver that is on disk, and this kernel boots
  instinct.fleet.node_boot:
    images: [6.8.0-85-generic]
    next: 6.8.0-85-generic
"""

RETURN = r"""
actions:
  description: What was done, or would be done in check mode, in words.
  type: list
  elements: str
  returned: success
  sample: ["make the initramfs of 6.8.0-85-generic: it is older than the driver", write the GRUB menu]
next_boot:
  description: Release of the kernel that boots next; null if that is unknown.
  type: str
  returned: success
failure:
  description: Parts of the refusal. C(where), C(what), C(hint), C(source).
  type: dict
  returned: failure
"""

import typing as t

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._act import boot
from ..module_utils._act.lock import node_lock
from ..module_utils._act.outcome import Outcome, finish
from ..module_utils._core.act.boot_proof import checked, refuse_other, refuse_unmade, to_make

SPEC: dict[str, t.Any] = {
    "images": {"type": "list", "elements": "str", "default": []},
    "anew": {"type": "list", "elements": "str", "default": []},
    "next": {"type": "str"},
    "timeout": {"type": "int", "default": 600},
}


def act(module: AnsibleModule) -> Outcome:
    """Look, make what is missing or old, look again."""
    images, wanted, timeout = module.params["images"], module.params["next"], module.params["timeout"]
    checked([*images, *([wanted] if wanted else [])])
    kernels, before = boot.seen()
    there = {image.kernel: image.path for image in before.images}
    todo = to_make(before, images, module.params["anew"])
    words = [f"make the initramfs of {kernel}: {why}" for kernel, why in todo.items()]
    words += ["write the GRUB menu"] if wanted else []
    if words and not module.check_mode:
        with node_lock(30):
            for kernel in todo:
                boot.make_image(before.tool, kernel, there.get(kernel), timeout)
            if wanted:
                boot.write_menu(timeout)
        kernels, after = boot.seen()
        refuse_unmade(after, todo)
        if wanted:
            refuse_other(kernels, wanted)
    return Outcome(tuple(words), values={"next_boot": kernels.next_boot})


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    finish(module, lambda: act(module))


if __name__ == "__main__":
    main()
