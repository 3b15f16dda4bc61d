# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Options of the reports over all hosts of a play: OPTIONS in plugins/plugin_utils/collected.py but C(path)."""

from __future__ import annotations


class ModuleDocFragment:
    """Fragments by section name."""

    DOCUMENTATION = r"""
options:
  hosts:
    description: The hosts to report on. All hosts of the play by default, also those that failed.
    type: list
    elements: str
"""
