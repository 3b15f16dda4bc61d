# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lookup catalogue."""

from __future__ import annotations

DOCUMENTATION = r"""
name: catalogue
author: instinct.fleet authors (@instinct-fleet)
version_added: 0.1.0
short_description: Read the catalogue of releases on the controller
description:
  - Reads the catalogue of the role P(instinct.fleet.gpu_release#role) and any site directories, validates each file,
    and returns them for the filter P(instinct.fleet.resolve_release#filter).
  - Each file is held against its JSON Schema if the controller has the Python library C(jsonschema), and always against
    the strict reader of this collection. Both accept the same files. An error names the file and the path in it.
  - Files are read once per process.
options:
  _terms:
    description:
      - Site directories, in order. A record of a later directory replaces the one of the same name before it; other
        records are added.
      - A directory may hold C(products.yml), C(repositories.yml), C(dkms_evidence.yml), C(windows/*.yml) and
        C(releases/<name>.yml), each of the form of ours. Files must end in C(.yml).
    type: list
    elements: path
    required: false
  release:
    description:
      - Read only the file of this release, besides everything that releases are checked against.
      - All releases are read if this is not given.
    type: str
seealso:
  - plugin: instinct.fleet.resolve_release
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Say which releases there are
  ansible.builtin.debug:
    msg: "{{ lookup('instinct.fleet.catalogue').names }}"

- name: Resolve a release of the site for this node
  ansible.builtin.debug:
    msg: "{{ look | instinct.fleet.resolve_release(catalogue, 'site-2026.1') }}"
  vars:
    catalogue: "{{ lookup('instinct.fleet.catalogue', '/srv/instinct/catalogue', release='site-2026.1') }}"
    look: "{{ gpu_release_look.look }}"
"""

RETURN = r"""
_raw:
  description: One dictionary.
  type: list
  elements: dict
  contains:
    files:
      description: The files that were read, ours first.
      type: list
      elements: dict
      contains:
        path:
          description: Path of the file.
          type: str
        data:
          description: Its content.
          type: dict
    names:
      description: Names of all releases, read or not.
      type: list
      elements: str
"""

import typing as t

from ansible.errors import AnsibleLookupError
from ansible.plugins.lookup import LookupBase

from ..module_utils._core.errors import FleetError
from ..plugin_utils.catalogue_files import read


class LookupModule(LookupBase):
    """Read the catalogue."""

    def run(self, terms: list[str], variables: dict[str, t.Any] | None = None, **kwargs: t.Any) -> list[t.Any]:
        """The catalogue as the only element of a list."""
        self.set_options(var_options=variables, direct=kwargs)
        release = self.get_option("release")
        try:
            return [read(tuple(str(term) for term in terms), None if release is None else str(release), schema=True)]
        except FleetError as error:
            raise AnsibleLookupError(error.sentence) from error
