# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What follows from the devices of a node: files for containers and Slurm, and what Kubernetes and Slurm are told."""

from __future__ import annotations

import dataclasses as dc
import json
import typing as t

from ..module_utils._core.errors import FleetError
from ..module_utils._core.partition.cdi import cdi_spec
from ..module_utils._core.partition.gres import Gres, gres, slurm_node
from ..module_utils._core.partition.kubernetes import STRATEGIES, kubernetes
from ..module_utils._core.partition.shape import LogicalDevice
from . import agent_files, logical_devices

# source: ROCm/container-toolkit docs/container-runtime/cdi-guide.rst, build/rpmbuild.spec
CDI, TOOLKIT = "/etc/cdi/amd.json", "/usr/bin/amd-ctk"
SLURMD = "slurmd.service"
HEADER = "# Written by the role gpu_partition of instinct.fleet; changes are lost.\n"
SPEC: dict[str, t.Any] = {
    "devices": {"type": "list", "elements": "dict", "default": []},
    "cdi": {"type": "str", "choices": ["auto", "own", "toolkit", "none"], "default": "none"},
    "gres": {"type": "str", "default": ""},
    "slurm_node": {"type": "str", "default": ""},
    "slurm_name": {"type": "str", "default": ""},
    "slurm_parameters": {"type": "dict", "default": {}},
    "slurm_cores": {"type": "dict", "default": {}},
    "kubernetes": {"type": "str", "choices": list(STRATEGIES), "default": "single"},
}
Options = t.Mapping[str, t.Any]
Result = dict[str, t.Any]


@dc.dataclass(frozen=True)
class Cascade:
    """Attributes: the files, those of them that another program may write, what is told besides, whether AMD's toolkit
    was asked for, and notes."""

    files: tuple[agent_files.File, ...] = ()
    others: t.Mapping[str, str] = dc.field(default_factory=dict)
    values: t.Mapping[str, t.Any] = dc.field(default_factory=dict)
    toolkit: bool = False
    slurm: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def told(self, said: Result) -> Result:
        """What is returned besides, given what node_files returned."""
        written = [file["path"] for file in said.get("files", []) if file["changed"]]
        restart = [SLURMD] if set(written) & set(self.slurm) else []
        toolkit = self.toolkit or CDI in said.pop("left", [])
        return {"written": written, "restart": restart, "toolkit": toolkit, "notes": list(self.notes), **self.values}


def of(options: Options) -> Cascade:
    """What follows from the devices; nothing without any.

    Raises:
        FleetError: an option is not of its form, or a device that is there has no render node.
    """
    if not options["devices"]:
        return Cascade(values={"slurm": {}, "kubernetes": {}})
    devices = logical_devices.read(options["devices"])
    notes: list[str] = []
    files, values = [], {"slurm": {}, "kubernetes": dc.asdict(kubernetes(devices, options["kubernetes"]))}
    try:
        resources = gres(devices, logical_devices.cores(options["slurm_cores"], "gpu_partition_slurm_cores"))
        values["slurm"] = _slurm(options, resources)
        files = _files(options, devices, values["slurm"])
    except FleetError as error:
        if all(device.seen for device in devices):
            raise
        # The kernel gives out some numbers of nodes when they come: what would be written is known after the change.
        notes.append(f"what is written of the devices is not known before the change: {error.where}: {error.what}")
    others = {CDI: TOOLKIT} if options["cdi"] == "auto" else {}
    slurm = tuple(path for path in (options["gres"], options["slurm_node"]) if path)
    return Cascade(tuple(files), others, values, options["cdi"] == "toolkit", slurm, tuple(notes))


def _slurm(options: Options, resources: Gres) -> Result:
    """The lines of gres.conf and of slurm.conf."""
    line = slurm_node(options["slurm_name"], resources, options["slurm_parameters"]) if options["slurm_name"] else ""
    return {"gres": list(resources.lines), "definition": resources.definition, "node": line}


def _files(options: Options, devices: t.Sequence[LogicalDevice], slurm: Result) -> list[agent_files.File]:
    found = []
    if options["cdi"] in ("auto", "own"):
        found.append(agent_files.file(CDI, content=_cdi(cdi_spec(devices))))
    if options["gres"]:
        found.append(agent_files.file(options["gres"], content=HEADER + "".join(f"{line}\n" for line in slurm["gres"])))
    if options["slurm_node"]:
        if not slurm["node"]:
            raise FleetError("slurm_node", "has no name of the node", "set gpu_partition_slurm_name")
        found.append(agent_files.file(options["slurm_node"], content=f"{HEADER}{slurm['node']}\n"))
    return found


def _cdi(spec: t.Mapping[str, t.Any]) -> str:
    """The specification with a line for each device, so that a difference can be read."""
    devices = ",\n".join(f"  {json.dumps(device)}" for device in spec["devices"])
    rest = "".join(f" {json.dumps(key)}: {json.dumps(value)},\n" for key, value in spec.items() if key != "devices")
    return f'{{\n{rest} "devices": [\n{devices}\n ]\n}}\n'
