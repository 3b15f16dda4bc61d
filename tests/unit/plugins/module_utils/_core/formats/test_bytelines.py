# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bytes become lines, whatever they are."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.bytelines import MOST, text_lines

CASES = [
    ("nothing", [b""], []),
    ("no chunk", [], []),
    ("lines, the last one open", [b"a\nb"], ["a", "b"]),
    ("an empty line is one", [b"a\n\nb\n"], ["a", "", "b"]),
    ("a line across chunks", [b"am", b"dg", b"pu\nx", b"\n"], ["amdgpu", "x"]),
    ("a character across chunks", [b"\xc3", b"\xbc\n"], ["ü"]),
    ("ends of serial consoles", [b"a\r\nb\r\r\nc\r"], ["a", "b", "c"]),
    ("an empty line of a serial console", [b"a\r\n\r\nb"], ["a", "", "b"]),
    ("progress of a package manager", [b"10%\r50%\rdone\n"], ["10%", "50%", "done"]),
    ("broken UTF-8", [b"a\xff\xfeb\n"], ["a\ufffd\ufffdb"]),
    ("a byte order mark", [b"\xef\xbb\xbfa\n", b"\xef\xbb\xbfb\n"], ["a", "\ufeffb"]),
    ("zeros", [b"a\0\0b\n\0\0\n"], ["ab", ""]),
    ("colours", [b"\x1b[32m[    1.0] \x1b[0m\x1b[1;31mamdgpu\x1b[K\n"], ["[    1.0] amdgpu"]),
    ("a title of a terminal", [b"\x1b]0;root@node\x07a\x1b]2;x\x1b\\b\n"], ["ab"]),
    ("what rsyslog makes of colours", [b"#033[31mred#033[0m\n"], ["red"]),
    ("what only looks so", [b"#0330 stays\n"], ["#0330 stays"]),
    ("an escape alone, a bell, a tab", [b"a\x1b\x07\tb\n"], ["a\tb"]),
]


@pytest.mark.parametrize(("chunks", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_lines(chunks, expected):
    assert list(text_lines(chunks)) == expected


@pytest.mark.parametrize("size", [1, 7, 1000, 65536, 10**6])
def test_a_line_without_an_end_is_cut_and_what_follows_is_whole(size):
    data = b"first\n" + b"x" * (5 * MOST) + b"\nlast\n"
    found = list(text_lines(data[i:i + size] for i in range(0, len(data), size)))
    assert found[0] == "first"
    assert found[1] == "x" * MOST
    assert found[2:] == ["last"]


def test_a_hole_of_zeros_takes_no_memory():
    held = []

    def chunks():
        yield b"before\n"
        for number in range(1000):
            held.append(number)
            yield b"\0" * 10000
        yield b"\nafter\n"

    assert list(text_lines(chunks())) == ["before", "", "after"]
    assert len(held) == 1000
