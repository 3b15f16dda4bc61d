# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a file is: by its content first, by its name where that does not tell."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.bundle.kind import (
    binary,
    kind_of,
    pieces,
    wishes,
)

KINDS = [
    ("x", "[    5.1] no stamp of a kernel", None),
    ("x", "[    5.100000] pci 0000:05:00.0: BAR 0", "kernel log"),
    ("x", "[Sat Jan  7 14:25:56 2023] amdgpu 0000:e3:00.0: amdgpu: x", "kernel log"),
    ("x", "<6>[drm] x\n<6>amdgpu: x", "kernel log"),
    ("var/log/kern.log.1", "Sep  2 04:00:11 host x: words", "kernel log"),
    ("sos_commands/kernel/dmesg_-T", "words", "kernel log"),
    ("x", "6,0,0,-;Linux version 6.1.0-56-amd64", "kernel log"),
    ("x", "30,812,5000113,-,caller=T1;systemd[1]: x", "kernel log"),
    ("x", '{"_TRANSPORT":"kernel","MESSAGE":"x"}', "kernel log"),
    ("var/lib/dkms/amdgpu/6.12.12/build/make.log", "words", "build log"),
    ("x", "DKMS make.log for amdgpu", "build log"),
    ("var/log/apt/term.log", "words", "package manager log"),
    ("x", "Setting up amdgpu-dkms (1:6.12) ...", "package manager log"),
    ("sos_commands/dkms/dkms_status", "", None),
    ("sos_commands/dkms/dkms_status", "nothing known", "dkms status"),
    ("sos_commands/pci/lspci_-nnvv", "nothing known", "lspci"),
    ("sos_commands/pci/lspci_-tv", "-[0000:00]-+-00.0", "lspci tree"),
    ("installed-debs", "nothing known", "packages"),
    ("installed-rpms", "amdgpu-dkms-6.7.0-1.el8.noarch Mon", "packages"),
    ("proc/cmdline", "root=/dev/sda1 ro", "kernel command line"),
    ("sos_commands/kernel/uname_-a", "words", "uname"),
    ("x", "6.8.0-60-generic\n", "uname"),
    ("x", "6.8.0-60-generic\n6.8.0-61-generic\n", None),
    ("lsmod", "x", "lsmod"),
    ("x", "# Title of a text", None),
    ("dmesg.md", "# Title of a text", None),
    ("plugin_cmdline.json", "{}", None),
    ("amd-smi_metric.csv", "a,b", "amd-smi"),
    ("x", "libibverbs: Warning: x", "program log"),
    ("dmesg.txt", "dmesg: read kernel buffer failed: Operation not permitted\n", None),
    ("lsmod.txt", "timeout: failed to run command 'lsmod': No such file or directory\n", None),
    ("cmdline.txt", "cat: /proc/cmdline: Permission denied\n", None),
    ("journal-kernel.json", "No journal files were opened due to insufficient permissions.\n", None),
    ("journalctl", "Hint: You are currently not seeing messages from other users and the system.\n      Users in groups "
     "'adm', 'systemd-journal' can see all messages.\n      Pass -q to turn off this notice.\n"
     "No journal files were opened due to insufficient permissions.\n", None),
    ("dmesg.txt", "one\ntwo\nthree\nls: x: No such file or directory\n", "kernel log"),
]


@pytest.mark.parametrize(("file", "head", "expected"), KINDS)
def test_kind_of(file: str, head: str, expected: str | None) -> None:
    kind = kind_of(file, head)
    assert (kind.name if kind else None) == expected


@pytest.mark.parametrize(("text", "expected"), [('{"plugins": {}}', True), ("#!/bin/sh\n", True), ("amdgpu", False)])
def test_wishes(text: str, expected: bool) -> None:
    assert wishes(text) is expected


@pytest.mark.parametrize(("text", "expected"), [("\x00" * 20, True), ("text\twith\ncolour \x1b[1m", False), ("\x00" * 3, False)])
def test_binary(text: str, expected: bool) -> None:
    assert binary(text) is expected


@pytest.mark.parametrize(("text", "expected"), [
    ("no prompt\n$ roses\n", [("t", "no prompt\n$ roses\n")]),
    ("$ uname -r\n6.8\n", [("t: uname -r", "6.8\n")]),
    ("before\nroot@node:~# sudo cat /proc/cmdline\nro\n$ ls -la /dev/kfd\nc\n",
     [("t", "before\n"), ("t: /proc/cmdline", "ro\n"), ("t: /dev/kfd", "c\n")]),
])
def test_pieces_of_a_terminal(text: str, expected: list[tuple[str, str]]) -> None:
    assert pieces("t", text) == expected
