#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Module rocm_image_build: see DOCUMENTATION."""

from __future__ import annotations

DOCUMENTATION = r"""
module: rocm_image_build
short_description: Build an image of layers from pins, and tag each layer only after looking into it
description:
  - An image is data; see docs/images.md. Its layers are built by buildah, each of a Containerfile that is made of the
    definition. A layer that is there already, by a key of all that it is made of, is not built again.
  - A layer is looked into before it has a name. Its packages and their versions, libraries that are missing, what
    providers of RDMA speak against what the nodes' kernels do, the group of GPUs, ROCm, caches and size must be as
    they should.
  - What fails leaves nothing behind that has a name or takes room. The layers below it stay, and count the next time.
    What a run left that was ended by force goes with the next one in O(directory). Nothing of other builds is touched.
  - A record and a bill of materials (CycloneDX) lie in O(directory).
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
options:
  definition:
    description: Name of the image's definition.
    type: str
    default: ""
  catalogue_dirs:
    description: Directories of the control machine with definitions of the site. Later ones win.
    type: list
    elements: path
    default: []
  release:
    description: Name of the release that the nodes have. Empty where no layer takes its packages from one.
    type: str
    default: ""
  release_catalogue_dirs:
    description: Directories of the control machine with releases of the site.
    type: list
    elements: path
    default: []
  release_accept:
    description: Confidence of data besides C(documented) that counts.
    type: list
    elements: str
    default: []
  release_mirrors:
    description: Address of a vendor's server to that of a mirror.
    type: dict
    default: {}
  release_keys:
    description: Key of a repository to where it is and its fingerprint, in place of the vendor's.
    type: dict
    default: {}
  parent:
    description: >-
      What the lowest layer stands on, C(image) by digest, or C(archive) with C(digest). In place of the definition's.
    type: dict
    default: {}
  render_gid:
    description: Number of the group C(render) on the nodes. -1 is not asked.
    type: int
    default: -1
  gfx:
    description: Instruction sets of the nodes' GPUs.
    type: list
    elements: str
    default: []
  verbs:
    description: Name of a provider of RDMA to the ABI that the nodes' kernel driver has.
    type: dict
    default: {}
  rdma_versions:
    description: >-
      Name of each source of the nodes' RDMA, such as V(rdma-core), to the one version of its packages. Layers
      C(from) C(stack.rdma) have no other.
    type: dict
    default: {}
  rdma_catalogue_dirs:
    description: Directories of the control machine with stacks and families of RDMA of the site.
    type: list
    elements: path
    default: []
  isolation:
    description: >-
      How commands of a build are kept apart. Empty means as buildah does by itself; V(chroot) works within containers.
    type: str
    choices: ["", chroot, rootless, oci]
    default: ""
  authfile:
    description: File with names and passwords for registries that images are pulled from. Empty means the engine's own.
    type: path
    default: ""
  directory:
    description: Of records. It holds the folder of the build under way, so it needs room for the files of a layer.
    type: path
    default: /var/lib/instinct/images
  timeout:
    description: Seconds that each program may take, the build of a whole layer among them.
    type: int
    default: 3600
  lock_timeout:
    description: Seconds to wait for another run that works with images here.
    type: int
    default: 30
  image:
    description: The image, resolved. The action plugin on the control machine fills this in.
    type: dict
    default: {}
  checks:
    description: What is looked for in images. The action plugin on the control machine fills this in.
    type: list
    elements: dict
    default: []
  collection:
    description: Version of this collection. The action plugin on the control machine fills this in.
    type: str
    default: ""
attributes:
  check_mode:
    description: Says which layers would be built, and why.
    support: full
  diff_mode:
    description: Shows the Containerfile of each layer that is built, and the record.
    support: full
  idempotent:
    description: A second run changes nothing.
    support: full
  action:
    description: Has an action plugin on the controller.
    support: full
seealso:
  - module: instinct.fleet.rocm_image_store
  - module: instinct.fleet.rocm_image_cache
"""

