# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands before the text, in every form."""

from __future__ import annotations

import json

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.klog_prefix import Parsed, parse

TEXT = "amdgpu 0000:05:00.0: amdgpu: GPU reset begin!"
BOOT = "0123456789abcdef0123456789abcdef"

FORMS = [
    ("dmesg", f"[    1.234567] {TEXT}", Parsed(TEXT, "1.234567", 1.234567)),
    ("dmesg, long since boot", f"[1234567.000001] {TEXT}", Parsed(TEXT, "1234567.000001", 1234567.000001)),
    ("dmesg with callers", f"[    1.234567][    T1] {TEXT}", Parsed(TEXT, "1.234567", 1.234567)),
    ("dmesg with callers, apart", f"[    1.234567] [  C12] {TEXT}", Parsed(TEXT, "1.234567", 1.234567)),
    ("dmesg -d", f"[    1.234567 <    0.000012>] {TEXT}", Parsed(TEXT, "1.234567", 1.234567)),
    ("dmesg -r", f"<6>[    1.234567] {TEXT}", Parsed(TEXT, "1.234567", 1.234567, "kernel")),
    ("dmesg -r, no stamp", f"<3>{TEXT}", Parsed(TEXT, source="kernel")),
    ("dmesg -r of a program", "<30>systemd[1]: Started x", Parsed("systemd[1]: Started x", source="other")),
    ("dmesg -x", f"kern  :err   : [    1.234567] {TEXT}", Parsed(TEXT, "1.234567", 1.234567, "kernel")),
    ("dmesg -x of a program", "daemon:info  : [    1.234567] x", Parsed("x", "1.234567", 1.234567, "daemon")),
    ("dmesg -x -T", f"kern  :warn  : [Sat Jan  7 14:25:56 2023] {TEXT}", Parsed(TEXT, "Sat Jan  7 14:25:56 2023", None, "kernel")),
    ("dmesg -x iso", f"kern  :warn  : 2023-01-07T14:25:56,123456+00:00 {TEXT}",
     Parsed(TEXT, "2023-01-07T14:25:56,123456+00:00", None, "kernel")),
    ("dmesg -x, nothing", f"kern  :warn  : {TEXT}", Parsed(TEXT, source="kernel")),
    ("dmesg -T", f"[Sat Jan  7 14:25:56 2023] {TEXT}", Parsed(TEXT, "Sat Jan  7 14:25:56 2023")),
    ("dmesg -T in German", f"[Mo Mär 17 14:25:56 2025] {TEXT}", Parsed(TEXT, "Mo Mär 17 14:25:56 2025")),
    ("dmesg -e", f"[  +0.000012] {TEXT}", Parsed(TEXT, "  +0.000012")),
    ("dmesg -e, first of a minute", f"[Jan07 14:25] {TEXT}", Parsed(TEXT, "Jan07 14:25")),
    ("dmesg --time-format iso", f"2023-01-07T14:25:56,123456+00:00 {TEXT}", Parsed(TEXT, "2023-01-07T14:25:56,123456+00:00")),
    ("a record of /dev/kmsg", f"6,1234,5678900,-;{TEXT}", Parsed(TEXT, "5.678900", 5.6789, "kernel")),
    ("a record with a caller", f"3,1,0,-,caller=T1;{TEXT}", Parsed(TEXT, "0.000000", 0.0, "kernel")),
    ("a record of a program", "12,1,1000000,-;a\\x0ab\\xff", Parsed("a\nbÿ", "1.000000", 1.0, "other")),
    ("syslog", f"Nov 29 10:00:00 node1 kernel: [   12.300000] {TEXT}", Parsed(TEXT, "Nov 29 10:00:00", 12.3, "kernel")),
    ("syslog, no stamp", f"Nov  9 10:00:00 node1 kernel: {TEXT}", Parsed(TEXT, "Nov  9 10:00:00", None, "kernel")),
    ("journalctl -o short-precise", f"Nov  9 10:00:00.123456 node1 kernel: {TEXT}",
     Parsed(TEXT, "Nov  9 10:00:00.123456", None, "kernel")),
    ("syslog of a program", "Nov  9 10:00:00 node1 sshd[77]: [ 1.5] x", Parsed("[ 1.5] x", "Nov  9 10:00:00", None, "sshd")),
    ("syslog without a program", "Nov  9 10:00:00 node1 last message repeated 2 times",
     Parsed("node1 last message repeated 2 times", "Nov  9 10:00:00")),
    ("rsyslog, iso", f"2023-01-07T14:25:56.123456+01:00 node1 kernel: [   12.300000] {TEXT}",
     Parsed(TEXT, "2023-01-07T14:25:56.123456+01:00", 12.3, "kernel")),
    ("journalctl -o short-iso", f"2023-01-07T14:25:56+0100 node1 kernel: {TEXT}",
     Parsed(TEXT, "2023-01-07T14:25:56+0100", None, "kernel")),
    ("journalctl -o short-full", f"Sat 2023-01-07 14:25:56 UTC node1 kernel: {TEXT}",
     Parsed(TEXT, "Sat 2023-01-07 14:25:56 UTC", None, "kernel")),
    ("journalctl -o short-unix", f"1673098000.123456 node1 kernel: {TEXT}", Parsed(TEXT, "1673098000.123456", None, "kernel")),
    ("journalctl -o short-monotonic", f"[   12.345678] node1 kernel: {TEXT}", Parsed(TEXT, "12.345678", 12.345678, "kernel")),
    ("short-monotonic of a program", "[   12.345678] node1 systemd[1]: Started x",
     Parsed("Started x", "12.345678", 12.345678, "systemd")),
    ("a text that looks like host and program", "[   12.345678] kfd kfd: amdgpu: skipped device 1002:67df [x]: y",
     Parsed("kfd kfd: amdgpu: skipped device 1002:67df [x]: y", "12.345678", 12.345678)),
    ("no prefix", TEXT, None),
    ("no prefix, brackets", "[drm:psp_hw_start [amdgpu]] *ERROR* PSP create ring failed!", None),
    ("no prefix, a number", "12 errors", None),
    ("no prefix, angle", "<unknown>", None),
    ("nothing", "", None),
]


