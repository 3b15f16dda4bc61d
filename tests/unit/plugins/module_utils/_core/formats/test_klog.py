# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines of kernel logs: repeated ones counted, wrapped ones joined, boots told apart."""

from __future__ import annotations

import json

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.klog import KernelLine, lines

A, B = "a" * 32, "b" * 32
RESET = "amdgpu 0000:05:00.0: amdgpu: GPU reset begin!"


def read(text):
    return list(lines([text.encode()]))


def texts(text):
    return [line.text for line in read(text)]


def boots(text):
    return [line.boot for line in read(text)]


def test_a_line_is_complete():
    assert read(f"[   12.500000] {RESET}\n") == [KernelLine(RESET, "12.500000", 0, 1, 12.5, "")]
    assert read("") == []


def test_a_byte_at_a_time():
    data = b"[    1.000000] a\r\n[    2.000000] b"
    assert [line.text for line in lines(data[i:i + 1] for i in range(len(data)))] == ["a", "b"]


REPEATED = [
    ("said by rsyslog", f"Nov 29 10:00:00 n kernel: {RESET}\nNov 29 10:00:01 n kernel: message repeated 3 times: [ {RESET}]\n",
     [(RESET, 1), (RESET, 3)]),
    ("with the stamp inside", f"Nov 29 10:00:01 n kernel: message repeated 2 times: [[   12.3] {RESET}]\n", [(RESET, 2)]),
    ("cut before its end", "Nov 29 10:00:01 n kernel: message repeated 2 times: [ GPU res\n", [("GPU res", 2)]),
    ("said by syslogd", f"Nov 29 10:00:00 n kernel: {RESET}\nNov 29 10:00:01 n last message repeated 4 times\n", [(RESET, 5)]),
    ("said bare", f"{RESET}\nlast message repeated 1 time\n", [(RESET, 2)]),
    ("said of nothing", "last message repeated 4 times\n", [("last message repeated 4 times", 1)]),
    ("only talked about", f"{RESET}\nmessage repeated often\n", [(RESET, 1), ("message repeated often", 1)]),
]


@pytest.mark.parametrize(("text", "expected"), [case[1:] for case in REPEATED], ids=[case[0] for case in REPEATED])
def test_a_repeated_line_is_counted(text, expected):
    assert [(line.text, line.times) for line in read(text)] == expected


LONG = "[   12.500000] amdgpu 0000:05:00.0: amdgpu: [gfxhub0] no-retry page fault (src_i"  # 80 characters
WRAPPED = [
    ("by a terminal, within a word", LONG[:80] + "\n" + ":0 ring:24)\n[   13.0] x\n", [LONG[15:80] + ":0 ring:24)", "x"]),
    ("by a terminal, twice", "[   12.500000] " + "y" * 65 + "\n" + "y" * 80 + "\nyz\n", ["y" * 145 + "yz"]),
    ("by a mail program, at a blank", "[    1.0] " + "w" * 80 + "\n[    2.0] " + "v" * 55 + "\nnext word\n",
     ["w" * 80, "v" * 55 + " next word"]),
    ("by a mail program, the longest line of all", "[    1.0] " + "v" * 57 + "\nnext word\n", ["v" * 57 + " next word"]),
    ("indented", LONG[:80] + "\n   :0\n", [LONG[15:80] + " :0"]),
    ("not: the line before is short", "[    1.0] short\nbare line\n", ["short", "bare line"]),
    ("not: no line has a prefix", "b" * 80 + "\nbare line\n", ["b" * 80, "bare line"]),
    ("not: a blank line between", LONG[:80] + "\n\nbare line\n", [LONG[15:80], "bare line"]),
    ("not: it names a device", LONG[:80] + "\namdgpu 0000:05:00.0: x\n", [LONG[15:80], "amdgpu 0000:05:00.0: x"]),
    ("not: it names a component", LONG[:80] + "\n[drm] x\n[drm:psp_start [amdgpu]] y\n",
     [LONG[15:80], "[drm] x", "[drm:psp_start [amdgpu]] y"]),
    ("not after the repetition of a line", LONG[:80] + "\nlast message repeated 2 times\nx\n", [LONG[15:80], "x"]),
    ("not for ever", LONG[:80] + "\n" + ("z" * 80 + "\n") * 5,
     [LONG[15:80] + "z" * 240, "z" * 80, "z" * 80]),
]


