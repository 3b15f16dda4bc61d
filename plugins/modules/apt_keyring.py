#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Module apt_keyring: see DOCUMENTATION."""

from __future__ import annotations

DOCUMENTATION = r"""
module: apt_keyring
short_description: Install a repository signing key whose fingerprint is pinned
description:
  - Installs a binary keyring for C(Signed-By) of an apt source, if the key has exactly the pinned fingerprint.
  - A file with another primary key, or with one more, is refused, wherever it comes from.
  - Does not need gpg. When the keyring on the node already holds exactly the pinned key, nothing is fetched.
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
options:
  path:
    description: The keyring, C(.gpg), as apt expects the name of a binary keyring to end.
    type: str
    required: true
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
  instinct.fleet.apt_keyring:
    url: https://repo.radeon.com/rocm/rocm.gpg.key
    fingerprint: CA8BB4727A47B4D09B4EE8969386B48A1A693C5C
    path: /etc/apt/keyrings/instinct-rocm.gpg
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
from ..module_utils._core.act import keyring
from ..module_utils._core.act.fileset import changes
from ..module_utils._core.formats.fingerprint import normal

SPEC: dict[str, t.Any] = {
    "path": {"type": "str", "required": True},
    "fingerprint": {"type": "str", "required": True},
    "url": {"type": "str"},
    "content": {"type": "str", "no_log": False},
    "timeout": {"type": "int", "default": 30},
}


def act(module: AnsibleModule) -> Outcome:
    """Look at the keyring; fetch, check and install the key only if it is not there."""
    params = module.params
    path, wanted = keyring.checked_path(params["path"]), normal(params["fingerprint"])
    with contextlib.nullcontext() if module.check_mode else node_lock(params["timeout"]):
        seen = see(path)
        held = keyring.held(seen, path)
        if held == (wanted,):
            data, source = seen.content, path
        elif params["url"]:
            data, source = fetch(params["url"], params["timeout"]), params["url"]
        else:
            data, source = params["content"].encode(), "content"
        todo = changes((keyring.keyring_file(path, keyring.accepted(data, source, wanted)),), {path: seen})
        if not module.check_mode:
            replace_all(todo)
    words = [f"install signing key {wanted} as {path}" if held != (wanted,) else change.words for change in todo]
    diff = {
        "before_header": path,
        "after_header": path,
        "before": "".join(f + "\n" for f in held),
        "after": wanted + "\n",
    }
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
