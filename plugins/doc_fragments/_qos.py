# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Which profile of quality of service holds when, and for which GPUs: SPEC that gpu_qos and gpu_qos_files share."""

from __future__ import annotations


class ModuleDocFragment:
    """Fragments by section name."""

    DOCUMENTATION = r"""
options:
  profile:
    description: Name of the profile that holds outside of all windows, of the collection or of O(catalogue_dirs).
      Without it the earlier state is restored there.
    type: str
    default: ""
  schedule:
    description: Profiles that hold within windows of the week, by the clock of the node. Of several that are open the
      first counts.
    type: list
    elements: dict
    default: []
    suboptions:
      profile:
        description: Name of the profile.
        type: str
        required: true
      days:
        description: Days on which the window begins. By default all.
        type: list
        elements: str
        choices: [mon, tue, wed, thu, fri, sat, sun]
      begins:
        description: Time of day, as V(22:00).
        type: str
        required: true
      ends:
        description: Time of day, of the next day where it is not after O(schedule[].begins).
        type: str
        required: true
      zone:
        description: Distance of that clock from UTC, as V(+02:00), or V(UTC). By default the clock of the node counts.
        type: str
  gpus:
    description: PCI addresses of the GPUs that the profiles are for. Without any all are; those that are not named any
      more are restored.
    type: list
    elements: str
    default: []
  catalogue_dirs:
    description: Directories on the controller with profiles and products of the site. Of the same name a later one
      counts.
    type: list
    elements: path
    default: []
  unsupported:
    description: What becomes of a setting that a GPU, its driver or the binding of the library does not have, unless
      the profile calls it optional. V(refuse) refuses the profile before anything is set. V(say) leaves it out and says
      so in RV(instinct.fleet.gpu_qos#module:unsupported). What is beyond the limits of a board is refused either way.
    type: str
    choices: [refuse, say]
    default: refuse
  timeout:
    description: Seconds that looking, or setting and looking, may take.
    type: int
    default: 60
  lock_timeout:
    description: Seconds to wait for another run that acts on this node.
    type: int
    default: 30
"""
