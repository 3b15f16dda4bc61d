# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What rocminfo prints where it works, and where it does not."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.rocminfo import Agent, Info, parse

AGENTS = """\
ROCk module version 6.12.12 is loaded
HSA Agents
Agent 1
  Name:                    AMD EPYC 9654
  Device Type:             CPU
Agent 2
  Name:                    gfx942
  Uuid:                    GPU-XX
  Marketing Name:          AMD Instinct MI300X
  Device Type:             GPU
  Chip ID:                 29857(0x74a1)
  BDFID:                   1280
  Domain:                  1
  Pool Info:
    Pool 1
      Segment:                 GLOBAL; FLAGS: COARSE GRAINED
      Size:                    201310208(0xbffc000) KB
  ISA Info:
    ISA 1
      Name:                    amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-
"""


@pytest.mark.parametrize(("text", "expected"), [
    (AGENTS, Info(True, "6.12.12", agents=(
        Agent("gfx942", "AMD Instinct MI300X", "74a1", "0001:05:00.0", None, 201310208 * 1024),))),
    ("ROCk module is loaded\nUnable to open /dev/kfd read-write: Invalid argument\nroot is member of render group\n",
     Info(True, None, "Invalid argument")),
    ("ROCk module is NOT loaded, possibly no GPU devices\n", Info(False)),
    ("Unable to open /dev/kfd read-write: Permission denied\nann is not member of render group, the default DRM access group",
     Info(None, None, "Permission denied")),
    ("Agent 3\n  Device Type: GPU\n  Uuid: GPU-1f\n  BDFID: none\n", Info(
        agents=(Agent(None, None, None, None, "GPU-1f", None),))),
    ("nothing", Info()),
])
def test_parse(text: str, expected: Info) -> None:
    assert parse(text) == expected
