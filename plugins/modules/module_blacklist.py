#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Module module_blacklist: see DOCUMENTATION."""

from __future__ import annotations

DOCUMENTATION = r"""
module: module_blacklist
short_description: Take away the lines of modprobe.d that keep a kernel module from loading
description:
  - Takes C(blacklist) lines, and C(install) lines that run C(true) or C(false), out of all C(modprobe.d) files. What
    else is in a file stays.
  - A file that does not lie in C(/etc) belongs to a package. It stays as it is, and a file of its name without the
    lines in C(/etc/modprobe.d) hides it.
  - Arguments of the kernel are not its business, nor is a copy in the initramfs; see M(instinct.fleet.node_boot).
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
options:
  name:
    description: Name of the kernel module, with underscores.
    type: str
    default: amdgpu
attributes:
  check_mode:
    description: Can run in check mode and report what would change.
    support: full
  diff_mode:
    description: Shows the files before and after.
    support: full
  idempotent:
    description: A second run changes nothing.
    support: full
"""

EXAMPLES = r"""
- name: Let amdgpu load at boot
  instinct.fleet.module_blacklist:
    name: amdgpu
"""

RETURN = r"""
actions:
  description: What was done, or would be done in check mode, in words.
  type: list
  elements: str
  returned: success
  sample: ["take blacklist amdgpu out of /etc/modprobe.d/blacklist-amdgpu.conf"]
failure:
  description: Parts of the refusal. C(where), C(what), C(hint), C(source).
  type: dict
  returned: failure
"""

import posixpath
import typing as t

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._act.files import replace_all, see
from ..module_utils._act.lock import node_lock
from ..module_utils._act.outcome import Outcome, finish
from ..module_utils._core.act.fileset import Wanted, changes
from ..module_utils._core.formats.text import without_blacklist
from ..module_utils._node.driver import blacklists
from ..module_utils._node.machine import Machine
from ..module_utils._node.notes import Notes

SPEC: dict[str, t.Any] = {"name": {"type": "str", "default": "amdgpu"}}
ETC = "/etc/modprobe.d"


def act(module: AnsibleModule) -> Outcome:
    """Find the lines, and write the files without them."""
    name, notes = module.params["name"], Notes()
    lines = tuple(blacklists(Machine("/"), notes, name))
    wanted = []
    for path in dict.fromkeys(path for path, _line in lines):
        text = see(path).content.decode("utf-8", "surrogateescape")
        here = path if posixpath.dirname(path) == ETC else posixpath.join(ETC, posixpath.basename(path))
        left = without_blacklist(text, name).encode("utf-8", "surrogateescape")
        wanted.append(Wanted(here, left, owner="root", group="root"))
    todo = changes(wanted, {w.path: see(w.path) for w in wanted})
    if todo and not module.check_mode:
        with node_lock(30):
            replace_all(todo)
    return Outcome(tuple(f"take {line} out of {path}" for path, line in lines), tuple(c.diff() for c in todo))


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    finish(module, lambda: act(module))


if __name__ == "__main__":
    main()
