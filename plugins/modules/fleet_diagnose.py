#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the action plugin fleet_diagnose, which runs M(instinct.fleet.gpu_node_info) on the node."""

from __future__ import annotations

DOCUMENTATION = r"""
module: fleet_diagnose
short_description: Why is this node not right?
description:
  - Looks at the node once, by M(instinct.fleet.gpu_node_info), and judges on the controller what it saw. Known faults
    of logs, what a host must give its GPUs, settings that do nothing, and the health of the GPUs by a profile.
  - What follows from something else is folded under it, so that one finding, the root, says where to begin.
  - Changes nothing. Works without root, driver, ROCm, GPU library and GPUs. What could not be read is told, and nothing
    that was not seen counts as healthy.
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
extends_documentation_fragment:
  - instinct.fleet._attributes.action
options:
  look:
    description:
      - A look that is there already, as M(instinct.fleet.gpu_node_info) returns it. The node is not contacted then.
      - Without the sections C(host), C(log), C(health) and C(settings) it says little.
    type: dict
  bundle:
    description:
      - A support bundle on the controller, a directory or an archive of tar. No node is contacted then.
    type: path
  node:
    description: Name that the answer goes by. That of the host by default; of a bundle, its own without endings.
    type: str
  profile:
    description: Health profile that GPUs are judged by, one of the collection or of O(catalogue_dirs).
    type: str
    default: admission
  host_profiles:
    description:
      - What the host is for, as the preconditions call it. V(bare_metal), V(rdma), V(hpc), V(passthrough), or one of
        O(catalogue_dirs).
    type: list
    elements: str
    default: [bare_metal]
  catalogue_dirs:
    description:
      - Directories on the controller with faults, preconditions, knobs, profiles and joints of the site. A record
        replaces one of the same id.
    type: list
    elements: path
    default: []
  boots:
    description: Of which boots lines in logs count.
    type: str
    choices: [this, all]
    default: this
  write:
    description:
      - Directory on the controller in which C(<node>.json) and C(<node>.md) are replaced. Written in check mode too.
      - The JSON holds RV(diagnosis) with C(node), C(status) (V(diagnosed)), C(reason) and C(when).
    type: path
  with_look:
    description: Also return the look itself, which is large.
    type: bool
    default: false
  timeout:
    description: Seconds after which the look ends with what it has.
    type: int
    default: 30
seealso:
  - module: instinct.fleet.gpu_node_info
  - module: instinct.fleet.fleet_diagnose_report
"""

EXAMPLES = r"""
- name: What is the matter with this node
  instinct.fleet.fleet_diagnose:
    write: reports/diagnosis
  register: fleet_diagnosis

- name: The same of a bundle that a user sent
  instinct.fleet.fleet_diagnose:
    bundle: incoming/n17.tar.gz
  delegate_to: localhost
  register: fleet_diagnosis
"""

RETURN = r"""
node:
  description: Name that the answer goes by.
  type: str
  returned: success
diagnosis:
  description: The answer. Within a version keys are only ever added.
  type: dict
  returned: success
  contains:
    version:
      description: Of this form, V(v1).
      type: str
    kind:
      description: V(diagnosis).
      type: str
    verdict:
      description:
        - V(pass), V(warn), V(unknown) or V(fail).
        - V(unknown) if nothing is known to be wrong that takes the node out of work, and something was not seen without
          which nobody can say that it is healthy.
      type: str
    summary:
      description: What is the matter, in one sentence.
      type: str
    next_action:
      description: What to do next, in one sentence; of V(unknown), what to mend to be able to see.
      type: str
    seen:
      description: What the node is, in few words. C(os), C(kernel), C(driver), C(rocm) and C(gpus); empty where nothing
        is known.
      type: dict
    root:
      description: The finding to begin with. C(id), C(kind), C(severity), C(domain), C(subject) and C(summary) as in
        C(findings); null if nothing asks for anything.
      type: dict
    findings:
      description: What was found and does not follow from something else, the root first.
      type: list
      elements: dict
      contains:
        id:
          description: Of the record in a catalogue.
          type: str
        kind:
          description: V(fault) of a log, V(precondition), V(knob) or V(health).
          type: str
        severity:
          description: V(info), V(warning), V(error) or V(critical).
          type: str
        domain:
          description: Who has to act. V(driver), V(firmware), V(pcie), V(hardware), V(workload), V(configuration),
            V(packages), V(container) or V(fabric).
          type: str
        subject:
          description: V(node), the PCI address of a GPU, a process, a package or a file.
          type: str
        summary:
          description: What is wrong, in one sentence.
          type: str
        evidence:
          description: What was seen, as it was seen.
          type: list
          elements: str
        origin:
          description: The log that it was found in; empty for all that is not from a log.
          type: str
        count:
          description: How often it was seen.
          type: int
        cause:
          description: Why that is so.
          type: str
        remedy:
          description: What to do.
          type: str
        sources:
          description: Where that is documented.
          type: list
          elements: str
        confidence:
          description: V(documented), V(third_party), V(derived) or V(unverified).
          type: str
        consequences:
          description: What follows from it. C(id), C(kind), C(severity), C(subject), C(summary) and C(count) of each.
          type: list
          elements: dict
    checks:
      description: What was judged. C(counts), how many with which verdict; C(open), those that are not V(pass), each
        with C(id), C(verdict), C(domain), C(wanted), C(seen) and C(subjects), the GPUs of which the same was seen.
      type: dict
    unknown:
      description: What could not be read. C(what), C(why), and C(needed), whether nobody can call the node healthy
        without it.
      type: list
      elements: dict
    files:
      description: Of a bundle, a line for each file. What it told, or why it told nothing.
      type: list
      elements: str
      returned: with O(bundle)
look:
  description: The look as M(instinct.fleet.gpu_node_info) returns it.
  type: dict
  returned: when O(with_look=true)
failure:
  description: Parts of the refusal. C(where), C(what), C(hint), C(source).
  type: dict
  returned: failure
"""
