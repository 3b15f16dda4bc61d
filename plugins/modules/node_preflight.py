#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Module node_preflight: see DOCUMENTATION."""

from __future__ import annotations

DOCUMENTATION = r"""
module: node_preflight
short_description: Ask whether a node can be upgraded, before anything is changed
description:
  - Asks a node in one round trip what its plan cannot know. Are its packages on offer with the pinned version, is its
    package manager free and whole, is there room for what will come, can it be brought back to what it is, and does its
    kernel come back if another one does not come up?
  - With O(plan), the control machine works out what to ask, and judges besides what the plan says by itself (problems
    that no step mends, a reboot that is not allowed) and what a drain in check mode was told.
  - A refusal is an answer, not a failure. RV(checks) holds all of them, so that a person sees all that is to be mended.
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
extends_documentation_fragment:
  - instinct.fleet._attributes.info_module
  - instinct.fleet._offers
  - instinct.fleet._offers.waits
options:
  plan:
    description: What M(instinct.fleet.fleet_plan) returned for the node. All that is asked follows from it.
    type: dict
  look:
    description: The look that it was made from, as M(instinct.fleet.gpu_node_info) returned it. Needed with O(plan).
    type: dict
  standing:
    description: What a drain in check mode was told by the scheduler.
    type: dict
  snapshot:
    description: Whether to ask what M(instinct.fleet.node_snapshot) would keep, and whether there is room for it.
    type: bool
    default: false
  boot:
    description:
      - A boot to ask about, as M(instinct.fleet.node_boot) would choose it. With O(plan) it follows from that.
    type: dict
    suboptions:
      next:
        description: Release of the kernel that would boot next.
        type: str
        required: true
      default:
        description: The one that is known to work.
        type: str
        required: true
      fallback:
        description: As the option of M(instinct.fleet.node_boot).
        type: str
        choices: [auto, require, none]
        default: auto
  fallback:
    description: With O(plan), the O(boot.fallback) of the boot that follows from it.
    type: str
    choices: [auto, require, none]
    default: auto
  typical_dirs:
    description: Directories of the control machine with files that say what upgrades take as a rule, over ours.
    type: list
    elements: path
    default: []
  manager:
    description: The package manager of the node. Only apt can be asked for packages.
    type: str
    choices: [apt, dnf, zypper]
    default: apt
  packages:
    description: Packages as C(name) or C(name=version); the version may be a pattern.
    type: list
    elements: str
    default: []
  removals:
    description: Installed packages that will be removed, without patterns.
    type: list
    elements: str
    default: []
  together:
    description: Whether apt must be able to install all of them together.
    type: bool
    default: true
  needs:
    description: What must fit besides the packages that apt tells the sizes of.
    type: list
    elements: dict
    default: []
    suboptions:
      directory:
        description: Where it will be. It need not exist yet.
        type: str
        required: true
      mib:
        description: How much.
        type: int
        required: true
      what:
        description: What it is for, as people would say it.
        type: str
        required: true
      assumed:
        description: Nobody measured it on this node. Where only this does not fit, the verdict is V(unknown).
        type: bool
        default: false
  images:
    description: >-
      How many initramfs images must fit in C(/boot) besides those that are there, each as large as the largest.
    type: int
    default: 0
  image_mib:
    description: Size of an image where there is none to compare with.
    type: int
    default: 0
  spare_mib:
    description: What must stay free on each file system.
    type: int
    default: 0
  places:
    description: Where packages put their files that are not below C(/usr). The first that matches holds.
    type: list
    elements: dict
    default: []
    suboptions:
      pattern:
        description: Regular expression that the beginning of a name matches.
        type: str
        required: true
      directory:
        description: Where their files are.
        type: str
        required: true
seealso:
  - module: instinct.fleet.package_available
  - module: instinct.fleet.node_snapshot
  - module: instinct.fleet.node_boot
  - module: instinct.fleet.gpu_driver_trial
"""

EXAMPLES = r"""
- name: Is there anything that speaks against upgrading the node?
  instinct.fleet.node_preflight:
    look: "{{ gpu_release_look.look }}"
    plan: "{{ gpu_release_plan }}"
  register: asked
  failed_when: asked.refusal != ''

- name: Is there room in /boot for another kernel?
  instinct.fleet.node_preflight:
    images: 1
    spare_mib: 64
"""

