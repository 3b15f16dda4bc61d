#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Module container_runtime: see DOCUMENTATION."""

from __future__ import annotations

DOCUMENTATION = r"""
module: container_runtime
short_description: Tell podman and Docker what containers with GPUs need
description:
  - Limits that every container gets, and for Docker 25 and later that it reads the specifications of devices (CDI).
  - Podman has a file of its own for this, C(/etc/containers/containers.conf.d/90-instinct.conf). As podman takes limits
    of the last file that names any, those of files before it are in it as well.
  - Docker's C(/etc/docker/daemon.json) keeps all that is the site's. What was there before in the place of ours is
    written down in C(/var/lib/instinct/containers.json), and given back once it is wanted no more.
  - Nothing is restarted. RV(restart) says what reads its file only when it starts.
  - Which devices there are is said by M(instinct.fleet.gpu_partition_files) and M(instinct.fleet.gpu_reservation).
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
options:
  state:
    description:
      - V(present) brings about the files, for the engines that are installed.
      - V(absent) takes back what is ours in them.
      - V(verified) changes nothing, and RV(as_wanted) is the answer. A difference is no failure.
    type: str
    choices: [present, absent, verified]
    default: present
  limits:
    description:
      - Name of a limit, as setrlimit(2) has it in small letters, to V(unlimited) or a number.
      - Podman gives them to containers of all users, and a user who may not have as much cannot start any.
    type: dict
    default: {memlock: unlimited}
  lock_timeout:
    description: Seconds to wait for another run that acts on the node.
    type: int
    default: 30
attributes:
  check_mode:
    description: Can run in check mode and report what would change. Docker judges its file in check mode too.
    support: full
  diff_mode:
    description: Shows each file before and after.
    support: full
  idempotent:
    description: A second run changes nothing.
    support: full
seealso:
  - plugin: instinct.fleet.rocm_run_args
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Containers may lock memory, and have many files open
  instinct.fleet.container_runtime:
    limits: {memlock: unlimited, nofile: 1048576}

- name: Is it so?
  instinct.fleet.container_runtime:
    state: verified

- name: Give back what was before
  instinct.fleet.container_runtime:
    state: absent
"""

RETURN = r"""
actions:
  description: What was done, or would be done in check mode, in words.
  type: list
  elements: str
  returned: success
  sample: [write /etc/containers/containers.conf.d/90-instinct.conf]
engines:
  description: Whether C(podman) is installed, and the major version of C(docker), which is null where it is not.
  type: dict
  returned: success
  sample: {"podman": true, "docker": null}
as_wanted:
  description: Whether the files are as they should be. In check mode, before the change.
  type: bool
  returned: success
restart:
  description: Units that read a file that was changed only when they start.
  type: list
  elements: str
  returned: success
notes:
  description: What a person should know, such as that Docker is too old for CDI.
  type: list
  elements: str
  returned: success
failure:
  description: Parts of the refusal. C(where), C(what), C(hint), C(source).
  type: dict
  returned: failure
"""

import contextlib
import typing as t

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._act.files import replace_all, validate
from ..module_utils._act.lock import node_lock
from ..module_utils._act.outcome import Outcome, finish
from ..module_utils._core.image.runtime import DOCKER, UNIT, limits, notes, plan
from ..module_utils._image import runtime

SPEC: dict[str, t.Any] = {
    "state": {"type": "str", "choices": ["present", "absent", "verified"], "default": "present"},
    "limits": {"type": "dict", "default": {"memlock": "unlimited"}},
    "lock_timeout": {"type": "int", "default": 30},
}


def act(module: AnsibleModule) -> Outcome:
    """Look, plan, validate, write."""
    asked = module.params
    wanted = None if asked["state"] == "absent" else limits(asked["limits"])
    only_look = asked["state"] == "verified"
    with contextlib.nullcontext() if only_look or module.check_mode else node_lock(asked["lock_timeout"]):
        seen = runtime.seen()
        engines = {"podman": seen.podman, "docker": seen.docker}
        values: dict[str, t.Any] = {"engines": engines, "notes": list(notes(seen)), "restart": []}
        if only_look:
            there = seen.podman or seen.docker is not None
            return Outcome(values={**values, "as_wanted": there and not plan(wanted, seen)})
        todo = plan(wanted, seen)
        validate(todo, module.run_command)
        if not module.check_mode:
            replace_all(todo)
    values["restart"] = [UNIT for change in todo if change.wanted.path == DOCKER and seen.docker is not None]
    words = tuple(change.words for change in todo)
    return Outcome(words, tuple(change.diff() for change in todo),
                   {**values, "as_wanted": not (module.check_mode and todo)})


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    finish(module, lambda: act(module))


if __name__ == "__main__":
    main()