@pytest.mark.parametrize(("line", "expected"), [form[1:] for form in FORMS], ids=[form[0] for form in FORMS])
def test_a_line_is_taken_apart(line, expected):
    assert parse(line) == expected


def record(**fields):
    return {"_BOOT_ID": BOOT, "MESSAGE": TEXT, "_TRANSPORT": "kernel"} | fields


RECORDS = [
    (record(), Parsed(TEXT, "", None, "kernel", BOOT)),
    (record(_SOURCE_MONOTONIC_TIMESTAMP="1500000", __MONOTONIC_TIMESTAMP="1600000"), Parsed(TEXT, "1.500000", 1.5, "kernel", BOOT)),
    (record(_SOURCE_MONOTONIC_TIMESTAMP=None, __MONOTONIC_TIMESTAMP="1600000"), Parsed(TEXT, "1.600000", 1.6, "kernel", BOOT)),
    (record(__REALTIME_TIMESTAMP="1673098000123456", __MONOTONIC_TIMESTAMP=1600000),
     Parsed(TEXT, "1673098000.123456", 1.6, "kernel", BOOT)),
    (record(__MONOTONIC_TIMESTAMP="soon", __REALTIME_TIMESTAMP=[1]), Parsed(TEXT, "", None, "kernel", BOOT)),
    (record(MESSAGE=[103, 112, 117, 255]), Parsed("gpu\ufffd", "", None, "kernel", BOOT)),
    (record(MESSAGE=["a", "b"]), Parsed("a b", "", None, "kernel", BOOT)),
    (record(MESSAGE=[300, "a", {}]), Parsed("a", "", None, "kernel", BOOT)),
    (record(MESSAGE=None), Parsed("", "", None, "kernel", BOOT)),
    ({"MESSAGE": TEXT, "SYSLOG_IDENTIFIER": "kernel"}, Parsed(TEXT, "", None, "kernel")),
    (record(_TRANSPORT="syslog", SYSLOG_IDENTIFIER="sshd"), Parsed(TEXT, "", None, "sshd", BOOT)),
    (record(_TRANSPORT="syslog", SYSLOG_IDENTIFIER="kernel"), Parsed(TEXT, "", None, "syslog", BOOT)),
    ({"MESSAGE": TEXT, "SYSLOG_IDENTIFIER": ["a", "b"], "_BOOT_ID": 7}, Parsed(TEXT)),
    ({"__CURSOR": "s=1"}, Parsed("")),
    ({"answer": 42}, None),
]


@pytest.mark.parametrize(("fields", "expected"), RECORDS)
def test_a_record_of_the_journal(fields, expected):
    assert parse(json.dumps(fields)) == expected


@pytest.mark.parametrize(("line", "expected"), [
    ('{"__CURSOR":"s=1","MESSAGE":"GPU \\"x\\" lost","_BOO', Parsed('GPU "x" lost')),
    ('{"MESSAGE" : "a\\u00fcb", "x": ', Parsed("aüb")),
    ('{"MESSAGE":"a\\xb","x":', Parsed("a\\xb")),
    ('{"__CURSOR":"s=1"', None),
    ('{"a":' * 20000, None),
    ("{1}Poison is created", None),
])
def test_a_record_that_was_cut(line, expected):
    assert parse(line) == expected
