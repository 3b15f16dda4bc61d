# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulated node in a folder: its sysfs, the vendor's binding of one ROCm, and the simulated library under it."""

from __future__ import annotations

import compileall
import contextlib
import functools
import hashlib
import io
import shutil
import subprocess
import sys
import tempfile
import typing as t
from pathlib import Path

from ansible_collections.instinct.fleet.plugins.module_utils._node.command import Command
from ansible_collections.instinct.fleet.plugins.module_utils._node.machine import Machine
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree

ROOT = Path(__file__).resolve().parents[3]
SIMULATOR = ROOT / "tests" / "simulator"
sys.path.insert(0, str(SIMULATOR / "node"))

from instinct_sim import cli  # noqa: E402

# ROCm release -> binding as republished, which is the vendor's own file by file.
BINDINGS = {"6.2.4": "6.2.4", "6.4.4": "6.4.4", "7.0.2": "7.0.2"}
# And those that are derived of one, for what later ones took away.
GENERATIONS = {**BINDINGS, "10.1": "10.1-derived", "11.0": "11.0-derived"}


def _run(*argv: str | Path) -> str:
    return subprocess.run([sys.executable, *map(str, argv)], check=True, capture_output=True, text=True).stdout


@functools.cache
def binding(rocm: str) -> Path:
    """Return the folder of a binding. It is compiled: programs that import it do not do so, each anew."""
    folder = Path(_run(SIMULATOR / "smi" / "build.py", "--fetch", GENERATIONS[rocm]).strip())
    compileall.compile_dir(folder / "amdsmi", quiet=2)
    return folder


@functools.cache
def _built(rocm: str) -> Path:
    """Return the library made for a binding. Made once for all tests, of all processes, until a source changes."""
    sources = sorted(path for path in (SIMULATOR / "smi").iterdir() if path.is_file())
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:12]
    libraries = ROOT / ".cache" / "sim" / "libraries"
    folder = libraries / f"{GENERATIONS[rocm]}-{digest}"
    if not folder.exists():
        libraries.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=libraries) as made, contextlib.suppress(OSError):  # another was faster
            _run(SIMULATOR / "smi" / "build.py", "--binding", binding(rocm), "--out", Path(made) / "out")
            (Path(made) / "out").rename(folder)
    return folder / "libamd_smi.so"


class SimulatedNode(Tree):
    """A tree with GPUs whose library runs."""

    def __init__(self, root: Path, product: str = "mi300x", gpus: int = 2) -> None:
        super().__init__(root / "root")
        self.state = root / "state"
        self.simulator("create", "--product", product, "--gpus", str(gpus), "--loaded", "6.14.14",
                       "--sysfs", str(self.root / "sys"))

    def simulator(self, *words: str) -> str:
        """Run the simulator's own command on this node: in this process, for one of its own takes longer than its work."""
        said = io.StringIO()
        before, sys.argv = sys.argv, [str(SIMULATOR / "node" / "instinct-sim"), "--state", str(self.state), *words]
        try:
            with contextlib.redirect_stdout(said):
                status = cli.main()
        finally:
            sys.argv = before
        assert status == 0, words
        return said.getvalue()

    def status(self, function: str, code: int) -> None:
        """Let a call of the library answer a status."""
        self.simulator("fault", "status", f"call={function}", f"code={code}")

    def install(self, rocm: str) -> str:
        """Install a ROCm with binding and library as its packages do. Returns its prefix."""
        prefix = f"/opt/rocm-{rocm}"
        shutil.copytree(binding(rocm) / "amdsmi", self.write(f"{prefix}/share/amd_smi/x").parent / "amdsmi")
        shutil.copy(_built(rocm), self.write(f"{prefix}/lib/libamd_smi.so"))
        self.write(f"{prefix}/.info/version", f"{rocm}-56\n")
        self.link("/opt/rocm", f"rocm-{rocm}")
        return prefix

    def machine(self, **options: t.Any) -> Machine:
        """The machine, with real commands that know this node's state."""
        return Machine(root=str(self.root), starter=self._really_start, **options)

    def _really_start(self, argv: t.Sequence[str]) -> Command:
        return Command(["/usr/bin/env", f"INSTINCT_SIM_STATE={self.state}", *argv])
