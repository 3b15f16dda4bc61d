# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""A release file from nodes as they run, proved by planning each of them for it before it is written."""

from __future__ import annotations

import dataclasses as dc
import re
import tempfile
import typing as t
from pathlib import Path

import yaml

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Look
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.whole import WholeLook, whole
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan import freeze
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.catalogue import RELEASE_NAME
from ansible_collections.instinct.fleet.plugins.plugin_utils import planning
from ansible_collections.instinct.fleet.plugins.plugin_utils.catalogue_files import catalogue, read

HEAD = "# Written by export.yml of instinct.fleet: what the nodes ran that sources names. A site may widen it.\n"
Values = dict[str, dict[str, t.Any]]


class _Dumper(yaml.SafeDumper):
    """Writes lists and mappings that are there twice twice, as a person would."""

    def ignore_aliases(self, data: t.Any) -> bool:
        """All of them."""
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Lists are indented below their key."""
        super().increase_indent(flow, False)


# Ansible tags the strings that it is given, and a tagged string is none to PyYAML.
_Dumper.add_multi_representer(str, lambda dumper, text: dumper.represent_str(str(text)))


def _yaml(data: t.Any) -> str:
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, width=120, allow_unicode=True)


@dc.dataclass(frozen=True)
class Export:
    """A release that describes its nodes.

    Attributes:
        document: the release file.
        variables: node -> the variables under which the node stays as it is.
        adopting: node -> the steps by which it comes under management, in words.
        notes: node -> what could not be checked.
    """

    document: dict[str, t.Any]
    variables: dict[str, dict[str, t.Any]]
    adopting: dict[str, tuple[str, ...]]
    notes: dict[str, tuple[str, ...]]

    @property
    def text(self) -> str:
        """The file."""
        return HEAD + _yaml(self.document)

    def inventory(self) -> str:
        """The variables as an inventory has them, with those of single nodes below."""
        own = "".join(f"# host_vars of {node}\n{_yaml(values)}" for node, values in self.own().items())
        return _yaml(self.common()) + own

    def common(self) -> dict[str, t.Any]:
        """The variables that are the same on all nodes."""
        first, *rest = self.variables.values()
        return {k: v for k, v in first.items() if all(k in other and other[k] == v for other in rest)}

    def own(self) -> dict[str, dict[str, t.Any]]:
        """Node -> the variables that are not the same on all nodes."""
        common = self.common()
        return {node: own for node, of_node in self.variables.items()
                if (own := {k: v for k, v in of_node.items() if k not in common})}


def export(looks: t.Mapping[str, Look], values: t.Mapping[str, Values], name: str, title: str, directory: str,
           source: str) -> Export:
    """The release of these nodes.

    Args:
        looks: node -> its look.
        values: node -> validated variables of all roles; the name of the release does not matter.
        name, title: of the release.
        directory: where its file will be, below releases/.
        source: where and when it was measured.

    Raises:
        FleetError: a node cannot be described exactly, nodes do not agree, or the release breaks a rule.
    """
    _refuse_name(name)
    if not looks:
        raise FleetError("export", "there is no node to export", "name nodes with --limit or fleet_targets")
    seen = {node: whole(look) for node, look in looks.items()}
    frozen = {node: freeze.freeze(catalogue(_dirs(values[node])), look, node) for node, look in seen.items()}
    freeze.refuse_disagreement(list(frozen.values()))
    document = freeze.document(name, title, list(frozen.values()), source)
    variables = {node: _variables(seen[node], values[node], frozen[node], name, directory) for node in looks}
    adopting, notes = {}, {}
    with tempfile.TemporaryDirectory(prefix="instinct-fleet-export-") as folder:
        path = Path(folder, "releases", f"{name}.yml")
        path.parent.mkdir()
        path.write_text(_yaml(document), encoding="utf-8")
        for node, look in looks.items():
            plan = planning.plan_node(look, _pinned(values[node], variables[node], folder), planning.ROLES)
            adopting[node] = freeze.refuse_change(node, plan.plans.values())
            notes[node] = tuple(dict.fromkeys(note for part in plan.plans.values() for note in part.notes))
    return Export(document, variables, adopting, notes)


def _refuse_name(name: str) -> None:
    if not re.fullmatch(RELEASE_NAME, name, re.ASCII):
        raise FleetError("fleet_export_name", f"is {name!r}, which does not match {RELEASE_NAME}",
                         "write it as site-2026-11")
    if name in read((), name)["names"]:
        raise FleetError("fleet_export_name", f"the collection itself has a release {name}", "choose another name")


def _dirs(values: Values) -> tuple[str, ...]:
    return tuple(values["gpu_release"]["gpu_release_catalogue_dirs"])


def _variables(look: WholeLook, values: Values, frozen: freeze.Frozen, name: str, directory: str) -> dict[str, t.Any]:
    """What the inventory must say for the node to stay as it is: only what it does not say already."""
    rocm, release = values["rocm_userspace"], values["gpu_release"]
    wanted = {
        "gpu_release_name": name,
        "gpu_release_catalogue_dirs": list(dict.fromkeys([*_dirs(values), directory])),
        "gpu_release_accept": list(dict.fromkeys([*release["gpu_release_accept"], freeze.CONFIDENCE])),
        "gpu_release_kernel": frozen.kernel,
        "rocm_userspace_components": list(freeze.components(
            catalogue(_dirs(values)), look, rocm["rocm_userspace_components"], frozen)),
    }
    gid = look.devices.groups.get("render")
    if gid is not None:
        wanted["rocm_userspace_render_gid"] = gid
    said = {**rocm, **release}
    return {key: value for key, value in wanted.items() if key == "gpu_release_name" or said.get(key) != value}


def _pinned(values: Values, variables: t.Mapping[str, t.Any], folder: str) -> Values:
    """The variables of a node that is pinned to the export, which for now lies in ``folder``."""
    pinned = {role: {**of_role, **{k: v for k, v in variables.items() if k in of_role}}
              for role, of_role in values.items()}
    pinned["gpu_release"]["gpu_release_catalogue_dirs"] = [*_dirs(values), folder]
    return pinned


def described(text: str) -> t.Any:
    """What a release file says, but for where it was measured; None if it is none."""
    try:
        data = yaml.safe_load(text)
    except yaml.YAMLError:
        return None
    return data.get("release") if isinstance(data, dict) else None
