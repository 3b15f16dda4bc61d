# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bundles as a whole: what is told of each file, what is refused, and that a log of any size fits into memory."""

from __future__ import annotations

import dataclasses as dc
import gzip
import json
import pathlib
import tarfile
import tracemalloc
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.host import Clock, Host
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Driver, Kernel, Look, Os
from ansible_collections.instinct.fleet.plugins.plugin_utils import bundle
from ansible_collections.instinct.fleet.plugins.plugin_utils.bundle import Told, read

PATTERNS = [{"id": "no-room", "where": "kernel", "words": ["failed with error"],
             "patterns": [r"probe of (?P<bdf>[0-9a-f:.]+) failed with error -12"]}]
LINE = b"[   10.000001] amdgpu 0000:41:00.0: amdgpu: MODE1 reset is quiet and of no interest to anybody at all\n"
FAULT = b"[   11.000001] amdgpu: probe of 0000:41:00.0 failed with error -12\n"


def write(folder: pathlib.Path, files: t.Mapping[str, bytes | str]) -> str:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return str(folder)


def test_each_file_is_told_of_and_what_is_broken_takes_nothing_else_with_it(tmp_path: pathlib.Path) -> None:
    got = read(write(tmp_path / "gpu-a01.tar", {
        "uname.txt": "Linux gpu-a01 6.8.0-60-generic #63 SMP x86_64 GNU/Linux\n",
        "amd-smi-static.json": '[{"gpu": 0, "asic": {"mark',
        "core": bytes(range(256)) * 20,
        "poem.txt": "roses are red\n",
        "empty.txt": "",
    }), PATTERNS)
    assert got.name == "gpu-a01"
    assert got.told == (
        Told("amd-smi-static.json", "unreadable: is cut off"),
        Told("core", "unreadable: is no text"),
        Told("empty.txt", "unreadable: is empty, which tells nothing"),
        Told("poem.txt", "not understood"),
        Told("uname.txt", "kernel 6.8.0-60-generic"),
    )
    assert got.look.kernel is not None
    assert got.look.kernel.running == "6.8.0-60-generic"
    assert (got.look.gpus, got.look.driver, got.look.log) == (None, None, None)


def test_notes_tell_of_trees_in_one_line(tmp_path: pathlib.Path) -> None:
    got = read(write(tmp_path, {"topology/nodes/1/gpu_id": "7\n", "topology/nodes/1/properties": "simd_count 4\n",
                                "uname.txt": "6.8.0-60-generic\n"}), ())
    assert got.notes == ("uname.txt: kernel 6.8.0-60-generic", "2 files: KFD topology")


@pytest.mark.parametrize(("files", "what"), [
    ({}, "is empty; take a bundle"),
    ({"a": "roses\n"}, r"holds nothing that is understood \(a: not understood\)"),
    (dict.fromkeys("abcde", "roses\n"), "c: not understood and 2 more"),
    ({"a.json": '{"gpu": 0, "bdf": "0000:0'}, "a.json: unreadable: is cut off"),
])
def test_bundle_of_which_nothing_is_known_is_refused(files: dict[str, str], what: str, tmp_path: pathlib.Path) -> None:
    with pytest.raises(FleetError, match=what):
        read(write(tmp_path, files), PATTERNS)


def test_topology_that_does_not_fit_together_is_refused_in_one_sentence(tmp_path: pathlib.Path) -> None:
    with pytest.raises(FleetError, match="KFD topology: line not understood"):
        read(write(tmp_path, {"topology/nodes/1/gpu_id": "7\n", "topology/nodes/1/properties": "simd_count x\n"}), ())


def own() -> Look:
    return Look(os=Os(id="ubuntu", root=True), driver=Driver(loaded=True, version="6.12.12", parameters={"noretry": "0"}),
                host=Host(clock=Clock(1.5, True)), elapsed_ms={"os": 3})


@pytest.mark.parametrize("wrap", [lambda look: look, lambda look: {"changed": False, "look": look}])
def test_look_of_ours_comes_back_as_it_was(wrap: t.Callable[[t.Any], t.Any], tmp_path: pathlib.Path) -> None:
    text = json.dumps(wrap(dc.asdict(own())))
    assert read(write(tmp_path, {"look.json": text}), ()).look == own()


