#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Module node_files: see DOCUMENTATION."""

from __future__ import annotations

DOCUMENTATION = r"""
module: node_files
short_description: Write a set of small files as one change
description:
  - Makes a set of files as they should be. Either every file of the set that differs is replaced, or none is.
  - Compares by digest, owner and mode. Runs all validators on private copies before the first file is touched, writes
    the new files beside the old ones, and swaps them in by rename.
  - A symbolic link at the path of a file is replaced by the file; nothing is ever written through a link.
  - A lock (C(/run/instinct-fleet.lock)) keeps two runs from acting on one node.
  - Contents are shown by C(--diff) and are no place for secrets.
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
options:
  files:
    description: The set. A path may be named once.
    type: list
    elements: dict
    default: []
    suboptions:
      path:
        description: Absolute path of the file.
        type: str
        required: true
      state:
        description: Whether the file should exist.
        type: str
        choices: [present, absent]
        default: present
      content:
        description: The whole content. This or O(files[].base64) is required with O(files[].state=present).
        type: str
      base64:
        description: The whole content of a file that is no text, in base64.
        type: str
      owner:
        description: User name or id. A new file belongs to the user who runs the task, an old one keeps its owner.
        type: str
      group:
        description: Group name or id. As with O(files[].owner).
        type: str
      mode:
        description: Permissions as octal text. A file that everybody may write is refused.
        type: str
        default: "0644"
      directory_mode:
        description: Permissions of parent directories that must be created.
        type: str
        default: "0755"
      validate:
        description: Command that must succeed, without a shell. C(%s) is the name of a copy to check.
        type: str
  record:
    description:
      - One line for the journal C(/var/lib/instinct/journal.jsonl), written when a file of the set changed.
      - Without O(files) it is written unless the newest entry with the same O(record.what) says the same.
    type: dict
    suboptions:
      who:
        description: Who acts, as a person or a pipeline is called at the site.
        type: str
        required: true
      what:
        description: What is acted on, such as the name of a role.
        type: str
        required: true
      from:
        description: What it was before.
        type: str
      to:
        description: What it is now.
        type: str
      result:
        description: How it ended.
        type: str
  lock_timeout:
    description: Seconds to wait for another run that acts on this node.
    type: int
    default: 30
attributes:
  check_mode:
    description: Can run in check mode and report what would change. Validators run in check mode too.
    support: full
  diff_mode:
    description: Shows each file before and after.
    support: full
  idempotent:
    description: A second run with the same options changes nothing.
    support: full
"""

EXAMPLES = r"""
- name: Package source and its priority, both or none
  instinct.fleet.node_files:
    files:
      - path: /etc/apt/sources.list.d/instinct-amdgpu.sources
        content: "{{ sources }}"
      - path: /etc/apt/preferences.d/00-instinct-amdgpu
        content: "{{ preferences }}"
      - path: /etc/apt/sources.list.d/amdgpu.list
        state: absent
    record:
      who: "{{ lookup('ansible.builtin.env', 'USER') }}"
      what: gpu_driver
      from: rocm-6.4.2
      to: rocm-7.0.2
"""

RETURN = r"""
actions:
  description: What was done, or would be done in check mode, in words.
  type: list
  elements: str
  returned: success
  sample: [write /etc/apt/preferences.d/00-instinct-amdgpu]
files:
  description: Every file of the set with C(path), C(sha256) (null when absent) and C(changed).
  type: list
  elements: dict
  returned: success
failure:
  description: Parts of the refusal. C(where), C(what), C(hint), C(source).
  type: dict
  returned: failure
"""

import contextlib
import typing as t

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._act import journal
from ..module_utils._act.files import replace_all, see, validate
from ..module_utils._act.lock import node_lock
from ..module_utils._act.outcome import Outcome, finish
from ..module_utils._core.act.fileset import changes, parse
from ..module_utils._core.act.journal import is_news

FILE = {
    "path": {"type": "str", "required": True},
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "content": {"type": "str"},
    "base64": {"type": "str"},
    "owner": {"type": "str"},
    "group": {"type": "str"},
    "mode": {"type": "str", "default": "0644"},
    "directory_mode": {"type": "str", "default": "0755"},
    "validate": {"type": "str"},
}
RECORD = {
    "who": {"type": "str", "required": True},
    "what": {"type": "str", "required": True},
    "from": {"type": "str"},
    "to": {"type": "str"},
    "result": {"type": "str"},
}
SPEC: dict[str, t.Any] = {
    "files": {"type": "list", "elements": "dict", "default": [], "options": FILE},
    "record": {"type": "dict", "options": RECORD},
    "lock_timeout": {"type": "int", "default": 30},
}


def act(module: AnsibleModule) -> Outcome:
    """Compare, validate, replace, record."""
    wanted, record = parse(module.params["files"]), module.params["record"]
    with contextlib.nullcontext() if module.check_mode else node_lock(module.params["lock_timeout"]):
        todo = changes(wanted, {w.path: see(w.path) for w in wanted})
        validate(todo, module.run_command)
        recorded = bool(record) and (bool(todo) if wanted else is_news(record, journal.read()))
        if not module.check_mode:
            replace_all(todo)
            if recorded:
                journal.append(record)
    changed = {c.wanted.path for c in todo}
    files = [{"path": w.path, "sha256": w.sha256, "changed": w.path in changed} for w in wanted]
    words = [c.words for c in todo] + ([f"record {record['what']}"] if recorded else [])
    return Outcome(tuple(words), tuple(c.diff() for c in todo), {"files": files})


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    finish(module, lambda: act(module))


if __name__ == "__main__":
    main()
