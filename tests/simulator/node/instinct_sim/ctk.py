# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A stand-in for amd-ctk of AMD's container toolkit: the commands cdi generate, cdi validate, cdi list and version.

It reads /sys, /dev and KFD as the real one does, and has its habits: errors are printed to standard output, and an
invalid specification is no error (status 0). source: ROCm/container-toolkit cmd/amd-ctk, internal/cdi, internal/amdgpu
"""

from __future__ import annotations

import argparse
import json
import os
import re
import stat
import typing as t
from pathlib import Path

from . import guard
from .errors import SimError
from .state import Store

PLACE = Path("/usr/local/bin/amd-ctk")
DEFAULT = "/etc/cdi/amd.json"
VERSION = "1.2.0-simulated"
PCI = "module/amdgpu/drivers/pci:amdgpu/[0-9a-fA-F][0-9a-fA-F][0-9a-fA-F][0-9a-fA-F]:*"


def install(command: str) -> None:
    """Put the stand-in where the real package puts its command.

    Raises:
        SimError: this is no simulated machine, or there is another command of that name.
    """
    if not guard.marked():
        raise SimError(f"this machine is not a simulated one ({guard.MARKER} is missing)")
    if os.path.lexists(PLACE):
        if os.path.realpath(PLACE) == os.path.realpath(command):
            return
        raise SimError(f"{PLACE} is there already, and not ours")
    PLACE.symlink_to(command)


def main(words: list[str]) -> int:
    """Run a command of amd-ctk; returns its status."""
    options = _parser().parse_args(words)
    state = Store().read()
    sys_root, dev_root = Path(state.get("node.sysfs") or "/sys"), Path(state.get("node.dev") or "/dev")
    try:
        return {"generate": _generate, "validate": _validate, "list": _list, "version": _version}[
            getattr(options, "what", None) or options.command
        ](options, sys_root, dev_root)
    except OSError as error:
        print(f"Failed to {getattr(options, 'what', 'run')} CDI spec, Error: {error}")
        return 1


def _parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="amd-ctk", description="AMD Container Toolkit CLI (simulated)")
    top.add_argument("-d", "--debug", "-debug", action="store_true")
    commands = top.add_subparsers(dest="command", required=True)
    commands.add_parser("version")
    cdi = commands.add_parser("cdi").add_subparsers(dest="what", required=True)
    cdi.add_parser("generate").add_argument("--output", "-output", default=DEFAULT)
    cdi.add_parser("validate").add_argument("--path", "-path", default=DEFAULT)
    cdi.add_parser("list")
    return top


def devices(sys_root: Path) -> list[list[str]]:
    """Nodes of each logical GPU below /dev: those that KFD knows, partitions beside the GPU that they are of.

    Raises:
        OSError: there is no driver.
    """
    os.stat(sys_root / "module/amdgpu/drivers")
    ids = _unique_ids(sys_root)
    groups: dict[str, list[tuple[int, list[str]]]] = {}
    for place in [*sorted(sys_root.glob(PCI)), *sorted(sys_root.glob("devices/platform/amdgpu_xcp_*"))]:
        names = sorted(path.name for path in place.glob("drm/*") if re.match(r"card|renderD", path.name))
        minors = [int(name[len("renderD") :]) for name in names if name.startswith("renderD")]
        if minors and minors[-1] in ids:
            groups.setdefault(ids[minors[-1]], []).append((minors[-1], [f"dri/{name}" for name in names]))
    return [names for group in groups.values() for _minor, names in sorted(group)]


def _unique_ids(sys_root: Path) -> dict[int, str]:
    """Number of a render node -> id of the GPU, from KFD."""
    found = {}
    for path in sys_root.glob("class/kfd/kfd/topology/nodes/*/properties"):
        text = path.read_text(encoding="utf-8")
        minor, unique = (
            re.search(rf"^{word}\s(\d+)", text, re.MULTILINE) for word in ("drm_render_minor", "unique_id")
        )
        if minor and unique and int(minor[1]) > 0:
            found[int(minor[1])] = unique[1]
    return found


def _node(dev_root: Path, name: str) -> dict[str, t.Any]:
    """A device node as the specification has it: Go leaves out numbers that are 0."""
    told = os.stat(dev_root / name)
    numbers = {"major": os.major(told.st_rdev), "minor": os.minor(told.st_rdev)}
    return {
        "path": f"/dev/{name}",
        "type": "c",
        **{key: number for key, number in numbers.items() if number},
        "fileMode": stat.S_IMODE(told.st_mode),
        "permissions": "rwm",
        "uid": 0,
        "gid": told.st_gid,
    }


def specification(sys_root: Path, dev_root: Path) -> dict[str, t.Any]:
    """The specification of what there is now.

    Raises:
        OSError: there is no driver, or a device node is missing.
    """
    kfd = _node(dev_root, "kfd")
    nodes = [[_node(dev_root, name) for name in names] for names in devices(sys_root)]
    every = [node for group in nodes for node in group]
    named = [*((str(number), group) for number, group in enumerate(nodes)), ("all", every)]
    return {
        "cdiVersion": "0.6.0",
        "kind": "amd.com/gpu",
        "devices": [{"name": name, "containerEdits": {"deviceNodes": [*group, kfd]}} for name, group in named],
        "containerEdits": {},
    }


def _generate(options: argparse.Namespace, sys_root: Path, dev_root: Path) -> int:
    path = Path(options.output)
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(specification(sys_root, dev_root), indent=2)
    path.write_text(f"{text}\n", encoding="utf-8")
    print(f"Generated CDI spec: {path}")
    return 0


def _validate(options: argparse.Namespace, sys_root: Path, dev_root: Path) -> int:
    """Says whether a file is what would be generated now. That it is not is no error."""
    print(f"Validating CDI spec: {options.path}")
    try:
        told = json.loads(Path(options.path).read_text(encoding="utf-8"))
    except ValueError as error:
        print(f"Failed to parse {options.path}, Err: {error}")
        return 1
    valid = told == specification(sys_root, dev_root)
    print("CDI spec is valid" if valid else "CDI spec is invalid\nPlease regenerate CDI spec")
    return 0


def _list(options: argparse.Namespace, sys_root: Path, dev_root: Path) -> int:
    found = devices(sys_root)
    print(f"Found {len(found)} AMD GPU {'device' if len(found) == 1 else 'devices'}")
    for number, names in enumerate(found):
        print(*(["amd.com/gpu=all"] if number == 0 else []), f"amd.com/gpu={number}", sep="\n")
        print(*(f"  /dev/{name}" for name in names if name.startswith("dri/renderD")), sep="\n")
    return 0


def _version(options: argparse.Namespace, sys_root: Path, dev_root: Path) -> int:
    print(f"Version: {VERSION}\nBuild Date: unknown\nGitCommit: none")
    return 0
