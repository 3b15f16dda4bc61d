# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The part of a look that is about settings in files: where a name that was asked for is set. Read through shape.py."""

from __future__ import annotations

import dataclasses as dc

from .gpus import Unknown


@dc.dataclass(frozen=True)
class Setting:
    """One name, set in one place."""

    name: str  # HSA_QUEUE_PRIORITY, amdgpu.noretry, xgmi_credit_limit, --setmigmode
    value: str | None  # None for a file that is there, or a flag
    kind: str  # environment, module_parameter, kernel_parameter, file, sysfs, command
    file: str  # path; "/proc/cmdline", "inventory"
    line: int | None = None
    holder: str | None = None  # unit, container or variable it is for


@dc.dataclass(frozen=True)
class Settings:
    """Settings that were found, of the names that were asked for."""

    settings: tuple[Setting, ...] = ()
    files: int = 0  # how many files were read
    unknown: Unknown = dc.field(default_factory=dict)  # path -> why it could not be read
