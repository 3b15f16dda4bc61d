# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filter gres_entries: documented in gres_entries.yml."""

from __future__ import annotations

import typing as t

from ansible.errors import AnsibleFilterError

from ..module_utils._core.errors import DataError, FleetError
from ..module_utils._core.partition.gres import gres, slurm_node
from ..plugin_utils import logical_devices


def gres_entries(devices: t.Any, node_name: t.Any = "", shared: t.Any = False, cores: t.Any = None,
                 parameters: t.Any = None) -> dict[str, t.Any]:
    """What Slurm is told of the devices.

    Raises:
        AnsibleFilterError: an argument is not of its form, or a device has no render node that is known.
    """
    try:
        if not isinstance(shared, bool):
            raise DataError("shared", f"is {shared!r}, not true or false", "write it so")
        if shared and not node_name:
            raise DataError("node_name", "is missing, and lines of a file that nodes share name their node", "add it")
        found = gres(logical_devices.read(devices), logical_devices.cores(cores, "cores"), node_name if shared else "")
        line = slurm_node(node_name, found, _mapping(parameters)) if node_name else ""
    except FleetError as error:
        raise AnsibleFilterError(error.sentence) from error
    return {"lines": list(found.lines), "definition": found.definition, "counts": dict(found.counts), "node": line}


def _mapping(given: t.Any) -> t.Mapping[str, t.Any]:
    if given is not None and not isinstance(given, dict):
        raise DataError("parameters", f"is {type(given).__name__}, not a mapping", "write it as a mapping")
    return given or {}


class FilterModule:
    """The filter."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """Name -> function."""
        return {"gres_entries": gres_entries}