RETURN = r"""
actions:
  description: Always empty, for nothing changes.
  type: list
  elements: str
  returned: success
checks:
  description: All questions with their answers.
  type: list
  elements: dict
  returned: success
  contains:
    name:
      description: >-
        What was asked. V(plan), V(reboot), V(half-done packages), V(package manager), V(packages), V(room),
        V(snapshot), V(boot), V(scheduler).
      type: str
    verdict:
      description: V(ok); V(refused); V(unknown) where nobody could tell, which refuses nothing.
      type: str
    words:
      description: Why, in one sentence.
      type: str
refusal:
  description: What speaks against it, in one sentence; empty if nothing does.
  type: str
  returned: success
snapshot:
  description:
    - What a snapshot would come to. C(id), C(room) in bytes, C(fetch) and C(notes), or C(failed) and C(msg).
  type: dict
  returned: with O(snapshot)
boot:
  description: What would become of a kernel that does not come up. C(fallback), or C(failed) and C(msg).
  type: dict
  returned: with O(boot), or a plan that reboots
rooms:
  description: The file systems that were asked about.
  type: list
  elements: dict
  returned: success
  contains:
    mount:
      description: Where it is mounted.
      type: str
    free_mib:
      description: What is free there.
      type: int
timing:
  description:
    - Seconds that C(snapshot), C(trial), C(apply), C(reboot) and C(gate) are expected to take. How long jobs run
      nobody knows.
  type: dict
  returned: with O(plan)
seconds:
  description: The same in all.
  type: int
  returned: with O(plan)
failure:
  description: Parts of the refusal. C(where), C(what), C(hint), C(source).
  type: dict
  returned: failure
"""

import typing as t

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._act.offers import FILE, KEY, WAITS
from ..module_utils._act.outcome import Outcome, finish
from ..module_utils._act.preflight import Question, comes_back, free, keeps, offered, roomy
from ..module_utils._core.act.boot_proof import checked
from ..module_utils._core.act.check import REFUSED, Check, refusal
from ..module_utils._core.act.holds import checked_names
from ..module_utils._core.act.offers import parse_asked
from ..module_utils._core.act.one_boot import MODES
from ..module_utils._core.act.room import Need, parse_places
from ..module_utils._core.rollout import amounts

_PLACE = {name: {"type": "str", "required": True} for name in ("pattern", "directory")}
_NEED = {"directory": {"type": "str", "required": True}, "mib": {"type": "int", "required": True},
         "what": {"type": "str", "required": True}, "assumed": {"type": "bool", "default": False}}
_FALLBACK = {"type": "str", "choices": list(MODES), "default": "auto"}
_BOOT = {**{name: {"type": "str", "required": True} for name in ("next", "default")}, "fallback": _FALLBACK}
SPEC: dict[str, t.Any] = {
    **{name: {"type": "dict"} for name in ("plan", "look", "standing")},
    "snapshot": {"type": "bool", "default": False},
    "boot": {"type": "dict", "options": _BOOT},
    "fallback": _FALLBACK,
    "typical_dirs": {"type": "list", "elements": "path", "default": []},
    "manager": {"type": "str", "choices": ["apt", "dnf", "zypper"], "default": "apt"},
    "packages": {"type": "list", "elements": "str", "default": []},
    "removals": {"type": "list", "elements": "str", "default": []},
    "together": {"type": "bool", "default": True},
    "files": FILE,
    "keys": KEY,
    "needs": {"type": "list", "elements": "dict", "default": [], "options": _NEED},
    "places": {"type": "list", "elements": "dict", "default": [], "options": _PLACE},
    **{name: {"type": "int", "default": 0} for name in ("images", "image_mib", "spare_mib")},
    **WAITS,
}


def act(module: AnsibleModule) -> Outcome:
    """Ask everything, whatever the answers are."""
    given = module.params
    question = Question(parse_asked(given["packages"]), checked_names(given["removals"], "apt"), given["files"],
                        given["keys"], given["together"], given["timeout"])
    answers: dict[str, dict[str, t.Any]] = {}
    manager = free(given["manager"], given["lock_timeout"])
    if given["snapshot"]:  # a lock that was waited for in vain is not waited for again
        answers["snapshot"] = keeps(given["timeout"], 0 if manager.verdict == REFUSED else given["lock_timeout"])
    if given["boot"]:
        checked([given["boot"][name] for name in ("next", "default")])
        answers["boot"] = comes_back(given["boot"], given["timeout"])
    packages, needs = offered(given["manager"], question, parse_places(given["places"]))
    measured = amounts.of_snapshot(answers.get("snapshot", {}))
    needs += tuple(Need.of(**need) for need in [*measured, *given["needs"]])
    room, rooms = roomy(needs, given["images"], given["image_mib"], given["spare_mib"])
    checks: tuple[Check, ...] = (manager, *packages, *room)
    plain = [check.to_dict() for check in checks]
    return Outcome(values={"checks": plain, "refusal": refusal(checks), "rooms": rooms, **answers})


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    finish(module, lambda: act(module))


if __name__ == "__main__":
    main()
