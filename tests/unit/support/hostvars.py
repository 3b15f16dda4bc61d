# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables of the hosts of a play, for actions that must not template them all."""

from __future__ import annotations

import typing as t


class HostVars(dict[str, t.Any]):
    """As Ansible's: reading an item templates all variables of the host, raw_get does not."""

    raw_get = dict.__getitem__

    def __getitem__(self, name: str) -> t.NoReturn:
        raise AssertionError(f"all variables of {name} were templated")
