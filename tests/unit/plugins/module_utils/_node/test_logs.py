# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Logs of a node: where each is read from, and what comes back."""

from __future__ import annotations

import gzip
import json
import os
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Hit, Log, LogRead
from ansible_collections.instinct.fleet.plugins.module_utils._node import logs
from ansible_collections.instinct.fleet.plugins.module_utils._node.command import Ran
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree

GPU = "0000:05:00.0"
KERNEL = {"id": "no-memory", "where": "kernel", "words": ["probe"], "patterns": [r"probe of (?P<bdf>[0-9a-f:.]+) failed with error -12"]}
BUILD = {"id": "bad-build", "where": "dkms", "words": ["error:"], "patterns": ["has no member named .(?P<member>[a-z]+)"]}
PACKAGE = {"id": "no-build", "where": "packages", "words": ["dkms"], "patterns": [r"(?P<package>amdgpu-dkms) .*returned error exit status 10"]}
LINE = f"amdgpu: probe of {GPU} failed with error -12"
JOURNAL = ("journalctl --quiet --no-pager --output=json "
           "--output-fields=MESSAGE,_BOOT_ID,_TRANSPORT,SYSLOG_IDENTIFIER,_SOURCE_MONOTONIC_TIMESTAMP")
THIS, ALL = f"{JOURNAL} --dmesg", f"{JOURNAL} _TRANSPORT=kernel"
NO_RING = "there is no /dev/kmsg"
NO_JOURNAL, NO_DMESG = (f"{name} cannot be run: No such file or directory" for name in ("journalctl", "dmesg"))


def ring(first: int = 0, *texts: str) -> str:
    """What /dev/kmsg yields."""
    stamps = [1000 if first == 0 else 90_000_000, *(95_000_000 + i for i in range(len(texts)))]
    records = zip(range(first, first + 1 + len(texts)), stamps, ("Linux version 6.8.0", *texts))
    return "".join(f"6,{number},{stamp},-;{text}\n SUBSYSTEM=pci\n" for number, stamp, text in records)


def journal(*lines: tuple[str, str]) -> Ran:
    """What journalctl prints: boot and text of each line."""
    records = ({"MESSAGE": text, "_BOOT_ID": boot * 32, "_TRANSPORT": "kernel", "_SOURCE_MONOTONIC_TIMESTAMP": str(1000 + i)}
               for i, (boot, text) in enumerate(lines))
    return Ran(0, "".join(json.dumps(record) + "\n" for record in records), "")


def read(tree: Tree, *patterns: dict[str, t.Any], boots: str = "this", **options: t.Any) -> Log:
    """The section."""
    return logs.read(tree.machine(**options), patterns or (KERNEL,), boots)


def kernel(tree: Tree, boots: str = "this") -> tuple[str, int, bool | None, list[int], str | None]:
    """Origin, lines and completeness of the kernel's log, how often each thing was met, and what is not known."""
    seen = read(tree, boots=boots)
    (log,) = seen.read
    return log.origin, log.lines, log.complete, [hit.count for hit in seen.hits], seen.unknown.get("kernel")


def test_the_ring_of_the_kernel(tree: Tree) -> None:
    tree.write("/dev/kmsg", ring(0, LINE, "amdgpu 0000:26:00.0: amdgpu: ring gfx uses VM inv eng 0", LINE))
    assert read(tree) == Log(
        (LogRead("kernel", "kmsg", 4, True, 1),),
        (Hit("no-memory", "kernel", "kmsg", GPU, 2, 1, 3, {"bdf": GPU}, {}, (LINE,), "95.000000", "95.000002"),))
    assert tree.asked == []


def test_a_ring_that_lost_its_start_sends_to_the_journal(tree: Tree) -> None:
    tree.write("/dev/kmsg", ring(7))
    tree.commands[THIS] = journal(("a", "Linux version 6.8.0"), ("a", LINE))
    assert kernel(tree) == ("journal", 2, True, [1], None)


@pytest.mark.parametrize("journal", [None, Ran(0, "", ""), Ran(1, "", "No journal files were found.")], ids=["absent", "empty", "fails"])
def test_a_ring_that_lost_its_start_is_better_than_nothing(tree: Tree, journal: Ran | None) -> None:
    tree.write("/dev/kmsg", ring(7, LINE))
    if journal:
        tree.commands[THIS] = journal
    assert kernel(tree) == ("kmsg", 2, False, [1], None)


@pytest.mark.parametrize("content", [None, "", "no record\n"], ids=["absent", "empty", "something else"])
def test_without_a_ring_the_journal_tells(tree: Tree, content: str | None) -> None:
    if content is not None:
        tree.write("/dev/kmsg", content)
    tree.commands[THIS] = journal(("a", LINE))
    assert kernel(tree) == ("journal", 1, True, [1], None)


def test_without_both_dmesg_tells(tree: Tree) -> None:
    tree.commands["dmesg --raw"] = Ran(0, f"<6>[    0.000000] Linux version 6.8.0\n<3>[    9.000000] {LINE}\n", "")
    assert kernel(tree) == ("dmesg", 2, True, [1], None)


def test_nothing_tells(tree: Tree) -> None:
    assert read(tree) == Log(unknown={"kernel": f"{NO_RING}; {NO_JOURNAL}; {NO_DMESG}"})
    tree.commands = {THIS: Ran(0, "", ""), "dmesg --raw": Ran(1, "", "read kernel buffer failed: Operation not permitted")}
    assert read(tree).unknown == {
        "kernel": f"{NO_RING}; journal has no line of the kernel; dmesg: read kernel buffer failed: Operation not permitted"}