@pytest.mark.parametrize(("text", "expected"), [case[1:] for case in WRAPPED], ids=[case[0] for case in WRAPPED])
def test_a_wrapped_line_is_joined(text, expected):
    assert len(LONG) == 80
    assert texts(text) == expected


def test_a_joined_line_is_bounded():
    text = "[    1.0] " + "x" * 4000 + "\n" + "y" * 4010 + "\n"
    assert [len(line) for line in texts(text)] == [4096]


def test_fields_of_a_kmsg_record_are_no_lines():
    assert texts("6,1,1000,-;pci 0000:05:00.0: x\n SUBSYSTEM=pci\n DEVICE=+pci:0000:05:00.0\n6,2,2000,-;y\n") == [
        "pci 0000:05:00.0: x", "y"]
    assert texts("[    1.0] x\n a=b\n") == ["x", "a=b"]


def journal(*records):
    return "".join(json.dumps({"MESSAGE": text, "_BOOT_ID": boot, "_TRANSPORT": "kernel"} | (
        {} if seconds is None else {"__MONOTONIC_TIMESTAMP": str(int(seconds * 1e6))})) + "\n"
        for boot, seconds, text in records)


BANNER = "Linux version 6.8.0-44-generic (buildd@x) #44"
BOOTS = [
    ("one boot", "[    0.000000] microcode: updated early\n[    0.000000] Linux version 6.8.0\n[    1.0] x\n", [0, 0, 0]),
    ("marks of journalctl", f"-- Logs begin at Mon 2023-01-02. --\n-- Boot {A} --\nNov 29 10:00:00 n kernel: a\n"
     f"-- Boot {B} --\nNov 29 10:00:00 n kernel: {BANNER}\nNov 29 10:00:00 n kernel: b\n", [0, 1, 1]),
    ("marks of older ones", "Nov 29 10:00:00 n kernel: a\n-- Reboot --\nNov 29 10:00:00 n kernel: b\n-- No entries --\n", [0, 1]),
    ("what only looks like a mark", "a\n-- Boot now --\nb\n", [0, 0, 0]),
    ("boot ids", journal((A, 5, "a"), (A, 6, "b"), (B, 1, "c"), (None, 2, "d"), (B, 3, "e")), [0, 0, 1, 1, 1]),
    ("boot ids, and the banner within", journal((A, 0, BANNER), (B, 0, "early"), (B, 0, BANNER), (B, 1, "x")), [0, 1, 1, 1]),
    ("boot ids, stamps that fall back", journal((A, 500, "a"), (A, 1, "b")), [0, 0]),
    ("a banner, no stamps", f"a\n{BANNER}\nb\n{BANNER}\nc\n", [0, 1, 1, 2, 2]),
    ("a banner at time zero", f"[   40.0] a\n[    0.000000] {BANNER}\n[    1.0] b\n", [0, 1, 1]),
    ("a banner that somebody quotes", f"[   40.0] a\n[   41.0] {BANNER}\n", [0, 0]),
    ("two banners at time zero", f"[    0.000000] {BANNER}\n[    5.0] a\n[    0.000000] {BANNER}\n", [0, 0, 1]),
    ("stamps that fall back", "[  356.9] a\n[    6.5] b\n[    7.0] c\n", [0, 1, 1]),
    ("stamps a little out of order", "[   30.0] a\n[   29.9] b\n[   12.0] c\n", [0, 0, 1]),
    ("stamps of a slow console", "[  100.0] a\n[   80.0] b\n", [0, 0]),
    ("within the first seconds", "[    9.0] a\n[    1.0] b\n", [0, 0]),
    ("the clock jumps", "[Sat Jan  7 14:25:56 2023] a\n[Thu Jan  1 00:00:01 1970] b\n[Sat Jan  7 14:25:57 2023] c\n", [0, 0, 0]),
    ("the clock of syslog jumps", "Nov 29 10:00:00 n kernel: [   50.0] a\nJan  1 00:00:00 n kernel: [   51.0] b\n", [0, 0]),
    ("two marks, nothing between", f"a\n-- Boot {A} --\n-- Boot {B} --\nb\n", [0, 1]),
    ("a mark first", "-- Reboot --\na\n", [0]),
]


@pytest.mark.parametrize(("text", "expected"), [case[1:] for case in BOOTS], ids=[case[0] for case in BOOTS])
def test_boots_are_told_apart(text, expected):
    assert boots(text) == expected


def test_a_mark_of_syslogd_is_no_line():
    assert texts("a\n-- MARK --\nb\n") == ["a", "b"]
