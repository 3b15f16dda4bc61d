# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filter reboot_timeout: documented in reboot_timeout.yml."""

from __future__ import annotations

import functools
import pathlib
import typing as t

from ansible.errors import AnsibleFilterError

from ..module_utils._core.errors import FleetError
from ..module_utils._core.rollout.timeouts import longest, read_timeouts
from ..plugin_utils.strict_yaml import load

FILE = pathlib.Path(__file__).resolve().parents[2] / "roles/node_maintenance/files/rollout/timeouts.yml"


@functools.cache
def _timeouts() -> dict[str, int]:
    return read_timeouts({"path": str(FILE), "data": load(FILE, "node_maintenance_reboot_timeout")})


def reboot_timeout(products: t.Any) -> int:
    """Seconds that a node with GPUs of these products is waited for.

    Raises:
        AnsibleFilterError: it is no list of products.
    """
    if not isinstance(products, (list, tuple)) or not all(isinstance(name, str) for name in products):
        raise AnsibleFilterError(f"products: is {products!r}, not a list of names")
    try:
        return longest(_timeouts(), products)
    except FleetError as error:
        raise AnsibleFilterError(error.sentence) from error


class FilterModule:
    """The filter."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """Name -> function."""
        return {"reboot_timeout": reboot_timeout}
