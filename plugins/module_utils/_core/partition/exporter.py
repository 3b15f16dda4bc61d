# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What a change of partitions means for AMD's device metrics exporter.

Its configuration names fields, labels and thresholds, and no device; partition number and modes are labels of every
metric whatever it says. So after a change it stays as it is, and the exporter is started anew. One key counts devices.
source: ROCm/device-metrics-exporter docs/configuration/configmap.md, pkg/exporter/proto/exporterconfig.proto
"""

from __future__ import annotations

import typing as t

from ..errors import DataError

_SECTION, _KEY = "GPUConfig", "Selector"


def exporter_notes(config: object, before: int, after: int) -> tuple[str, ...]:
    """Return what in a configuration does not mean any more what it did; nothing where it can stay as it is.

    Args:
        config: what its config.json holds.
        before: devices of the node before the change.
        after: devices now.

    Raises:
        DataError: it is no configuration of the exporter.
    """
    section = _mapping(config, "config.json").get(_SECTION, {})
    selector = _mapping(section, f"config.json: {_SECTION}").get(_KEY, "")
    if not isinstance(selector, str):
        raise DataError(f"config.json: {_SECTION}.{_KEY}", "is no text", "write it as text, such as 0,2-3")
    if not selector or before == after:
        return ()
    note = (f"{_SECTION}.{_KEY} of the exporter is {selector!r}, which counts devices: there were {before} and are "
            f"{after}, so it chooses others; correct or remove it")
    return (note,)


def _mapping(value: object, where: str) -> t.Mapping[str, t.Any]:
    if not isinstance(value, dict):
        raise DataError(where, "is no mapping", "write it as AMD's example has it")
    return value
