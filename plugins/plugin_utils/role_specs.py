# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Variables of the roles, validated before anything is planned.

Ansible validates a role's argument specification when the role starts, which in site.yml is after the first change,
and never notices a misspelt variable. Here both happen for all roles at once, before the plan.
"""

from __future__ import annotations

import functools
import typing as t
from pathlib import Path

import yaml

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.near import nearest
from ansible_collections.instinct.fleet.plugins.plugin_utils import option_values

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # every process that Ansible forks reads them anew
ROLES = Path(__file__).resolve().parents[2] / "roles"
# Variables that roles set for others to read; documented in their specifications.
EXPORTED = frozenset({"gpu_release_look", "gpu_release_plan", "gpu_driver_reboot_required", "gpu_firmware_devices",
                      "gpu_partition_result", "gpu_partition_files", "gpu_partition_exported",
                      "node_maintenance_boot", "node_maintenance_standing", "node_maintenance_snapshot",
                      "node_maintenance_rollback", "gpu_reservation_plan", "gpu_reservation_record",
                      "gpu_reservation_files", "gpu_reservation_info", "gpu_qos_result", "host_tuning_result",
                      "rdma_stack_result", "rocm_image_result", "container_runtime_result"})


@functools.cache
def options(role: str) -> dict[str, dict[str, t.Any]]:
    """Options of every entry point of a role, from its meta/argument_specs.yml; required is what ``main`` requires."""
    text = (ROLES / role / "meta" / "argument_specs.yml").read_text(encoding="utf-8")
    specs = yaml.load(text, Loader=_LOADER)  # noqa: S506 (a safe loader)
    merged: dict[str, dict[str, t.Any]] = {}
    entries = specs["argument_specs"]
    for entry in sorted(entries, key=lambda name: name != "main"):
        for name, option in entries[entry].get("options", {}).items():
            merged.setdefault(name, option if entry == "main" else {**option, "required": False})
    return merged


def refuse_misspelt(role: str, names: t.Iterable[str]) -> None:
    """Refuse variables that carry the role's prefix and are none of its options, or that differ from one by a slip.

    Raises:
        FleetError: names the variable and the option that it resembles.
    """
    known = set(options(role)) | EXPORTED
    for name in sorted(set(names) - known):
        if name.startswith(f"{role}_"):
            near = nearest(name, known, 0.8)
            raise FleetError(f"variable {name}", f"the role {role} has no such variable",
                             f"did you mean {near}?" if near else f"see the role's README for {role}_* variables")
        # A slip in the prefix itself: gpu_drivr_hold.
        alike = [option for option in known if option[0] == name[:1] and abs(len(option) - len(name)) <= 1]
        near = nearest(name, alike, 0.93)
        if near:
            raise FleetError(f"variable {name}", "no role has such a variable", f"did you mean {near}?")


def validated(role: str, values: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """Values of a role's options: coerced, with the specification's defaults. None is as good as not given.

    Ansible's own validator is not used: its words change from version to version, and it takes a list for a text.

    Raises:
        FleetError: a value is missing or not of the type or choice that the specification says.
    """
    return {name: option_values.value(name, values.get(name), option) for name, option in options(role).items()}
