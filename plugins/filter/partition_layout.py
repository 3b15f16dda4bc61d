# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filter partition_layout: documented in partition_layout.yml."""

from __future__ import annotations

import typing as t

from ansible.errors import AnsibleFilterError

from ..module_utils._core.errors import DataError, FleetError

if t.TYPE_CHECKING:
    from ..module_utils._core.look.gpus import Gpus
    from ..module_utils._core.partition.capabilities import Capabilities
    from ..module_utils._core.partition.profile import Profile
    from ..module_utils._core.partition.shape import GpuWanted


def partition_layout(seen: t.Any, profile: t.Any = "", gpus: t.Any = None,
                     catalogue_dirs: t.Any = ()) -> list[dict[str, t.Any]]:
    """The logical devices of the GPUs that were seen, or those that a profile would make of them.

    Raises:
        AnsibleFilterError: an argument is not of its form, or the GPUs cannot be as wanted.
    """
    # Not above: Ansible loads every filter of a collection, in each task that uses one.
    from ..module_utils._core.look.gpus import Gpus
    from ..module_utils._core.partition.layout import layout, refuse_unknown
    from ..module_utils._core.partition.reading import read_capabilities
    from ..module_utils._core.partition.select import wanted
    from ..plugin_utils import partition_files
    from ..plugin_utils.logical_devices import plain
    from ..plugin_utils.plain import from_plain

    try:
        there = from_plain(Gpus, seen, "gpus")
        refuse_unknown(there)
        directories = _directories(catalogue_dirs)
        known = read_capabilities(partition_files.capabilities(directories))
        chosen = _profile(profile, gpus, directories)
        asked = _possible(wanted(chosen, there), there, known) if chosen else None
        return plain(layout(there, known, asked))
    except FleetError as error:
        raise AnsibleFilterError(error.sentence) from error


def _directories(given: t.Any) -> tuple[str, ...]:
    if not isinstance(given, (list, tuple)) or not all(isinstance(item, str) and item for item in given):
        raise DataError("catalogue_dirs", f"is {given!r}, not a list of directories", "write it as a list")
    return tuple(map(str, given))


def _profile(name: t.Any, rules: t.Any, directories: tuple[str, ...]) -> Profile | None:
    if not isinstance(name, str):
        raise DataError("profile", f"is {name!r}, not the name of a profile", "write its name")
    if rules is not None and not isinstance(rules, list):
        hint = "write it as a list of {gpus, compute, memory}"
        raise DataError("gpus", f"is {type(rules).__name__}, not a list", hint)
    from ..plugin_utils import partition_files

    return partition_files.chosen(directories, name, rules or ())


def _possible(asked: tuple[GpuWanted, ...], there: Gpus, known: Capabilities) -> tuple[GpuWanted, ...]:
    """What is wanted, if each GPU can be so, whatever the site accepts.

    Raises:
        FleetError: a GPU cannot be what is wanted of it.
    """
    from ..module_utils._core.partition.circumstances import Circumstances
    from ..module_utils._core.partition.reach import reach
    from ..module_utils._core.partition.shape import STANDINGS
    from ..module_utils._core.partition.wording import attempt_each

    seen = {gpu.bdf: gpu for gpu in there.gpus}
    attempt_each(asked, lambda one: one.bdf,
                 lambda one: reach(seen[one.bdf], one, there.unknown, known, Circumstances(), STANDINGS), there)
    return asked


class FilterModule:
    """The filter."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """Name -> function."""
        return {"partition_layout": partition_layout}
