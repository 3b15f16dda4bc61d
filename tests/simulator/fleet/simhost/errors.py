# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The one error that is shown to people: a sentence, and never a traceback."""

from __future__ import annotations


class SimError(Exception):
    """What went wrong and what to do next, in one sentence without a full stop."""
