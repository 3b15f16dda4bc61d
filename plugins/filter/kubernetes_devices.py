# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filter kubernetes_devices: documented in kubernetes_devices.yml."""

from __future__ import annotations

import typing as t

from ansible.errors import AnsibleFilterError

from ..module_utils._core.errors import FleetError
from ..module_utils._core.partition.kubernetes import SINGLE, kubernetes
from ..plugin_utils.logical_devices import read


def kubernetes_devices(devices: t.Any, strategy: t.Any = SINGLE) -> dict[str, t.Any]:
    """What AMD's plugins for Kubernetes say of the devices.

    Raises:
        AnsibleFilterError: the strategy is none, or the devices are not of their form.
    """
    try:
        found = kubernetes(read(devices), strategy)
    except FleetError as error:
        raise AnsibleFilterError(error.sentence) from error
    return {"arguments": list(found.arguments), "resources": dict(found.resources), "labels": dict(found.labels),
            "notes": list(found.notes)}


class FilterModule:
    """The filter."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """Name -> function."""
        return {"kubernetes_devices": kubernetes_devices}
