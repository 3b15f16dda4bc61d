#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the action plugin fleet_export, which runs on the controller alone."""

from __future__ import annotations

DOCUMENTATION = r"""
module: fleet_export
short_description: Write a release that says what nodes run
description:
  - Freezes what the hosts of the play run into one release file on the controller, from what
    M(instinct.fleet.gpu_node_info) registered as C(gpu_release_look). So a fleet moves in as it is.
  - The release has the exact driver packages, the ROCm, the kernels, the GPUs and their firmware as they were seen,
    with the confidence C(third_party) and the nodes and the time as its source.
  - Refuses what cannot be named exactly, as a driver that did not come from AMD's packages or more than one ROCm, and
    nodes that do not agree. Each node is then planned for the release before it is written; what breaks a rule, as a
    driver outside the window of its ROCm, and what would change the node is refused too.
  - Runs on the controller and touches no host.
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
options:
  name:
    description: Name of the release.
    type: str
    required: true
  directory:
    description:
      - Directory on the controller with catalogue files of the site, one of C(gpu_release_catalogue_dirs). The file
        goes to C(releases/) in it, and folders on the way are made.
    type: path
    required: true
  title:
    description: Title of the release. Without it the first nodes are named.
    type: str
  hosts:
    description: The hosts to export. All hosts of the play by default.
    type: list
    elements: str
  replace:
    description: Whether a file of that name that says something else may be replaced.
    type: bool
    default: false
attributes:
  check_mode:
    description: Can run in check mode. The file is not written then.
    support: full
  diff_mode:
    description: Shows the file before and after.
    support: full
  idempotent:
    description: The same looks and variables give the same release. Where and when it was measured is no change.
    support: full
  action:
    description: Has an action plugin on the controller.
    support: full
seealso:
  - module: instinct.fleet.gpu_node_info
"""

EXAMPLES = r"""
- name: Look once
  instinct.fleet.gpu_node_info:
  register: gpu_release_look

- name: Freeze
  instinct.fleet.fleet_export:
    name: site-2026-11
    directory: /srv/instinct/catalogue
  run_once: true
"""

RETURN = r"""
path:
  description: The file.
  type: str
  returned: success
release:
  description: What it says.
  type: dict
  returned: success
variables:
  description: Variables under which every node stays as it is, besides those that the inventory has.
  type: dict
  returned: success
  sample:
    gpu_release_name: site-2026-11
    gpu_release_accept: [third_party]
host_variables:
  description: Host to variables that are not the same on all of them.
  type: dict
  returned: success
adopting:
  description: Host to the steps by which it comes under management, in words. They write pins, holds and records.
  type: dict
  returned: success
notes:
  description: Host to what could not be checked or deserves a look.
  type: dict
  returned: success
actions:
  description: What was done, or would be done in check mode, in words.
  type: list
  elements: str
  returned: success
failure:
  description: Parts of the refusal. C(where), C(what), C(hint), C(source).
  type: dict
  returned: failure
"""
