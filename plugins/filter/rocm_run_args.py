# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filter rocm_run_args: documented in rocm_run_args.yml."""

from __future__ import annotations

import typing as t

from ansible.errors import AnsibleFilterError

from ..module_utils._core.errors import DataError, FleetError

if t.TYPE_CHECKING:
    from ..module_utils._core.image.arguments import Workload

OPTIONS = frozenset({"engine", "devices", "tenant", "rdma", "environment", "rootless", "cdi", "nics"})


def rocm_run_args(look: t.Any, image: t.Any, catalogue_dirs: t.Any = (), **options: t.Any) -> list[str]:
    """The arguments for the engine.

    Raises:
        AnsibleFilterError: an argument is not of its form, or the workload cannot run on the node like this.
    """
    # Not above: Ansible loads every filter of a collection, in each task that uses one.
    from ..module_utils._core.image.arguments_text import text
    from ..module_utils._core.look.shape import Look
    from ..plugin_utils.plain import from_plain
    from ..plugin_utils.run_arguments import chosen

    try:
        workload = _workload(image, options)
        directories = tuple(map(str, _list("catalogue_dirs", catalogue_dirs)))
        return text(chosen(workload, from_plain(Look, look, "look"), directories), workload.engine, workload.image)
    except FleetError as error:
        raise AnsibleFilterError(error.sentence) from error


def _workload(image: t.Any, options: t.Mapping[str, t.Any]) -> Workload:
    from ..module_utils._core.image.arguments import ENGINES, Workload
    from ..plugin_utils.plain import from_plain

    unknown = sorted(set(options) - OPTIONS)
    if unknown:
        raise DataError("rocm_run_args", f"has no option {', '.join(unknown)}", f"it has {', '.join(sorted(OPTIONS))}")
    given = {"image": image, **options}
    if given.get("tenant") and "devices" in options:
        raise DataError("devices", "are named, and so is a tenant", "name one of them")
    given["devices"] = [str(name) for name in _list("devices", options.get("devices", ["all"]))]
    environment = {**_told(options), **_mapping("environment", options.get("environment", {}))}
    found = from_plain(Workload, {key: value for key, value in given.items() if key not in ("environment", "nics")},
                       "rocm_run_args")
    if found.engine not in ENGINES:
        raise DataError("engine", f"is {found.engine!r}", f"choose one of {', '.join(ENGINES)}")
    return Workload(**{**vars(found), "environment": {str(name): str(value) for name, value in environment.items()}})


def _told(options: t.Mapping[str, t.Any]) -> t.Mapping[str, t.Any]:
    """What programs are told of the node's NICs, by what rdma_stack said of them; nothing where it is not given."""
    if "nics" not in options:
        return {}
    nics = _mapping("nics", options["nics"])
    if not options.get("rdma"):
        raise DataError("nics", "are given, and rdma is not asked for", "set rdma to true, or leave them out")
    if "environment" not in nics or "checks" not in nics:
        raise DataError("nics", "are not what rdma_stack returns", "give the result of the role rdma_stack")
    failed = [one for one in nics["checks"] if one["verdict"] == "fail"]
    if failed:
        words = "; ".join(f"{one['subject']} should have {one['wanted']}: {one['seen']}" for one in failed)
        raise DataError("nics", f"do not work on the node: {words}", failed[0]["why"]["remedy"])
    return _mapping("nics.environment", nics["environment"])


def _mapping(name: str, given: t.Any) -> t.Mapping[str, t.Any]:
    if not isinstance(given, t.Mapping):
        raise DataError(name, f"is {given!r}, not a mapping", "write it as {NAME: value}")
    return given


def _list(name: str, given: t.Any) -> t.Sequence[t.Any]:
    if not isinstance(given, (list, tuple)):
        raise DataError(name, f"is {given!r}, not a list", "write it as a list")
    return given


class FilterModule:
    """The filter."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """Name -> function."""
        return {"rocm_run_args": rocm_run_args}