def test_other_files_fill_only_what_a_look_of_ours_has_not(tmp_path: pathlib.Path) -> None:
    got = read(write(tmp_path, {"look.json": json.dumps(dc.asdict(own())), "lsmod.txt": "Module Size Used by\next4 1 1\n",
                                "uname.txt": "6.8.0-60-generic\n"}), ()).look
    assert got.driver == own().driver
    assert isinstance(got.kernel, Kernel)


def test_look_of_another_version_is_named_as_unreadable(tmp_path: pathlib.Path) -> None:
    data = {**dc.asdict(own()), "novelty": 1}
    with pytest.raises(FleetError, match=r"look\.json: unreadable: has unknown keys novelty"):
        read(write(tmp_path, {"look.json": json.dumps(data)}), ())


def test_what_only_looks_like_a_look_is_named_as_unreadable(tmp_path: pathlib.Path) -> None:
    with pytest.raises(FleetError, match=r"look\.json: unreadable: is list, not a mapping"):
        read(write(tmp_path, {"look.json": '[{"schema": 1, "elapsed_ms": {}}]'}), ())


def stream(path: pathlib.Path, megabytes: int) -> None:
    """A packed archive with a log of so many MB, and a fault in its last line."""
    block = LINE * (1024**2 // len(LINE))
    unpacked = path.with_suffix(".log")
    with unpacked.open("wb") as log:
        for _number in range(megabytes):
            log.write(block)
        log.write(FAULT)
    with tarfile.open(path, "w:gz", compresslevel=1) as archive:
        archive.add(unpacked, "var/log/kern.log")
    unpacked.unlink()


def test_log_of_200_mb_is_read_to_its_end_in_bounded_memory(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Lines are counted, not matched: how fast patterns are is measured elsewhere, and here it would be minutes.
    monkeypatch.setattr(bundle.Bundle, "log", _counted)
    stream(tmp_path / "bundle.tar.gz", 200)
    tracemalloc.start()
    try:
        got = read(str(tmp_path / "bundle.tar.gz"), PATTERNS)
        assert tracemalloc.get_traced_memory()[1] < 16 * 1024**2
    finally:
        tracemalloc.stop()
    size = 200 * (1024**2 // len(LINE)) * len(LINE) + len(FAULT)
    assert got.told == (Told("var/log/kern.log", f"{size} bytes, none of them kept"),)


def _counted(_self: t.Any, _file: str, _head: str, chunks: t.Iterable[bytes]) -> str:
    return f"{sum(map(len, chunks))} bytes, none of them kept"


def test_known_lines_of_a_large_log_are_found_in_bounded_memory(tmp_path: pathlib.Path) -> None:
    stream(tmp_path / "bundle.tar.gz", 8)
    tracemalloc.start()
    try:
        got = read(str(tmp_path / "bundle.tar.gz"), PATTERNS)
        assert tracemalloc.get_traced_memory()[1] < 4 * 1024**2
    finally:
        tracemalloc.stop()
    assert got.look.log is not None
    assert [(hit.id, hit.subject, hit.count) for hit in got.look.log.hits] == [("no-room", "0000:41:00.0", 1)]
    assert got.look.log.read[0].lines == 8 * (1024**2 // len(LINE)) + 1


def test_text_that_is_too_large_and_no_log_is_named(tmp_path: pathlib.Path) -> None:
    (tmp_path / "bundle.gz").write_bytes(gzip.compress(b"[" + b" 1,\n" * (5 * 1024**2)))
    with pytest.raises(FleetError, match="is larger than 16 MiB and no log"):
        read(str(tmp_path / "bundle.gz"), ())


def test_names_without_any_ending_left_stay_whole(tmp_path: pathlib.Path) -> None:
    (tmp_path / ".tar.gz").write_bytes(b"6.8.0-60-generic\n")
    assert read(str(tmp_path / ".tar.gz"), ()).name == ".tar.gz"
