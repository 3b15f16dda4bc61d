# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of a machine that need no machine: its disk's table, its GPUs, its processor, its archives, its command line."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys

import pytest
from simhost.errors import SimError
from simmachine import accel, disk, machines, silicon

MACHINE = machines.Machine("a", "mi300x", 8, 1536, 2222, "/base", "/repo", "/kernels")


def test_the_table_has_one_bootable_linux_partition():
    table = disk.partition_table(4096)
    assert len(table) == 66
    assert table[:5] == b"\x80\xfe\xff\xff\x83"
    assert int.from_bytes(table[8:12], "little") == 2048
    assert int.from_bytes(table[12:16], "little") == 4096
    assert table[-2:] == b"\x55\xaa"


@pytest.mark.parametrize(("product", "gpus", "words"), [
    ("mi300x", 8, ["device=0x74a1", "bus=0x05,0x26,0x46,0x65,0x85,0xa6,0xc6,0xe5", "minors=8", "gfx_target=90402", "numa=0,0,0,0,1,1,1,1"]),
    ("mi210", 2, ["device=0x740f", "bus=0x03,0x26", "minors=1", "gfx_target=90010"]),
    ("mi355x", 1, ["device=0x75a3", "gfx_target=90500", "vram_mib=294896"]),
])
def test_gpus_are_those_of_the_product(product, gpus, words):
    assert set(words) <= set(silicon.parameters(product, gpus).split())


def test_a_product_that_there_is_none_of_is_refused():
    with pytest.raises(SimError, match="there is no product 'mi999'"):
        silicon.parameters("mi999", 1)


def test_the_environment_decides_how_a_processor_is_made(monkeypatch):
    monkeypatch.setenv(accel.CHOICE, "tcg")
    assert accel.chosen() == "tcg"
    monkeypatch.setenv(accel.CHOICE, "hvf")
    with pytest.raises(SimError, match="INSTINCT_MACHINE_ACCEL is 'hvf'; there are kvm, tcg"):
        accel.chosen()


@pytest.mark.parametrize(("flags", "helped"), [("fpu vme svm nx", True), ("fpu vmx", True), ("fpu svm_lock hypervisor", False)])
def test_a_processor_helps_if_it_says_so(flags, helped):
    assert bool(accel.HELP.search(f"processor\t: 0\nflags\t\t: {flags}\nbugs\t:\n")) is helped


def test_a_machine_has_the_places_that_its_product_wants(monkeypatch, tmp_path):
    (tmp_path / "key.pub").write_text("ssh-ed25519 AAAA a, b\n", encoding="utf-8")
    monkeypatch.setattr(machines.nodes, "key", lambda: tmp_path / "key")
    words = machines.arguments(MACHINE, "tcg")
    assert [words[at + 1] for at, word in enumerate(words) if word == "-numa"] == ["node,memdev=m0,cpus=0", "node,memdev=m1"]
    assert words[words.index("-smp") + 1] == "1"
    assert "name=opt/instinct.fleet/key,string=ssh-ed25519 AAAA a,, b" in words
    assert any("hostfwd=tcp:127.0.0.1:2222-:22" in word for word in words)


def ask(tmp_path, path, away):
    """What the archives answer to one request."""
    here, there = socket.socketpair()
    here.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
    command = [sys.executable, machines.SERVE, tmp_path / "repo", tmp_path / "kernels", away]
    with here, there:
        subprocess.run(command, stdin=there, check=False, timeout=30)
        there.close()
        answer = b""
        with contextlib.suppress(ConnectionResetError):
            while piece := here.recv(65536):
                answer += piece
    return answer.decode()


@pytest.mark.parametrize(("path", "status", "text"), [
    ("/amdgpu/a", "200", "driver"), ("/kernel/k%2B1.deb", "200", "kernel"), ("/kernel/../repo/amdgpu/a", "404", ""),
    ("/nothing", "404", ""),
])
def test_archives_are_two_folders(tmp_path, path, status, text):
    for name, words in (("repo/amdgpu/a", "driver"), ("kernels/k+1.deb", "kernel")):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(words, encoding="utf-8")
    answer = ask(tmp_path, path, tmp_path / "away")
    assert answer.split(" ")[1] == status
    assert answer.endswith(text)


def test_archives_that_are_away_do_not_answer(tmp_path):
    (tmp_path / "away").touch()
    assert ask(tmp_path, "/amdgpu/a", tmp_path / "away") == ""
