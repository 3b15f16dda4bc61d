#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Module rocm_image_cache: see DOCUMENTATION."""

from __future__ import annotations

DOCUMENTATION = r"""
module: rocm_image_cache
short_description: Keep few images on a node, and those in memory that must start at once
description:
  - V(pruned) removes images that this collection built or brought, and their archives in O(directory), but for the
    last by use. Those that have containers, running or not, are pinned, or whose last use is not known stay. Other
    images are not touched, those that somebody built on ours among them.
  - An image is used when it is built, brought to the node or warmed, and whenever it has containers as images are
    pruned. A container that came and went between two runs is not seen.
  - V(prewarmed) reads the files of images into memory (the page cache), so that a container of them does not wait for
    the disk. The kernel is asked what it has already. What would take more than half of the free memory is left.
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
options:
  state:
    description: What is done.
    type: str
    required: true
    choices: [pruned, prewarmed]
  keep:
    description: How many images stay, layers below them not counted. 0 or more.
    type: int
    default: 10
  pinned:
    description: Names, ids or keys of layers that stay whatever happens. One that no image has is told in a warning.
    type: list
    elements: str
    default: []
  images:
    description: Names or ids of images that are warmed.
    type: list
    elements: str
    default: []
  directory:
    description: Where records of images are kept, and when each was last used.
    type: path
    default: /var/lib/instinct/images
  timeout:
    description: Seconds that each program may take.
    type: int
    default: 3600
  lock_timeout:
    description: Seconds to wait for another run that works with images here.
    type: int
    default: 30
attributes:
  check_mode:
    description: Says what would be done.
    support: full
  diff_mode:
    description: There are no texts to compare; RV(actions) says what is done.
    support: none
  idempotent:
    description: A second run changes nothing. What the kernel gave up of a warmed image since then is read again.
    support: full
seealso:
  - module: instinct.fleet.rocm_image_store
"""

EXAMPLES = r"""
- name: Keep the last ten
  instinct.fleet.rocm_image_cache:
    state: pruned
    pinned: [localhost/rocm-base/rdma:rocm-7.0.2-0123456789ab]

- name: Have the image of the night in memory
  instinct.fleet.rocm_image_cache:
    state: prewarmed
    images: [localhost/rocm-base/rdma:rocm-7.0.2-0123456789ab]
"""

RETURN = r"""
actions:
  description: What was done, or would be done in check mode, in words.
  type: list
  elements: str
  returned: success
  sample: ["remove the image localhost/rocm-base/rdma:rocm-7.0.1-0123456789ab"]
removed:
  description: Names of images that went, or would go in check mode.
  type: list
  elements: str
  returned: with O(state=pruned)
kept:
  description: Name of an image to why it stays.
  type: dict
  returned: with O(state=pruned)
unknown_pins:
  description: Pins that no image of the node has, so that nothing stays for them.
  type: list
  elements: str
  returned: with O(state=pruned)
images:
  description: Each image that was to be warmed.
  type: list
  elements: dict
  returned: with O(state=prewarmed)
  contains:
    name:
      description: As it was asked for.
      type: str
      returned: always
    id:
      description: Of the image.
      type: str
      returned: always
    bytes:
      description: Of its files.
      type: int
      returned: always
    cold_bytes:
      description: Of them that were not in memory before.
      type: int
      returned: always
    state:
      description: C(warm), it was in memory; C(warmed); C(cold), in check mode; C(too_large), nothing was read.
      type: str
      returned: always
failure:
  description: Parts of the refusal. C(where), C(what), C(hint), C(source).
  type: dict
  returned: failure
"""

import typing as t

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._act.outcome import Outcome, finish
from ..module_utils._act.process import clean_end
from ..module_utils._image import cache
from ..module_utils._image.directory import held
from ..module_utils._image.tools import Tools

NAMES: dict[str, t.Any] = {"type": "list", "elements": "str", "default": []}
SPEC: dict[str, t.Any] = {
    "state": {"type": "str", "required": True, "choices": ["pruned", "prewarmed"]},
    "keep": {"type": "int", "default": 10},
    "pinned": NAMES,
    "images": NAMES,
    "directory": {"type": "path", "default": "/var/lib/instinct/images"},
    "timeout": {"type": "int", "default": 3600},
    "lock_timeout": {"type": "int", "default": 30},
}


def act(module: AnsibleModule) -> Outcome:
    """Remove, or warm."""
    asked, tools = module.params, Tools(module.params["timeout"])
    with held(asked["directory"], asked["lock_timeout"], module.check_mode), clean_end():
        if asked["state"] == "pruned":
            done = cache.pruned(asked["directory"], asked["keep"], asked["pinned"], tools, module.check_mode)
            for pin in done.values["unknown_pins"]:
                module.warn(f"pinned: no image of this node has {pin}, so nothing stays for it")
            return done
        return cache.prewarmed(asked["directory"], asked["images"], tools, module.check_mode)


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    finish(module, lambda: act(module))


if __name__ == "__main__":
    main()
