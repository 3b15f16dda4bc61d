# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lookup mirror_list."""

from __future__ import annotations

DOCUMENTATION = r"""
name: mirror_list
author: instinct.fleet authors (@instinct-fleet)
version_added: 0.1.0
short_description: What to mirror for nodes without a way to the vendor
description:
  - Says for releases of the catalogue which repositories, keys and packages must be mirrored, so that nodes which see
    nothing but the mirror can be brought to them. It asks nobody, and reads the catalogue alone.
  - The addresses from which to mirror are those of the vendor; those at which nodes look are what
    C(gpu_release_mirrors) makes of them.
options:
  _terms:
    description: Names of releases; that of C(gpu_release_name) if none is given.
    type: list
    elements: str
    required: false
  systems:
    description:
      - Operating systems, such as V(debian 12) or V(rhel 9.6). Not given, all that the release lists.
      - AMD has a driver repository for each minor release of some. Where a release lists only the major one, as Rocky
        Linux 9, name the minor one here.
    type: list
    elements: str
    default: []
  form:
    description:
      - V(data) returns everything. The others return a text. V(apt-mirror) is what C(mirror.list) of apt-mirror takes;
        V(reposync) is a C(.repo) file with a C(dnf reposync) command for each repository in it; V(keys) are the
        addresses of the keys.
      - All of them keep the path of the vendor below its host name, so that C(gpu_release_mirrors) maps nothing but the
        beginning of addresses.
    type: str
    choices: [data, apt-mirror, reposync, keys]
    default: data
  accept:
    description: Confidences of catalogue data that are acted on besides C(documented).
    type: list
    elements: str
    default: []
    vars: [{name: gpu_release_accept}]
  mirrors:
    description: Base URL of the vendor to base URL of a mirror.
    type: dict
    default: {}
    vars: [{name: gpu_release_mirrors}]
  keys:
    description: Signing keys that the site chose itself, as C(gpu_release_keys) has them.
    type: dict
    default: {}
    vars: [{name: gpu_release_keys}]
  kernel:
    description: Kernel that nodes are to run. Not given, names of its packages are templates with C({kernel}).
    type: str
    vars: [{name: gpu_release_kernel}]
  driver_source:
    description: Whether nodes use the release's driver, or the kernel's own.
    type: str
    choices: [dkms, in_tree]
    default: dkms
    vars: [{name: gpu_driver_source}]
  components:
    description: Components of ROCm that nodes install.
    type: list
    elements: str
    default: [rocm-core, rocminfo, amd-smi-lib]
    vars: [{name: rocm_userspace_components}]
  side_by_side:
    description: Releases whose ROCm nodes keep beside the active one. Their repositories and packages are named too.
    type: list
    elements: str
    default: []
    vars: [{name: rocm_userspace_side_by_side}]
  catalogue_dirs:
    description: Directories with releases of the site.
    type: list
    elements: path
    default: []
    vars: [{name: gpu_release_catalogue_dirs}]
seealso:
  - plugin: instinct.fleet.catalogue
    plugin_type: lookup
"""

EXAMPLES = r"""
- name: Write what apt-mirror is to fetch for the Debian nodes
  ansible.builtin.copy:
    content: "{{ lookup('instinct.fleet.mirror_list', 'rocm-7.2.3', systems=['debian 12'], form='apt-mirror') }}"
    dest: /etc/apt/mirror.list.d/instinct.list
    mode: "0644"

- name: Say which packages the release needs on RHEL 9.6
  ansible.builtin.debug:
    msg: "{{ (query('instinct.fleet.mirror_list', systems=['rhel 9.6'], accept=['derived']) | first).packages }}"
  vars:
    gpu_release_name: rocm-7.2.3
"""

RETURN = r"""
_raw:
  description: One dictionary for each release and operating system; with another O(form), one text.
  type: list
  elements: raw
  contains:
    release:
      description: Name of the release.
      type: str
    os:
      description: Operating system.
      type: str
    manager:
      description: Its package manager.
      type: str
    repositories:
      description: Repositories, each with C(name), C(format), C(vendor) (where it is), C(uri) (where nodes look for
        it), C(suite), C(components), C(architectures) and C(key).
      type: list
      elements: dict
    signing_keys:
      description: Signing keys, each with C(name), C(vendor), C(url) and C(fingerprint).
      type: list
      elements: dict
    packages:
      description: Packages, each with C(name), C(version), C(exact) (whether the version is one or a pattern) and
        C(repository), which is empty for packages of the operating system.
      type: list
      elements: dict
    refused:
      description: Why the release cannot be used there; then all else is empty.
      type: str
"""

import dataclasses as dc
import typing as t

from ansible.errors import AnsibleLookupError
from ansible.plugins.lookup import LookupBase

from ..module_utils._core.errors import FleetError
from ..module_utils._core.release.mirror import Mirror, mirrors
from ..module_utils._core.release.mirror_text import FORMS
from ..module_utils._core.release.policy import Policy
from ..plugin_utils.catalogue_files import catalogue

POLICY = ("accept", "mirrors", "keys", "driver_source", "components", "side_by_side")


class LookupModule(LookupBase):
    """What to mirror."""

    def run(self, terms: list[str], variables: dict[str, t.Any] | None = None, **kwargs: t.Any) -> list[t.Any]:
        """A list of dictionaries, or one text."""
        self.set_options(var_options=variables, direct=kwargs)
        try:
            found = [mirror for name in terms or self._named(variables) for mirror in self._mirrors(str(name))]
        except FleetError as error:
            raise AnsibleLookupError(error.sentence) from error
        form = self.get_option("form")
        return [FORMS[form](found)] if form in FORMS else [_plain(dc.asdict(mirror)) for mirror in found]

    @staticmethod
    def _named(variables: dict[str, t.Any] | None) -> list[str]:
        name = (variables or {}).get("gpu_release_name")
        if not name:
            raise FleetError("mirror_list", "names no release", "name one, or set gpu_release_name")
        return [name]

    def _mirrors(self, name: str) -> tuple[Mirror, ...]:
        policy = Policy.from_dict({key: self.get_option(key) for key in POLICY}
                                  | {"kernel": self.get_option("kernel") or ""})
        directories = tuple(str(path) for path in self.get_option("catalogue_dirs"))
        return mirrors(catalogue(directories, name, policy.side_by_side), name, self.get_option("systems"), policy)


def _plain(value: t.Any) -> t.Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value
