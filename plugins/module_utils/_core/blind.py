# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Nothing is planned blind: what a plan compares must have been seen."""

from __future__ import annotations

from .errors import FleetError
from .look import SECTIONS, Look

# Sections whose every field a plan relies on, and of others the fields.
NEEDED: dict[str, tuple[str, ...]] = {
    "os": ("id", "version_id"),
    "kernel": ("running", "installed"),
    "packages": ("*",),
    "repositories": ("sources", "preferences", "keys"),
    "dkms": ("*",),
    "driver": ("loaded", "on_disk"),
    "gpus": ("gpus",),
    "files": ("*",),
}


def refuse_blind(look: Look) -> None:
    """Refuse to plan from a look that could not see what plans compare.

    Raises:
        FleetError: names the field and why it could not be read.
    """
    for name in SECTIONS:
        if getattr(look, name) is None:
            raise FleetError(f"section {name}", "was not looked at", "plans need a look with all sections")
    for name, fields in NEEDED.items():
        for path, reason in sorted(getattr(look, name).unknown.items()):
            if "*" in fields or path.split(".")[0].split("[")[0] in fields:
                hint = "" if look.os and look.os.root else "look as root (become: true)"
                raise FleetError(f"{name}.{path}", f"is unknown: {reason}", hint)
