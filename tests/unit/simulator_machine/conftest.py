# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the modules of the virtual machines importable."""

from __future__ import annotations

import sys
from pathlib import Path

SIMULATOR = Path(__file__).resolve().parents[2] / "simulator"
sys.path.insert(0, str(SIMULATOR / "fleet"))
sys.path.insert(0, str(SIMULATOR / "machine"))
