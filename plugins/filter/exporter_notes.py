# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filter exporter_notes: documented in exporter_notes.yml."""

from __future__ import annotations

import typing as t

from ansible.errors import AnsibleFilterError

from ..module_utils._core.errors import FleetError
from ..module_utils._core.partition import exporter
from ..plugin_utils.logical_devices import read


def exporter_notes(config: t.Any, before: t.Any, after: t.Any) -> list[str]:
    """What in the exporter's configuration a change of devices has made untrue.

    Raises:
        AnsibleFilterError: the configuration is none, or the devices are not of their form.
    """
    try:
        return list(exporter.exporter_notes(config, len(read(before, "before")), len(read(after, "after"))))
    except FleetError as error:
        raise AnsibleFilterError(error.sentence) from error


class FilterModule:
    """The filter."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """Name -> function."""
        return {"exporter_notes": exporter_notes}
