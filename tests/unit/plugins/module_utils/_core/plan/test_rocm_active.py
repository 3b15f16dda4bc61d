# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands that make one ROCm the active one."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Alternative, Rocm, RocmPrefix
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.rocm_active import activation, clearing

TOOL = "update-alternatives"


def prefix(path: str, *parts: str) -> RocmPrefix:
    return RocmPrefix(path, path.rpartition("-")[2], {part: f"{path}/{part}" for part in parts})


SEVEN, SIX = prefix("/opt/rocm-7.2.3", "bin", "lib"), prefix("/opt/rocm-6.4.2", "bin", "lib")
CORE, TEN = prefix("/opt/rocm/core-7.14", "bin", "lib"), prefix("/opt/rocm/core-10.0", "bin", "lib", "llvm")
BOTH = Alternative("rocm", "/opt/rocm", (SIX.path, SEVEN.path), SIX.path)
SMI = Alternative("amd-smi", "/usr/bin/amd-smi", (f"{SIX.path}/bin/amd-smi", f"{SEVEN.path}/bin/amd-smi"),
                  f"{SIX.path}/bin/amd-smi")
LIB = Alternative("rocm-lib", "/opt/rocm/lib", (f"{CORE.path}/lib",), f"{CORE.path}/lib")
TO_CORE = {"bin": f"{CORE.path}/bin", "lib": f"{CORE.path}/lib"}

CASES = [
    ("it is active", Rocm((SEVEN,), SEVEN.path, "link"), SEVEN, ()),
    ("it is not on disk", Rocm((SIX,), SIX.path, "link"), SEVEN, ()),
    ("another one is, and packages offer both", Rocm((SIX, SEVEN), SIX.path, "link", alternatives=(BOTH, SMI)), SEVEN, (
        (TOOL, "--set", "rocm", SEVEN.path), (TOOL, "--set", "amd-smi", f"{SEVEN.path}/bin/amd-smi"))),
    ("the other stream offers a program that it has", Rocm((SEVEN,), SEVEN.path, "link", alternatives=(
        Alternative("amd-smi", "/usr/bin/amd-smi", (f"{CORE.path}/bin/amd-smi",), f"{CORE.path}/bin/amd-smi",
                    (f"{SIX.path}/bin/amd-smi", f"{SEVEN.path}/bin/amd-smi")),
        Alternative("hipcc", "/usr/bin/hipcc", (f"{CORE.path}/bin/hipcc",), f"{CORE.path}/bin/hipcc"))), SEVEN, (
            (TOOL, "--install", "/usr/bin/amd-smi", "amd-smi", f"{SEVEN.path}/bin/amd-smi", "1"),
            (TOOL, "--set", "amd-smi", f"{SEVEN.path}/bin/amd-smi"))),
    ("nobody offers it", Rocm((SIX, SEVEN), SIX.path, "link"), SEVEN, (
        (TOOL, "--install", "/opt/rocm", "rocm", SEVEN.path, "1"), (TOOL, "--set", "rocm", SEVEN.path))),
    ("a folder with links alone is in the place of the link",
     Rocm((SEVEN,), None, "folder", TO_CORE, alternatives=(LIB,)), SEVEN, (
         (TOOL, "--remove-all", "rocm-lib"),
         ("find", "/opt/rocm", "-mindepth", "1", "-maxdepth", "1", "-type", "l", "-delete"), ("rmdir", "/opt/rocm"),
         (TOOL, "--install", "/opt/rocm", "rocm", SEVEN.path, "1"), (TOOL, "--set", "rocm", SEVEN.path))),
    ("the new layout, without links", Rocm((CORE,), CORE.path, "folder", alternatives=(LIB,)), CORE, (
        (TOOL, "--install", "/opt/rocm/bin", "rocm-bin", f"{CORE.path}/bin", "1"),
        (TOOL, "--set", "rocm-bin", f"{CORE.path}/bin"), (TOOL, "--set", "rocm-lib", f"{CORE.path}/lib"))),
    ("the new layout, as wanted", Rocm((CORE,), CORE.path, "folder", TO_CORE, alternatives=(LIB,)), CORE, ()),
    ("a part that the active one lacks goes", Rocm((CORE, TEN), TEN.path, "folder", {**TO_CORE, "llvm": f"{TEN.path}/llvm"}),
     CORE, ((TOOL, "--remove-all", "rocm-llvm"), ("rm", "-f", "/opt/rocm/llvm"))),
    ("the old stream is active in the folder of the new",
     Rocm((SEVEN, CORE), CORE.path, "folder", TO_CORE, alternatives=(BOTH,)), SEVEN,
     ((TOOL, "--install", "/opt/rocm/bin", "rocm-bin", f"{SEVEN.path}/bin", "1"),
      (TOOL, "--set", "rocm-bin", f"{SEVEN.path}/bin"),
      (TOOL, "--install", "/opt/rocm/lib", "rocm-lib", f"{SEVEN.path}/lib", "1"),
      (TOOL, "--set", "rocm-lib", f"{SEVEN.path}/lib"))),
]


@pytest.mark.parametrize(("rocm", "wanted", "commands"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_activation(rocm, wanted, commands):
    assert activation(rocm, wanted.path) == commands


@pytest.mark.parametrize(("rocm", "commands"), [
    (Rocm(), ()),
    (Rocm((CORE,), CORE.path, "folder"), ()),
    (Rocm((SEVEN,), SEVEN.path, "link"), (("rm", "-f", "/opt/rocm"),)),
    (Rocm((SEVEN, SIX), SIX.path, "link", alternatives=(BOTH, SMI)),
     ((TOOL, "--remove-all", "rocm"), ("rm", "-f", "/opt/rocm"))),
])
def test_clearing_takes_the_link_away(rocm, commands):
    assert clearing(rocm) == commands
