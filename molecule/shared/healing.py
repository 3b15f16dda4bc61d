# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulated node that is well again."""

from __future__ import annotations


def heal(host) -> None:
    """Undo all faults, and clear the kernel's log as a reboot would: what it said of this boot stays true."""
    host.check_output("instinct-sim heal && : > /var/lib/instinct-sim/state.kernel.log && : > /dev/kmsg")
