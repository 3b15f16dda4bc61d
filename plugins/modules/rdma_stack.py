#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Module rdma_stack: see DOCUMENTATION."""

from __future__ import annotations

DOCUMENTATION = r"""
module: rdma_stack
short_description: Give a node what RDMA needs besides its packages, and judge whether it works
description:
  - Finds the NICs of a node by their PCI ids, writes the modules that they need, the rule that names their devices and
    the environment for RCCL, loads missing modules, and judges packages, modules, ABIs, ports, GIDs, RoCE, the way
    between GPU and NIC, and memlock. Families, stacks, mixtures and checks are data with sources; see docs/rdma.md.
  - Packages are told in RV(install) and RV(hold), and installed by the role.
  - A node that mixes two stacks is refused before the first change. A node without a NIC, or with Soft-RoCE alone, is a
    state and no error.
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
options:
  state:
    description:
      - V(present) writes files and loads modules.
      - V(absent) removes the files. Modules stay loaded until the next boot.
      - V(verified) changes nothing, and RV(checks) say how each thing is. A difference is no failure.
    type: str
    choices: [present, absent, verified]
    default: present
  stack:
    description: Name of the user space, such as V(inbox), V(doca), V(pollara) or V(broadcom).
    type: str
    default: inbox
  versions:
    description: Name of each source of the stack to the one version of its packages. Empty leaves packages as they are.
    type: dict
    default: {}
  families:
    description: Families whose NICs programs are told of. Empty means all.
    type: list
    elements: str
    default: []
  names:
    description: Rule by which devices are named. Empty leaves that of the distribution.
    type: str
    choices: ["", pci, kernel, guid]
    default: ""
  environment:
    description: Variables of the site for programs, over those of the families.
    type: dict
    default: {}
  drivers:
    description:
      - Module of the kernel to the one version that it must have, as C(/sys/module/*/version) tells it. A module that
        is part of the kernel has the release of the kernel. Modules that no NIC of the node needs are not judged.
    type: dict
    default: {}
  firmware:
    description: Vendor and device of a NIC, such as V(15b3:1021), or name of a family, to the version of its firmware.
    type: dict
    default: {}
  ignored:
    description:
      - PCI addresses of NICs that offer no RDMA on purpose. No module is loaded for them, they are not judged, and
        programs are not told of them.
      - Functions that are a virtual machine's, and virtual functions without a driver, are left out unasked.
    type: list
    elements: str
    default: []
  roce:
    description: What the network asks of ports on Ethernet. What is left out is not judged.
    type: dict
    suboptions:
      mtu:
        description: MTU of the interface.
        type: int
      pfc:
        description: Priorities with flow control.
        type: list
        elements: int
      dscp:
        description: DSCP to priority.
        type: dict
  catalogue_dirs:
    description: Directories of the control machine with families, stacks and checks of the site. Later ones win.
    type: list
    elements: path
    default: []
  timeout:
    description: Seconds that reading the node, and each module of the kernel, may take.
    type: int
    default: 60
  lock_timeout:
    description: Seconds to wait for another run that acts on the node.
    type: int
    default: 30
  catalogue:
    description: What is known of RDMA. The action plugin on the control machine fills this in.
    type: list
    elements: dict
    default: []
attributes:
  check_mode:
    description:
      - Can run in check mode and report what would change. RV(checks) are those of before then.
      - What programs are told of a device that a module is yet to bring is not foreseen.
    support: full
  diff_mode:
    description: Shows each file before and after.
    support: full
  idempotent:
    description: A second run changes nothing.
    support: full
  action:
    description: Has an action plugin on the controller.
    support: full
seealso:
  - module: instinct.fleet.host_tuning
"""

EXAMPLES = r"""
- name: RDMA of a node
  instinct.fleet.rdma_stack:
    versions: {rdma-core: 50.0-2ubuntu0.2, perftest: 24.01.0+0.38-1build2}
    roce: {mtu: 9000, pfc: [3], dscp: {"24": 3}}

- name: Does it work?
  instinct.fleet.rdma_stack:
    state: verified
"""

