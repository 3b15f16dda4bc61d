# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filter cdi_spec: documented in cdi_spec.yml."""

from __future__ import annotations

import typing as t

from ansible.errors import AnsibleFilterError

from ..module_utils._core.errors import FleetError
from ..module_utils._core.partition import cdi
from ..plugin_utils.logical_devices import read


def cdi_spec(devices: t.Any) -> dict[str, t.Any]:
    """The CDI specification of the devices.

    Raises:
        AnsibleFilterError: there is no device, or one has no render node that is known, or they are not of their form.
    """
    try:
        return cdi.cdi_spec(read(devices))
    except FleetError as error:
        raise AnsibleFilterError(error.sentence) from error


class FilterModule:
    """The filter."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """Name -> function."""
        return {"cdi_spec": cdi_spec}
