# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What is wanted of the GPUs of a node, and how it may come: SPEC of the module gpu_partition but the profile."""

from __future__ import annotations


class ModuleDocFragment:
    """Fragments by section name."""

    DOCUMENTATION = r"""
options:
  gpus:
    description: Rules instead of a profile. GPUs that no rule names stay as they are.
    type: list
    elements: dict
    default: []
    suboptions:
      gpus:
        description: V(all), or a list of numbers in PCI order, PCI addresses or UUIDs.
        type: raw
        required: true
      compute:
        description: Compute mode, for example V(CPX).
        type: str
        required: true
      memory:
        description: Memory mode, for example V(NPS4).
        type: str
        required: true
  catalogue_dirs:
    description: Directories on the controller with profiles and products of the site. Of the same name a later one
      counts.
    type: list
    elements: path
    default: []
  accept:
    description:
      - How well a pair of modes must be known. V(documented) pairs are listed by the vendor, V(allowed) ones are taken
        by the kernel and not listed as supported, V(experimental) ones are previews or depend on firmware.
      - All other pairs are refused.
    type: list
    elements: str
    choices: [documented, allowed, experimental]
    default: [documented]
  stop_units:
    description: Units of systemd that may be stopped for the change. Those that are active are, and are started again
      afterwards, also after a failure. Their processes do not count as holding GPUs. Units that could not be started
      again (transient ones) are refused, and so are those with which systemd would stop others that are not listed.
    type: list
    elements: str
    default: []
  reload_allowed:
    description: Whether the driver may be reloaded, which a memory mode needs. All GPUs of the node are gone meanwhile.
    type: bool
    default: true
  reservations:
    description: What tenants were promised. A change after which a reservation does not fit is refused.
    type: list
    elements: dict
    default: []
    suboptions:
      tenant:
        description: Whose it is.
        type: str
        required: true
      devices:
        description: Devices that are reserved, as PCI address or UUID of a GPU, or PCI address and partition as
          V(0000:05:00.0/3).
        type: list
        elements: str
        default: []
      count:
        description: How many are reserved, wherever they are.
        type: int
      of:
        description: Whether O(reservations[].count) counts whole GPUs or devices.
        type: str
        choices: [gpu, device]
        default: device
  timeout:
    description: Seconds that each of a set, a reload, and the appearance of all GPUs after it may take.
    type: int
    default: 300
  lock_timeout:
    description: Seconds to wait for another run that acts on this node.
    type: int
    default: 30
"""