RETURN = r"""
actions:
  description: What was done, or would be done in check mode, in words.
  type: list
  elements: str
  returned: success
  sample: [write /etc/instinct/rdma.env, load ionic_rdma]
fabric:
  description:
    - C(hardware); C(unbound), there are NICs and none offers RDMA; C(software), Soft-RoCE alone; C(none).
    - C(unknown), its NICs cannot be read.
  type: str
  returned: success
families:
  description: PCI address of each NIC to its family.
  type: dict
  returned: success
  sample: {"0000:c1:00.0": "mlx5"}
devices:
  description: Verbs devices of the kernel, with driver, ABI and firmware.
  type: list
  elements: dict
  returned: success
drivers:
  description: Loaded modules of the kernel that NICs need, each with its version.
  type: dict
  returned: success
  sample: {"mlx5_core": "24.10-1.1.4", "mlx5_ib": "24.10-1.1.4", "ib_uverbs": "6.8.0-45-generic"}
environment:
  description: Variables for programs of this node.
  type: dict
  returned: success
  sample: {NCCL_IB_HCA: "=mlx5_0:1"}
install:
  description: Packages of the stack that are missing or of another version, as the package manager is asked for them.
  type: list
  elements: str
  returned: success
hold:
  description: Packages of the stack, which are held afterwards; with O(state=absent) those that are to be let go.
  type: list
  elements: str
  returned: success
manager:
  description: The package manager of the node; null if none is known.
  type: str
  returned: success
checks:
  description: Everything that was judged. C(id), C(subject), C(verdict), C(wanted), C(seen), C(why), C(domain).
  type: list
  elements: dict
  returned: success
as_wanted:
  description: Whether every check passes.
  type: bool
  returned: success
refusal:
  description: Why nothing may be changed on the node, in one sentence; empty where nothing is against it.
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

from ..module_utils._act import rdma, rdma_seen
from ..module_utils._act.lock import node_lock
from ..module_utils._act.outcome import Failed, Outcome, finish
from ..module_utils._core.rdma.catalogue import Catalogue
from ..module_utils._core.rdma.plan import Plan, plan, refusal, removal
from ..module_utils._core.rdma.report import failure, report
from ..module_utils._core.rdma.wish import Wish

LIST: dict[str, t.Any] = {"type": "list", "elements": "str", "default": []}
ROCE: dict[str, t.Any] = {"mtu": {"type": "int"}, "pfc": {"type": "list", "elements": "int"}, "dscp": {"type": "dict"}}
SPEC: dict[str, t.Any] = {
    "state": {"type": "str", "choices": ["present", "absent", "verified"], "default": "present"},
    "stack": {"type": "str", "default": "inbox"},
    "versions": {"type": "dict", "default": {}},
    "families": LIST,
    "names": {"type": "str", "choices": ["", "pci", "kernel", "guid"], "default": ""},
    "environment": {"type": "dict", "default": {}},
    "drivers": {"type": "dict", "default": {}},
    "firmware": {"type": "dict", "default": {}},
    "ignored": LIST,
    "roce": {"type": "dict", "options": ROCE},
    "catalogue_dirs": {"type": "list", "elements": "path", "default": []},
    "timeout": {"type": "int", "default": 60},
    "lock_timeout": {"type": "int", "default": 30},
    "catalogue": {"type": "list", "elements": "dict", "default": []},
}


def act(module: AnsibleModule) -> Outcome:
    """Look, plan, do, look again."""
    asked = module.params
    catalogue, wish = Catalogue.from_documents(asked["catalogue"]), Wish.read(asked)
    only_look = asked["state"] == "verified" or module.check_mode
    with contextlib.nullcontext() if only_look else node_lock(asked["lock_timeout"]):
        seen = rdma_seen.seen(catalogue, wish, timeout=asked["timeout"])
        against = refusal(catalogue, seen, wish)
        if against and asked["state"] == "present":
            raise against
        todo = (removal if asked["state"] == "absent" else plan)(catalogue, seen, wish)
        late = Plan()
        if todo.actions and not only_look:
            rdma.carry_out(todo, asked["timeout"])
            seen = rdma_seen.seen(catalogue, wish, timeout=asked["timeout"])
            if todo.load:  # programs are told of the devices that have come
                late = Plan(files=plan(catalogue, seen, wish).files)
                rdma.carry_out(late, asked["timeout"])
                seen = rdma_seen.seen(catalogue, wish, timeout=asked["timeout"])
    values = {**report(catalogue, seen, wish), "hold": list(todo.hold)}
    if asked["state"] == "verified":
        return Outcome(values=values)
    wrong = failure(catalogue, seen, wish) if asked["state"] == "present" and not module.check_mode else None
    if wrong:
        raise Failed(wrong, **values)
    return Outcome((*todo.actions, *late.actions), tuple(one.diff() for one in (*todo.files, *late.files)), values)


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    finish(module, lambda: act(module))


if __name__ == "__main__":
    main()
