# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the simulator importable, and its library once for each pinned and each derived binding."""

from __future__ import annotations

import dataclasses as dc
import json
import os
import subprocess
import sys
import typing as t
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
SIMULATOR = HERE.parents[1] / "simulator"
sys.path[:0] = [str(SIMULATOR / "node"), str(SIMULATOR / "smi")]

import build  # noqa: E402
from instinct_sim import product  # noqa: E402
from instinct_sim.state import Store  # noqa: E402

BINDINGS = build.generations()


@dc.dataclass(frozen=True)
class Library:
    """A built library and the binding that it belongs to."""

    version: str
    path: Path
    binding: Path

    def run(self, program: str, store: Store, given: t.Any = None) -> t.Any:
        """What a program prints as JSON, under the unmodified binding; it reads ``given`` as JSON."""
        environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(self.binding),
            "ROCM_PATH": str(self.path.parents[1]),
            "INSTINCT_SIM_COMMAND": str(SIMULATOR / "node" / "instinct-sim"),
        }
        done = subprocess.run(
            [sys.executable, "-c", program],
            input=json.dumps(given),
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
            env={**environment, "INSTINCT_SIM_STATE": str(store.path)},
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@pytest.fixture(scope="session")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> t.Callable[[str], Library]:
    """Builds the library for a binding when it is first asked for."""
    made: dict[str, Library] = {}

    def library(version: str) -> Library:
        if version not in made:
            binding = build.fetch(version)
            out = tmp_path_factory.mktemp(version) / "lib"
            made[version] = Library(version, build.build(binding, out), binding)
        return made[version]

    return library


@pytest.fixture(params=BINDINGS)
def library(request: pytest.FixtureRequest, libraries: t.Callable[[str], Library]) -> Library:
    """The library of each binding in turn."""
    return libraries(request.param)


@pytest.fixture
def new_node(tmp_path: Path) -> t.Callable[..., Store]:
    """Makes nodes that have their driver loaded; keys can be given other values."""

    def make(name: str = "mi300x", gpus: int | None = None, **keys: str) -> Store:
        store = Store(tmp_path / f"{name}-{len(list(tmp_path.iterdir()))}" / "state")
        state = product.new_state(name, gpus)
        state.update({f"gpu{index}.bound": "1" for index in range(int(state["node.gpus"]))})
        store.create(
            {
                **state,
                "driver.state": "loaded",
                "driver.version": "6.14.14",
                "driver.srcversion": "51A0",
                "library.root": "yes",
                "node.command": str(SIMULATOR / "node" / "instinct-sim"),
                **{key.replace("__", "."): keys[key] for key in keys},
            }
        )
        return store

    return make
