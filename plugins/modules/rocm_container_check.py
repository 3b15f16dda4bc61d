#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Module rocm_container_check: see DOCUMENTATION."""

from __future__ import annotations

DOCUMENTATION = r"""
module: rocm_container_check
short_description: Say whether an image, or a container that runs, works on this node
description:
  - Reads the tree of an image without running anything in it, or a container that runs through C(/proc), and holds it
    against the node; see docs/container-check.md.
  - Of an image; the range of kernel ABIs that each RDMA provider speaks against the node's devices, libraries that are
    missing, ROCm against the window of the node's driver, instruction sets of its GPUs, the number of the group render.
  - Of a container besides; devices that are not all there or may not be opened, environment, limits.
  - Nothing is changed. What is wrong is in RV(findings), and is no failure of the task.
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
options:
  image:
    description: Name or id of an image of podman's store of the node. Its tree is mounted while it is read.
    type: str
  rootfs:
    description: Directory with the tree of an image, such as one that another engine has mounted.
    type: path
  archive:
    description: OCI archive, of whose image the labels are read.
    type: path
  labels:
    description: Labels of an image that is not on the node yet.
    type: dict
  container:
    description: Name or id of a container that runs.
    type: str
  engine:
    description: Whose container it is.
    type: str
    choices: [podman, docker]
    default: podman
  gpus:
    description: PCI addresses of the GPUs that the container is to have. Empty means all of the node.
    type: list
    elements: str
    default: []
  rdma:
    description: Whether programs are to use the RDMA devices of the node.
    type: bool
    default: true
  environment:
    description:
      - Variables that the container must have, besides those that P(instinct.fleet.rocm_run_args#filter) gives.
    type: dict
    default: {}
  check_dirs:
    description: Directories of the control machine with checks of the site. Later ones win.
    type: list
    elements: path
    default: []
  catalogue_dirs:
    description:
      - Directories of the control machine with arguments of the site, as P(instinct.fleet.rocm_run_args#filter) has
        them.
    type: list
    elements: path
    default: []
  rdma_catalogue_dirs:
    description: Directories of the control machine with RDMA of the site, C(rdma_stack_catalogue_dirs).
    type: list
    elements: path
    default: []
  release_catalogue_dirs:
    description: Directories of the control machine with releases of the site, C(gpu_release_catalogue_dirs).
    type: list
    elements: path
    default: []
  seconds:
    description: How long reading may take. What could not be read is in RV(unknown).
    type: int
    default: 120
  node:
    description: What the node is. The action plugin on the control machine fills this in.
    type: dict
    default: {}
  checks:
    description: Checks with their remedies. The action plugin on the control machine fills this in.
    type: list
    elements: dict
    default: []
attributes:
  check_mode:
    description: Can run in check mode. It changes nothing in any mode.
    support: full
  diff_mode:
    description: There is nothing to show, for nothing changes.
    support: none
  idempotent:
    description: Changes nothing.
    support: full
  action:
    description: Has an action plugin on the controller.
    support: full
seealso:
  - module: instinct.fleet.gpu_node_info
"""

EXAMPLES = r"""
- name: Does the image work on this node?
  instinct.fleet.rocm_container_check:
    image: localhost/rocm-base/rocm:rocm-7.0.2-0123456789ab
  register: checked

- name: Use no image that does not
  ansible.builtin.assert:
    that: checked.verdict in ["pass", "warn"]
    fail_msg: "{{ checked.findings | map(attribute='summary') | join('; ') }}"

- name: Has the container all that it needs?
  instinct.fleet.rocm_container_check:
    container: inference
    gpus: ["0000:05:00.0", "0000:26:00.0"]
"""

