#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Module node_boot: see DOCUMENTATION."""

from __future__ import annotations

DOCUMENTATION = r"""
module: node_boot
short_description: Make initramfs images and the GRUB menu, choose the kernel that boots, and prove it
description:
  - Makes the initramfs of kernels that have none, or one that is older than the amdgpu module or the settings in
    C(modprobe.d) that may be copied into it, with initramfs-tools or dracut. Others stay as they are,
    but for those that O(anew) names.
  - With O(next), chooses the kernel that boots next, in C(grubenv), and reads back that GRUB starts it. With another
    O(default), it boots once, and that one is the default before, meanwhile and after.
  - The GRUB menu is written only where it does not have the kernel, or does not start what C(grubenv) saves.
    Elsewhere than on Debian and Ubuntu, packages of kernels write it.
  - Without a menu of GRUB nothing can be chosen, and RV(fallback.words) says so.
  - With O(proof), nothing is chosen unless the node was rebooted into the kernel and the driver that are told.
  - No program may take longer than O(timeout), and nothing of what it started is left behind.
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
    description: Release of the kernel that must boot next. Without it nothing is chosen.
    type: str
  default:
    description:
      - Release of the kernel that boots where O(next) does not come up, and ever after. O(next) itself if not told.
      - GRUB forgets what is chosen for one boot only where it can write C(grubenv), which is not so on a logical
        volume, a software RAID, btrfs or zfs. O(fallback) says what is done there.
    type: str
  fallback:
    description:
      - V(auto) makes O(next) the default where it cannot boot once, and RV(fallback.why) says why.
      - V(require) refuses there, and where nothing would start the machine anew if the kernel panicked.
      - V(none) makes O(next) the default everywhere.
    type: str
    choices: [auto, require, none]
    default: auto
  proof:
    description: What the node must be before anything is chosen. O(next) must run.
    type: dict
    suboptions:
      boot_id:
        description: Identifier of the boot before, which must be over.
        type: str
        required: true
      kind:
        description: Where amdgpu must come from, on disk and in the kernel. Without it no driver is looked at.
        type: str
        choices: [dkms, in_tree]
      version:
        description: Version of the module.
        type: str
      gpus:
        description: GPUs of the node. A driver that is loaded must drive as many; with none, nobody misses it.
        type: int
        default: 0
      wait:
        description: Seconds for a driver that is on its way into the kernel.
        type: int
        default: 300
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
    description: A second run makes none but the images that O(anew) names.
    support: partial
"""

EXAMPLES = r"""
- name: The initramfs holds the driver that is on disk, and this kernel boots
  instinct.fleet.node_boot:
    images: [6.8.0-85-generic]
    next: 6.8.0-85-generic

- name: This kernel boots once, and the old one comes back where it does not come up
  instinct.fleet.node_boot:
    next: 6.8.0-85-generic
    default: 6.8.0-79-generic
    fallback: require

- name: It came up with its driver, so it is the default from now on
  instinct.fleet.node_boot:
    next: 6.8.0-85-generic
    proof:
      boot_id: "{{ seen_before.look.kernel.boot_id }}"
      kind: dkms
      version: 6.16.13
      gpus: 8
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
default_boot:
  description: The same, where nothing is chosen for one boot.
  type: str
  returned: success
fallback:
  description: What becomes of the node if O(next) does not come up.
  type: dict
  returned: with O(next)
  contains:
    once:
      description: Whether it boots once, and O(default) comes after it.
      type: bool
      returned: always
    why:
      description: Why not; empty if it does.
      type: str
      returned: always
      sample: GRUB cannot write to /boot/grub, which is on a software RAID
    panic:
      description:
        - What starts the machine anew if it panics; empty if nothing does. A kernel that hangs waits for a person.
      type: str
      returned: always
      sample: panic=30
    words:
      description: What a person should know of that; empty where O(default) comes back by itself.
      type: str
      returned: always
boot_id:
  description: Identifier of this boot; null if that is unknown.
  type: str
  returned: success
failure:
  description: Parts of the refusal. C(where), C(what), C(hint), C(source).
  type: dict
  returned: failure
"""

import typing as t

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._act import boot, choice
from ..module_utils._act.lock import node_lock
from ..module_utils._act.outcome import Outcome, finish
from ..module_utils._core.act.boot_proof import MISSING, checked, refuse_unmade, to_make
from ..module_utils._core.act.one_boot import MODES, unread
from ..module_utils._core.act.reboot_proof import Expected

SPEC: dict[str, t.Any] = {
    "images": {"type": "list", "elements": "str", "default": []},
    "anew": {"type": "list", "elements": "str", "default": []},
    "next": {"type": "str"},
    "default": {"type": "str"},
    "fallback": {"type": "str", "choices": list(MODES), "default": "auto"},
    "proof": {
        "type": "dict",
        "options": {
            "boot_id": {"type": "str", "required": True},
            "kind": {"type": "str", "choices": ["dkms", "in_tree"]},
            "version": {"type": "str"},
            "gpus": {"type": "int", "default": 0},
            "wait": {"type": "int", "default": 300},
        },
    },
    "timeout": {"type": "int", "default": 600},
}


def act(module: AnsibleModule) -> Outcome:
    """Prove, look, make what is missing or old, choose, look again."""
    asked, timeout = module.params, module.params["timeout"]
    wanted = asked["next"]
    checked([*asked["images"], *filter(None, (wanted, asked["default"]))])
    if asked["proof"]:
        choice.prove(Expected.of(wanted, asked["proof"]), asked["proof"]["gpus"], asked["proof"]["wait"])
    kernels, before, _modules = boot.seen()
    there = {image.kernel: image.path for image in before.images}
    todo = to_make(before, asked["images"], asked["anew"])
    words = [f"make the initramfs of {kernel}: {why}" for kernel, why in todo.items()]
    chosen = fallback = None
    if wanted and not kernels.boot_entries:
        fallback = unread(kernels, wanted, asked["default"] or wanted, asked["fallback"])
    elif wanted:
        chosen = choice.Choice(wanted, asked["default"] or wanted, asked["fallback"], MISSING in todo.values())
        more, fallback = choice.foresee(kernels, chosen, timeout)
        words += more
    if words and not module.check_mode:
        with node_lock(30):
            for kernel in todo:
                boot.make_image(before.tool, kernel, there.get(kernel), timeout)
            kernels, after, _modules = boot.seen()
            refuse_unmade(after, todo)
            if chosen:
                kernels, fallback = choice.make(kernels, chosen, timeout)
    values = {name: getattr(kernels, name) for name in ("boot_id", "next_boot", "default_boot")}
    return Outcome(tuple(words), values=values | ({"fallback": fallback.to_dict()} if fallback else {}))


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True, required_by={"proof": "next"})
    finish(module, lambda: act(module))


if __name__ == "__main__":
    main()
