# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Attributes that modules document alike."""

from __future__ import annotations


class ModuleDocFragment:
    """Fragments by section name."""

    DOCUMENTATION = r"""
options: {}
"""

    INFO_MODULE = r"""
options: {}
attributes:
  check_mode:
    description: Can run in check mode. This module only reads, so check mode makes no difference.
    support: full
  diff_mode:
    description: Shows what changed. This module changes nothing, so there is nothing to show.
    support: N/A
  idempotent:
    description: A second run changes nothing.
    support: full
"""

    # Of actions that judge or report on the controller.
    ACTION = r"""
options: {}
attributes:
  check_mode:
    description: Can run in check mode, and does the same.
    support: full
  diff_mode:
    description: There is no difference to show, for nothing changes.
    support: full
  idempotent:
    description: Changes nothing.
    support: full
  action:
    description: Has an action plugin on the controller.
    support: full
"""
