# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What ldd says, and what it does not say. The texts are of ldd of Debian 12 (glibc 2.36)."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.ldd import answers

A, B, C = "/lib/liba.so.1", "/lib/libb.so.1", "/lib/libc.so.6"
FINE = f"{A}:\n\tlinux-vdso.so.1 (0x00007ffd)\n\tlibc.so.6 => {C} (0x00007f00)\n"
SILENT = ("an answer of ldd",)


@pytest.mark.parametrize(("text", "found"), [
    (f"{FINE}{B}:\n\t/lib64/ld-linux-x86-64.so.2 (0x00007f32)\n", {A: (), B: ()}),
    (f"{FINE}{B}:\n\tlibnl-3.so.200 => not found\n", {A: (), B: ("libnl-3.so.200",)}),
    (FINE, {A: (), B: SILENT}),
    (f"{FINE}{B}:\n\tnot a dynamic executable\n", {A: (), B: SILENT}),
    (f"{FINE}{B}:\n", {A: (), B: SILENT}),
    (f"{FINE}{B}:\n\nldd: exited with unknown exit code (139)\n", {A: (), B: SILENT}),
    (f"{B}:\n\tlibc.so.6 => {C} (0x00007f00)\n{A}:\nldd: {A}: No such file or directory\n", {A: SILENT, B: ()}),
])
def test_no_answer_is_no_good_one(text: str, found: dict[str, tuple[str, ...]]) -> None:
    assert answers("layer base", (A, B), text) == found


@pytest.mark.parametrize(("text", "why"), [
    ("", "it failed and did not say why"), ("\n", "it failed and did not say why"),
    ('level=error msg="exec: ldd: executable file not found in $PATH"\nError: exit status 1\n', "exit status 1: exec: ldd: executable file not found in $PATH"),
    ("/bin/other:\n\tlibc.so.6 => /lib/libc.so.6 (0x1)\n/usr/bin/env: bash: No such file or directory\n", "/usr/bin/env: bash: No such file or directory"),
])
def test_a_loader_that_cannot_be_asked_is_told(text: str, why: str) -> None:
    with pytest.raises(FleetError) as refusal:
        answers("layer base", (A, B, C), text)
    assert refusal.value.sentence == (f"layer base: its loader cannot be asked about {A}, {B}: {why}; "
                                      "let a layer have ldd and bash (libc-bin and bash of Debian, glibc-common and bash of RHEL)")
