# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The simulated libamd_smi.so and its binding, as the tree that amd-smi-lib installs."""

from __future__ import annotations

import shutil
import subprocess
import sys
import typing as t
from pathlib import Path

from . import podman
from .errors import SimError
from .images import Image
from .paths import ROOT, SIMULATOR, cache, digest, hand_over, lock

SMI = SIMULATOR / "smi"
INSIDE = "/instinct/tests/simulator/smi"


def sources() -> list[Path]:
    """What the library is made of, for digests."""
    return [SMI]


def python() -> str:
    """An interpreter that has pip, to fetch the binding: that of the tools, if they are there."""
    tools = ROOT / ".cache" / "venv" / "bin" / "python"
    return str(tools) if tools.exists() else sys.executable


def fetch(version: str) -> Path:
    """Folder of the unmodified binding of that version.

    Raises:
        SimError: it cannot be had.
    """
    command = [python(), str(SMI / "build.py"), "--fetch", version]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise SimError((done.stderr or done.stdout).strip().splitlines()[-1])
    hand_over(ROOT / ".cache" / "sim" / "bindings")
    return Path(done.stdout.strip())


def tree(binding: str, image: Image) -> Path:
    """The tree below a ROCm prefix, built in a node's image: its C library is the nodes' own.

    The library has the number that belongs to its binding, also in releases that no published binding exists for.

    Raises:
        SimError: the library cannot be built.
    """
    out = cache() / "smi" / digest(binding, image.base, *sources())
    if (out / "lib" / "libamd_smi.so").exists():
        return out
    found = fetch(binding)
    shutil.rmtree(out, ignore_errors=True)
    (out / "lib").mkdir(parents=True)
    package = found / "amdsmi"
    leave = shutil.ignore_patterns("__pycache__", "*.so*")
    shutil.copytree(package, out / "share" / "amd_smi" / "amdsmi", ignore=leave)
    podman.run("run", "--rm", "--network=none", f"--volume={SMI}:{INSIDE}:ro", f"--volume={found}:/binding:ro",
               f"--volume={out / 'lib'}:/out", image.base, "python3", "-B", f"{INSIDE}/build.py",
               "--binding", "/binding", "--out", "/out")
    return out


def build(releases: t.Iterable[t.Mapping[str, t.Any]], image: Image) -> dict[str, Path]:
    """Tree of amd-smi-lib for each ROCm release.

    Raises:
        SimError: one of them cannot be built.
    """
    with lock("smi"):
        return {release["release"]: tree(release["binding"], image)
                for release in releases}
