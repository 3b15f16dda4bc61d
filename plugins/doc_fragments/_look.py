# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Options that the looking modules share."""

from __future__ import annotations


class ModuleDocFragment:
    """Fragments by section name."""

    DOCUMENTATION = r"""
options:
  timeout:
    description:
      - Seconds after which the module ends, whatever hangs.
      - What could not be read until then is listed as unknown with the reason.
    type: int
    default: 30
notes:
  - Works as root or not, with or without driver, ROCm and the vendor's library. What another user may not see is
    listed as unknown with the reason.
  - The vendor's binding C(amdsmi) is used where ROCm installed it, in a child process. Never install it from PyPI.
  - A suspended GPU is not woken.
"""
