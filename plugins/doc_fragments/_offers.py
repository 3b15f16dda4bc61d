# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Options of the modules that ask apt as it will be: what FILE, KEY and WAITS in module_utils/_act/offers.py say."""

from __future__ import annotations


class ModuleDocFragment:
    """Fragments by section name."""

    DOCUMENTATION = r"""
options:
  files:
    description:
      - Files that will be written or removed. With them apt is asked as it would be then, in a private copy of its
        settings and lists. Those in C(/etc/apt) count.
    type: list
    elements: dict
    default: []
    suboptions:
      path:
        description: Absolute path.
        type: str
        required: true
      state:
        description: V(absent) for a file that will be removed.
        type: str
        choices: [present, absent]
        default: present
      content:
        description: The whole file. Needed if it is to be present.
        type: str
      mode:
        description: Not used; accepted so that a file can be given as to M(instinct.fleet.node_files).
        type: str
      owner:
        description: Not used, like O(files[].mode).
        type: str
      group:
        description: Not used, like O(files[].mode).
        type: str
  keys:
    description: Signing keys that will be installed; fetched if the node does not have them yet, and checked.
    type: list
    elements: dict
    default: []
    suboptions:
      url:
        description: Where the key is.
        type: str
        required: true
      fingerprint:
        description: The fingerprint that it must have.
        type: str
        required: true
      path:
        description: The keyring that O(files) name.
        type: str
        required: true
"""

    WAITS = r"""
options:
  lock_timeout:
    description: Seconds to wait for another process that works on packages; the refusal names it.
    type: int
    default: 300
  timeout:
    description: Seconds for fetching what is new in the repositories.
    type: int
    default: 300
"""