def test_all_boots_are_in_the_journal_alone(tree: Tree) -> None:
    tree.write("/dev/kmsg", ring(0, LINE))
    tree.commands[ALL] = journal(("a", LINE), ("b", "Linux version 6.8.0"), ("b", LINE))
    assert kernel(tree, "all") == ("journal", 3, True, [2], None)
    tree.commands = {}
    assert kernel(tree, "all") == ("kmsg", 2, True, [1], f"earlier boots are not known: {NO_JOURNAL}")


def test_no_time_is_left_for_it(tree: Tree) -> None:
    tree.write("/dev/kmsg", ring(0, LINE))
    assert read(tree, timeout=0.5).unknown["kernel"].startswith("the time is used up; ")


def test_a_log_that_takes_too_long_is_read_as_far_as_it_went(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    def pieces(path: str, end: float) -> t.Iterator[bytes]:
        yield ring(0, LINE, "something else").encode()
        raise logs.UnreadableError("the time is used up")

    tree.write("/dev/kmsg")
    machine = tree.machine()
    monkeypatch.setattr(machine, "pieces", pieces)
    seen = logs.read(machine, (KERNEL,), "this")
    assert [hit.count for hit in seen.hits] == [1]
    assert seen.unknown == {"kernel": "kmsg was read for 2 lines only: the time is used up"}


def test_only_what_is_asked_for_is_read(tree: Tree) -> None:
    tree.fill({"/dev/kmsg": ring(0, LINE), "/var/log/apt/term.log": "x\n"})
    assert logs.read(tree.machine(), (), "this") == Log()
    assert [log.where for log in read(tree, PACKAGE).read] == ["packages"]


def test_a_pattern_that_is_none(tree: Tree) -> None:
    tree.write("/dev/kmsg", ring(0))
    assert "pattern broken: is no regular expression" in read(tree, {**KERNEL, "id": "broken", "patterns": ["("]}).unknown["kernel"]


def test_more_kinds_of_lines_than_are_kept(tree: Tree) -> None:
    pattern = {**KERNEL, "patterns": [r"probe of (?P<bdf>[0-9a-f:.]+)"]}
    tree.write("/dev/kmsg", ring(0, *(f"probe of {n:04x}:05:00.0" for n in range(1001))))
    assert read(tree, pattern).unknown["kernel"].startswith("kmsg: 1 further lines matched: only the first 1000 ")


def test_the_newest_build_that_failed(tree: Tree) -> None:
    for version, member, age in (("6.8.5-1", "old", 100), ("6.12.12-2", "fresh", 50), ("6.10.5-1", "middle", 70)):
        log = tree.write(f"/var/lib/dkms/amdgpu/{version}/build/make.log", f"x.c:1:2: error: 'struct y' has no member named '{member}'\n")
        os.utime(log, (1_700_000_000 - age,) * 2)
    tree.folder("/var/lib/dkms/amdgpu/6.14.14-3/6.8.0/x86_64")
    seen = read(tree, BUILD)
    assert [(log.origin, log.lines) for log in seen.read] == [("/var/lib/dkms/amdgpu/6.12.12-2/build/make.log", 1)]
    assert [hit.groups for hit in seen.hits] == [{"member": "fresh"}]


def test_no_build_failed(tree: Tree) -> None:
    assert read(tree, BUILD) == Log()


TERM = "Log started: 2026-01-02  03:04:05\nSetting up amdgpu-dkms (1) ...\n subprocess of amdgpu-dkms (1) returned error exit status 10\n"


@pytest.mark.parametrize(("name", "data"), [
    ("apt/term.log", TERM.encode()), ("apt/term.log.1", TERM.encode()), ("apt/term.log.1.gz", gzip.compress(TERM.encode(), mtime=0)),
    ("dnf.log", TERM.encode()), ("dnf.rpm.log", TERM.encode()), ("dnf5.log.1", TERM.encode()), ("zypp/history", TERM.encode())])
def test_logs_of_package_managers(tree: Tree, name: str, data: bytes) -> None:
    tree.write(f"/var/log/{name}", data)
    tree.write("/var/log/apt/term.log", data if name == "apt/term.log" else b"")
    seen = read(tree, PACKAGE)
    assert [(log.origin, log.lines) for log in seen.read] == [(f"/var/log/{name}", 3)]
    assert [(hit.groups, hit.origin) for hit in seen.hits] == [({"package": "amdgpu-dkms"}, f"/var/log/{name}")]
    assert seen.unknown == {}


@pytest.mark.parametrize(("data", "why"), [
    (None, "there is no log of apt, dnf or zypper"), (b"text", "/var/log/apt/term.log.1.gz is damaged")])
def test_logs_of_package_managers_that_cannot_be_read(tree: Tree, data: bytes | None, why: str) -> None:
    if data:
        tree.write("/var/log/apt/term.log.1.gz", data)
    assert read(tree, PACKAGE) == Log(unknown={"packages": why})


def test_a_log_that_is_packed_too_well(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "_MOST_TEXT", 3 << 20)
    tree.write("/var/log/apt/term.log.1.gz", gzip.compress(b"line\n" * (1 << 20)))
    seen = read(tree, PACKAGE)
    assert seen.unknown["packages"].endswith("lines only: /var/log/apt/term.log.1.gz holds more than 3 MiB")