RETURN = r"""
verdict:
  description: C(pass), C(warn), C(unknown) or C(fail); C(fail) where a finding is an error or critical.
  type: str
  returned: success
findings:
  description: What is wrong, in the form of M(instinct.fleet.fleet_diagnose).
  type: list
  elements: dict
  returned: success
  contains:
    id:
      description: Of the check.
      type: str
      returned: always
    kind:
      description: C(image) or C(container).
      type: str
      returned: always
    severity:
      description: C(info), C(warning), C(error) or C(critical).
      type: str
      returned: always
    domain:
      description: Who has to act, C(container).
      type: str
      returned: always
    subject:
      description: What it is about, C(node).
      type: str
      returned: always
    origin:
      description: Of findings of logs, which these are not. Empty.
      type: str
      returned: always
    count:
      description: How many things are wrong in that way.
      type: int
      returned: always
    summary:
      description: What is wrong, in one sentence.
      type: str
      returned: always
    evidence:
      description: What was seen.
      type: list
      elements: str
      returned: always
    cause:
      description: Why it matters.
      type: str
      returned: always
    remedy:
      description: What to do.
      type: str
      returned: always
    sources:
      description: Who says so.
      type: list
      elements: str
      returned: always
    confidence:
      description: C(documented), C(third_party), C(derived) or C(unverified).
      type: str
      returned: always
unknown:
  description: What could not be told, to the reason. A verdict is not C(pass) then.
  type: dict
  returned: success
  sample: {"rocm": "amdgpu-dkms is not installed, and for the kernel's own driver AMD names no window"}
node:
  description: What the node is, as far as images have to fit it.
  type: dict
  returned: success
  contains:
    machine:
      description: Its architecture; null where that is not known.
      type: str
      returned: always
      sample: x86_64
    rocm:
      description: Lines of ROCm that its driver supports.
      type: list
      elements: str
      returned: always
      sample: [6.4.x, 7.0.x]
    gfx:
      description: Instruction sets of its GPUs.
      type: list
      elements: str
      returned: always
      sample: [gfx942]
    render_gid:
      description: Number of the group that owns C(/dev/kfd); null where that is not known.
      type: int
      returned: always
      sample: 109
    verbs:
      description: Name of each provider of RDMA that it needs, to the ABI of the kernel's driver.
      type: dict
      returned: always
      sample: {mlx5: 1}
    unknown:
      description: What of it is not known, to the reason.
      type: dict
      returned: always
failure:
  description: Parts of the refusal. C(where), C(what), C(hint), C(source).
  type: dict
  returned: failure
"""

import typing as t

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._act.outcome import Outcome, finish
from ..module_utils._core.image.checks import Checks
from ..module_utils._core.image.host import Host
from ..module_utils._core.image.running import Needs
from ..module_utils._image.check import Subject, check, on_node

SUBJECTS = ("image", "rootfs", "archive", "labels", "container")
PATHS: dict[str, t.Any] = {"type": "list", "elements": "path", "default": []}
SPEC: dict[str, t.Any] = {
    "image": {"type": "str"},
    "rootfs": {"type": "path"},
    "archive": {"type": "path"},
    "labels": {"type": "dict"},
    "container": {"type": "str"},
    "engine": {"type": "str", "choices": ["podman", "docker"], "default": "podman"},
    "gpus": {"type": "list", "elements": "str", "default": []},
    "rdma": {"type": "bool", "default": True},
    "environment": {"type": "dict", "default": {}},
    "check_dirs": PATHS,
    "catalogue_dirs": PATHS,
    "rdma_catalogue_dirs": PATHS,
    "release_catalogue_dirs": PATHS,
    "seconds": {"type": "int", "default": 120},
    "node": {"type": "dict", "default": {}},
    "checks": {"type": "list", "elements": "dict", "default": []},
}
LIMITS: dict[str, t.Any] = {"mutually_exclusive": [SUBJECTS], "required_one_of": [SUBJECTS]}


def act(module: AnsibleModule) -> Outcome:
    """Read, judge, tell."""
    asked = module.params
    given = {name: asked[name] for name in SUBJECTS if asked[name] is not None}
    texts = {str(name): str(value) for name, value in asked["environment"].items()}
    needs = Needs(tuple(asked["gpus"]), asked["rdma"], texts)
    host = on_node(Host.given(asked["node"]), asked["seconds"])
    found = check(Subject(**given, engine=asked["engine"]), host, needs, Checks.from_documents(asked["checks"]),
                  asked["seconds"])
    return Outcome(values={"verdict": found.verdict, "findings": found.plain, "unknown": dict(found.unknown),
                           "node": host.plain})


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True, **LIMITS)
    finish(module, lambda: act(module))


if __name__ == "__main__":
    main()
