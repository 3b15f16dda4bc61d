#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Module package_keyring: see DOCUMENTATION."""

from __future__ import annotations

DOCUMENTATION = r"""
module: package_keyring
short_description: Install a repository signing key whose fingerprint is pinned
description:
  - Installs the key file that a package source names, if the key has exactly the pinned fingerprint. For apt it is a
    binary keyring (C(Signed-By)), for dnf and zypper an armored one (C(gpgkey)).
  - For zypper rpm itself is given the key too, since zypper asks a person otherwise. dnf imports it from the file when
    it first installs from the source.
  - A file with another primary key, or with one more, is refused, wherever it comes from.
  - Does not need gpg. When the keyring on the node already holds exactly the pinned key, nothing is fetched.
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
options:
  path:
    description: The keyring. For apt its name must end in C(.gpg), as apt wants it of a binary one.
    type: str
    required: true
  manager:
    description: The package manager that reads the file.
    type: str
    choices: [apt, dnf, zypper]
    default: apt
  fingerprint:
    description: Whole fingerprint of the primary key. Blanks and case do not matter.
    type: str
    required: true
  url:
    description: Where the key is, armored or binary; V(https://), V(http://) or V(file://) on the node.
    type: str
  content:
    description: The armored key itself.
    type: str
  timeout:
    description: Seconds to wait for another run that acts on this node, and for an answer of the server.
    type: int
    default: 30
attributes:
  check_mode:
    description: Can run in check mode and report what would change. The key is fetched and checked in check mode too.
    support: full
  diff_mode:
    description: Shows the fingerprint before and after.
    support: full
  idempotent:
    description: A second run with the same options changes nothing and fetches nothing.
    support: full
"""

EXAMPLES = r"""
- name: Signing key of repo.radeon.com
  instinct.fleet.package_keyring:
    url: https://repo.radeon.com/rocm/rocm.gpg.key
    fingerprint: CA8BB4727A47B4D09B4EE8969386B48A1A693C5C
    path: /etc/apt/keyrings/instinct-rocm.gpg

- name: The same on RHEL
  instinct.fleet.package_keyring:
    url: https://repo.radeon.com/rocm/rocm.gpg.key
    fingerprint: CA8BB4727A47B4D09B4EE8969386B48A1A693C5C
    path: /etc/pki/rpm-gpg/RPM-GPG-KEY-instinct-rocm
    manager: dnf
"""

RETURN = r"""
actions:
  description: What was done, or would be done in check mode, in words.
  type: list
  elements: str
  returned: success
fingerprint:
  description: The pinned fingerprint, upper case without blanks.
  type: str
  returned: success
path:
  description: The keyring.
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

from ..module_utils._act.fetch import fetch
from ..module_utils._act.files import replace_all, see
from ..module_utils._act.lock import node_lock
from ..module_utils._act.outcome import Outcome, finish
from ..module_utils._act.rpm import import_key, imported
from ..module_utils._core.act import keyring
from ..module_utils._core.act.fileset import changes
from ..module_utils._core.formats.fingerprint import normal
from ..module_utils._node.machine import Machine

SPEC: dict[str, t.Any] = {
    "path": {"type": "str", "required": True},
    "fingerprint": {"type": "str", "required": True},
    "url": {"type": "str"},
    "content": {"type": "str", "no_log": False},
    "manager": {"type": "str", "choices": ["apt", "dnf", "zypper"], "default": "apt"},
    "timeout": {"type": "int", "default": 30},
}


def act(module: AnsibleModule) -> Outcome:
    """Look at the keyring; fetch, check and install the key only if it is not there."""
    params = module.params
    manager, machine = params["manager"], Machine()
    path, wanted = keyring.checked_path(params["path"], manager), normal(params["fingerprint"])
    with contextlib.nullcontext() if module.check_mode else node_lock(params["timeout"]):
        seen = see(path)
        held = keyring.held(seen, path)
        if held == (wanted,):
            data, source = seen.content, path
        elif params["url"]:
            data, source = fetch(params["url"], params["timeout"]), params["url"]
        else:
            data, source = params["content"].encode(), "content"
        ring = keyring.keyring_file(path, keyring.accepted(data, source, wanted, manager))
        todo = changes((ring,), {path: seen})
        lacks = manager == "zypper" and wanted not in imported(machine)
        if not module.check_mode:
            replace_all(todo)
            if lacks:
                import_key(path, wanted, machine)
    words = [f"install signing key {wanted} as {path}" if held != (wanted,) else change.words for change in todo]
    words += [f"import {wanted} into rpm"] if lacks else []
    diff = {f"{side}_header": path for side in ("before", "after")}
    diff |= {"before": "".join(f + "\n" for f in held), "after": wanted + "\n"}
    return Outcome(tuple(words), (diff,) if todo else (), {"path": path, "fingerprint": wanted})


def main() -> None:
    """Entry point."""
    module = AnsibleModule(
        argument_spec=SPEC,
        supports_check_mode=True,
        mutually_exclusive=[("url", "content")],
        required_one_of=[("url", "content")],
    )
    finish(module, lambda: act(module))


if __name__ == "__main__":
    main()
