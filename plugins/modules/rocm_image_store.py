#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Module rocm_image_store: see DOCUMENTATION."""

from __future__ import annotations

DOCUMENTATION = r"""
module: rocm_image_store
short_description: Carry an image between a store, an archive and a registry, with one digest all the way
description:
  - An image is exported once, as an OCI archive. The archive has one digest of its manifest, which a registry keeps
    that is given this archive, and which a node asks for. The id, digest of the configuration, is the same in every
    store.
  - What arrives and is not the wanted image is removed again.
  - What was carried in part is carried on; a registry that cannot be reached is told in one sentence.
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
options:
  state:
    description:
      - V(exported) writes O(image) of the store to O(archive), with a note in JSON beside it.
      - V(imported) brings the image of O(archive) into the store, with no registry.
      - V(pushed) brings the image of O(archive) to O(destination), and signs it there with O(sign_by).
      - V(pulled) brings O(image) of a registry into the store, by its digest.
    type: str
    required: true
    choices: [exported, imported, pushed, pulled]
  image:
    description: A tag or id of the store; with V(pulled) C(registry/name@sha256:...).
    type: str
  archive:
    description: Path of the archive on the node.
    type: path
  destination:
    description: Where a registry has it, C(registry/name:tag).
    type: str
  tag:
    description: What the image is called in the store.
    type: str
    default: ""
  id:
    description: >-
      The id that it must have. Empty takes any. A tag of O(image) that was moved to another image since is refused.
    type: str
    default: ""
  digest:
    description: Digest of the manifest that an archive must have. Empty takes any.
    type: str
    default: ""
  authfile:
    description: File with names and passwords for registries. Empty means the engine's own.
    type: path
    default: ""
  sign_by:
    description:
      - Fingerprint of a key of GnuPG that signs what is pushed. Empty means no signature.
      - What was signed is remembered in O(directory); an image that is in the registry and was not is signed, too.
    type: str
    default: ""
  directory:
    description: Where records of images are kept, and when each was last used.
    type: path
    default: /var/lib/instinct/images
  timeout:
    description: Seconds that each program may take.
    type: int
    default: 3600
  lock_timeout:
    description: Seconds to wait for another run that works with images here.
    type: int
    default: 30
attributes:
  check_mode:
    description: Says what would be done.
    support: full
  diff_mode:
    description: There are no texts to compare; RV(actions) says what is done.
    support: none
  idempotent:
    description: A second run changes nothing.
    support: full
seealso:
  - module: instinct.fleet.rocm_image_build
  - module: instinct.fleet.rocm_image_cache
"""

EXAMPLES = r"""
- name: Write the image down for nodes without a registry
  instinct.fleet.rocm_image_store:
    state: exported
    image: localhost/rocm-base/rdma:rocm-7.0.2-0123456789ab
    archive: /srv/images/rocm-base.tar

- name: Bring it to such a node
  instinct.fleet.rocm_image_store:
    state: imported
    archive: /srv/images/rocm-base.tar
    tag: localhost/rocm-base/rdma:rocm-7.0.2-0123456789ab
    digest: "{{ exported.digest }}"

- name: Pull it by its digest
  instinct.fleet.rocm_image_store:
    state: pulled
    image: "{{ pushed.reference }}"
    id: "{{ pushed.id }}"
"""

RETURN = r"""
actions:
  description: What was done, or would be done in check mode, in words.
  type: list
  elements: str
  returned: success
  sample: [write /srv/images/rocm-base.tar]
id:
  description: Digest of the image's configuration; empty in check mode where it is not known yet.
  type: str
  returned: success
digest:
  description: Digest of the manifest, in archive and registry; empty in check mode where it is not known yet.
  type: str
  returned: success
tag:
  description: The name that it has where it is now.
  type: str
  returned: success
archive:
  description: Path of the archive; empty where there is none.
  type: str
  returned: success
reference:
  description: The image in the registry, by digest.
  type: str
  returned: with O(state=pushed) and O(state=pulled)
failure:
  description: Parts of the refusal. C(where), C(what), C(hint), C(source).
  type: dict
  returned: failure
"""

import typing as t

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._act.outcome import Outcome, finish
from ..module_utils._act.process import clean_end
from ..module_utils._image import store
from ..module_utils._image.directory import held
from ..module_utils._image.tools import Tools

TEXT: dict[str, t.Any] = {"type": "str", "default": ""}
PATH: dict[str, t.Any] = {"type": "path", "default": ""}
CARRIED = ("image", "archive", "destination", "tag", "id", "digest", "authfile", "sign_by", "directory")
STATES = {"exported": store.exported, "imported": store.imported, "pushed": store.pushed, "pulled": store.pulled}
SPEC: dict[str, t.Any] = {
    "state": {"type": "str", "required": True, "choices": list(STATES)},
    "image": {"type": "str"},
    "archive": {"type": "path"},
    "destination": {"type": "str"},
    "tag": TEXT,
    "id": TEXT,
    "digest": TEXT,
    "authfile": PATH,
    "sign_by": TEXT,
    "directory": {"type": "path", "default": "/var/lib/instinct/images"},
    "timeout": {"type": "int", "default": 3600},
    "lock_timeout": {"type": "int", "default": 30},
}
NEEDS = [
    ("state", "exported", ["image", "archive"]),
    ("state", "imported", ["archive"]),
    ("state", "pushed", ["archive", "destination"]),
    ("state", "pulled", ["image"]),
]


def act(module: AnsibleModule) -> Outcome:
    """Carry it, if it is not there."""
    asked = module.params
    given = {name: asked[name] or "" for name in CARRIED}
    request = store.Request(**given, check=module.check_mode)
    with held(asked["directory"], asked["lock_timeout"], module.check_mode), clean_end():
        return STATES[asked["state"]](request, Tools(asked["timeout"]))


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec=SPEC, required_if=NEEDS, supports_check_mode=True)
    finish(module, lambda: act(module))


if __name__ == "__main__":
    main()