EXAMPLES = r"""
- name: Build the image of the nodes' release
  instinct.fleet.rocm_image_build:
    definition: rocm-base
    release: rocm-7.0.2
    render_gid: 992
    verbs: {mlx5: 1}
"""

RETURN = r"""
actions:
  description: What was done, or would be done in check mode, in words.
  type: list
  elements: str
  returned: success
  sample: ["build the layer rdma: no image has its key"]
id:
  description: Digest of the image's configuration, the same in every store. Empty where it is not built yet.
  type: str
  returned: success
tag:
  description: Name of the image's last layer.
  type: str
  returned: success
  sample: localhost/rocm-base/rdma:rocm-7.0.2-0123456789ab
labels:
  description: What the image says of itself.
  type: dict
  returned: success
record:
  description: Path of the record.
  type: str
  returned: success
sbom:
  description: Path of the bill of materials, CycloneDX 1.6 as JSON.
  type: str
  returned: success
seconds:
  description: That the module took, with all that it looked at.
  type: float
  returned: success
layers:
  description: Each layer, from the lowest.
  type: list
  elements: dict
  returned: success
  contains:
    name:
      description: Of the layer.
      type: str
      returned: always
    key:
      description: SHA-256 of all that it is made of.
      type: str
      returned: always
    tag:
      description: Its name.
      type: str
      returned: always
    id:
      description: Of its image; empty where there is none.
      type: str
      returned: always
    state:
      description: C(cached), C(built) or C(would_build).
      type: str
      returned: always
    reason:
      description: Why it is built; empty where it is not.
      type: str
      returned: always
    seconds:
      description: That this took.
      type: float
      returned: always
failure:
  description: Parts of the refusal. C(where), C(what), C(hint), C(source).
  type: dict
  returned: failure
"""

import typing as t

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._act.outcome import Outcome, finish
from ..module_utils._core.image import plain
from ..module_utils._core.image.checks import Checks
from ..module_utils._image import apply
from ..module_utils._image.build import Builder
from ..module_utils._image.tools import Tools

PATHS: dict[str, t.Any] = {"type": "list", "elements": "path", "default": []}
NAMES: dict[str, t.Any] = {"type": "list", "elements": "str", "default": []}
SPEC: dict[str, t.Any] = {
    "definition": {"type": "str", "default": ""},
    "catalogue_dirs": PATHS,
    "release": {"type": "str", "default": ""},
    "release_catalogue_dirs": PATHS,
    "release_accept": NAMES,
    "release_mirrors": {"type": "dict", "default": {}},
    "release_keys": {"type": "dict", "default": {}, "no_log": False},  # public keys
    "parent": {"type": "dict", "default": {}},
    "render_gid": {"type": "int", "default": -1},
    "gfx": NAMES,
    "verbs": {"type": "dict", "default": {}},
    "rdma_versions": {"type": "dict", "default": {}},
    "rdma_catalogue_dirs": PATHS,
    "isolation": {"type": "str", "choices": ["", "chroot", "rootless", "oci"], "default": ""},
    "authfile": {"type": "path", "default": ""},
    "directory": {"type": "path", "default": "/var/lib/instinct/images"},
    "timeout": {"type": "int", "default": 3600},
    "lock_timeout": {"type": "int", "default": 30},
    "image": {"type": "dict", "default": {}},
    "checks": {"type": "list", "elements": "dict", "default": []},
    "collection": {"type": "str", "default": ""},
}


def act(module: AnsibleModule) -> Outcome:
    """Build what is not there."""
    asked = module.params
    checks, tools = Checks.from_documents(asked["checks"]), Tools(asked["timeout"], asked["isolation"])
    image = plain.given(asked["image"])
    request = apply.Request(
        image, asked["collection"], module.check_mode, asked["lock_timeout"], asked["authfile"] or ""
    )
    return apply.run(request, Builder(tools, asked["directory"], checks))


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    finish(module, lambda: act(module))


if __name__ == "__main__":
    main()
