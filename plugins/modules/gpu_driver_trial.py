#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Module gpu_driver_trial: see DOCUMENTATION."""

from __future__ import annotations

DOCUMENTATION = r"""
module: gpu_driver_trial
short_description: Prove that a DKMS driver builds for kernels before it is installed
description:
  - Installing a DKMS driver removes the old one from every kernel before the new one is built, and a failing build
    leaves the node without a driver. This module builds the driver first, in trees of its own, and installs nothing.
  - Kernel headers that are not installed are fetched and laid over C(/usr) in a private mount namespace for the build.
  - A success is recorded in C(/var/lib/instinct/trial/) for the versions of driver, kernel and headers, and not
    repeated. The log of a failure is kept there as C(<kernel>.log). Everything else is removed at the end.
  - Builds with low priority (nice 10).
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
extends_documentation_fragment:
  - instinct.fleet._offers
options:
  package:
    description: The driver's package.
    type: str
    default: amdgpu-dkms
  version:
    description: Its version as apt knows it, or a pattern with C(*) of which the first match counts.
    type: str
    required: true
  kernels:
    description: Kernel releases, as C(uname -r) prints them.
    type: list
    elements: str
    required: true
  timeout:
    description: Seconds after which one build counts as failed.
    type: int
    default: 900
attributes:
  check_mode:
    description:
      - The trial is made in check mode too, for it changes nothing.
      - When apt does not offer the driver or the headers yet, check mode says so and tries nothing.
    support: full
  diff_mode:
    description: There is no difference to show, for nothing changes.
    support: full
  idempotent:
    description: Never changes the node. A trial that succeeded is not repeated.
    support: full
"""

EXAMPLES = r"""
- name: Does the driver build for the kernel that will boot?
  instinct.fleet.gpu_driver_trial:
    version: 1:6.14.14.30100200-2226257.24.04
    kernels: [6.8.0-85-generic]
"""

RETURN = r"""
actions:
  description: Always empty, for nothing changes.
  type: list
  elements: str
  returned: success
tried:
  description: Whether all trials were made, now or before. False only in check mode.
  type: bool
  returned: success
reason:
  description: Why nothing was tried; empty if it was.
  type: str
  returned: success
results:
  description: How the trial for each kernel ended.
  type: list
  elements: dict
  returned: success, or failure of a build
  contains:
    kernel:
      description: The kernel release.
      type: str
    ok:
      description: Whether the driver builds.
      type: bool
    cached:
      description: Whether that was proved before.
      type: bool
    seconds:
      description: How long the build took.
      type: int
    headers:
      description: Version of the headers' package; empty if no package owns them.
      type: str
    error:
      description: The first error; empty if the driver builds.
      type: str
    log:
      description: The kept log of a failure.
      type: str
    words:
      description: All of this in one sentence.
      type: str
failure:
  description: Parts of the refusal. C(where), C(what), C(hint), C(source).
  type: dict
  returned: failure
"""

import contextlib
import typing as t

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._act.offers import FILE, KEY, view
from ..module_utils._act.outcome import Failed, Outcome, finish
from ..module_utils._act.trial import NotOffered, trial
from ..module_utils._core.act.trial import Result, checked, refuse_failures
from ..module_utils._core.errors import FleetError

SPEC: dict[str, t.Any] = {
    "package": {"type": "str", "default": "amdgpu-dkms"},
    "version": {"type": "str", "required": True},
    "kernels": {"type": "list", "elements": "str", "required": True},
    "files": FILE,
    "keys": KEY,
    "timeout": {"type": "int", "default": 900},
}


def tried(params: t.Mapping[str, t.Any]) -> tuple[Result, ...]:
    """Try with the node's own sources and lists, or with those to come."""
    asked = (params["package"], params["version"], params["kernels"], params["timeout"])
    if not params["files"] and not params["keys"]:
        with contextlib.suppress(NotOffered):  # the lists may be old
            return trial(*asked)
    with view(params["files"], params["keys"]) as apt:
        apt.refresh(params["timeout"])
        with apt.for_all():
            return trial(*asked)


def act(module: AnsibleModule) -> Outcome:
    """Try, and refuse if the driver does not build for one of the kernels."""
    params = module.params
    checked(params["package"], params["version"], params["kernels"])
    try:
        results = tried(params)
    except NotOffered as error:
        if not module.check_mode:
            raise
        return Outcome(values={"tried": False, "reason": f"not tried: {error.sentence}", "results": []})
    plain = [result.to_dict() for result in results]
    try:
        refuse_failures(results)
    except FleetError as error:
        raise Failed(error, results=plain) from error
    return Outcome(values={"tried": True, "reason": "", "results": plain})


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    finish(module, lambda: act(module))


if __name__ == "__main__":
    main()
