# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Small texts of a Linux system."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.formats import text

UBUNTU = 'PRETTY_NAME="Ubuntu 24.04.3 LTS"\nVERSION_ID="24.04"\nVERSION="24.04.3 LTS (Noble Numbat)"\nID=ubuntu\nID_LIKE=debian\n'
DEBIAN = "PRETTY_NAME='Debian GNU/Linux 12 (bookworm)'\nVERSION_ID=\"12\"\nVERSION=\"12 (bookworm)\"\nID=debian\n"


def test_parse_os_release_takes_quotes_off_and_skips_noise() -> None:
    noise = "# comment\n\nnot an assignment\nlower=1\n"
    assert text.parse_os_release(UBUNTU + noise) == {
        "PRETTY_NAME": "Ubuntu 24.04.3 LTS", "VERSION_ID": "24.04", "VERSION": "24.04.3 LTS (Noble Numbat)", "ID": "ubuntu",
        "ID_LIKE": "debian"}
    assert text.parse_os_release('NAME="open\n') == {"NAME": '"open'}


POINTS = [
    ("Ubuntu says it in VERSION", UBUNTU, "trixie/sid\n", "24.04.3"),
    ("Debian says it in a file of its own", DEBIAN, "12.11\n", "12.11"),
    ("testing has none", "ID=debian\n", "forky/sid\n", None),
    ("Debian without the file", DEBIAN, None, None),
    ("Rocky", 'ID="rocky"\nVERSION="9.6 (Blue Onyx)"\n', None, "9.6"),
    ("SLES says it in VERSION_ID", 'ID="sles"\nVERSION="15-SP7"\nVERSION_ID="15.7"\n', None, "15.7"),
    ("no VERSION", "ID=arch\n", None, None),
]


@pytest.mark.parametrize(("release", "file", "version"), [c[1:] for c in POINTS], ids=[c[0] for c in POINTS])
def test_point_version(release: str, file: str | None, version: str | None) -> None:
    assert text.point_version(text.parse_os_release(release), file) == version


LINES = [
    ("blacklist", "blacklist amdgpu\n", ("blacklist amdgpu",)),
    ("another module", "blacklist amdgpu_xcp\nblacklist nouveau\n", ()),
    ("a comment", "# blacklist amdgpu\n#blacklist amdgpu\n", ()),
    ("replaced by nothing", "install amdgpu /bin/false\n", ("install amdgpu /bin/false",)),
    ("replaced by true in /usr", "install amdgpu /usr/bin/true\n", ("install amdgpu /usr/bin/true",)),
    ("a real install command", "install amdgpu /sbin/modprobe --ignore-install amdgpu\n", ()),
    ("options", "options amdgpu vm_fragment_size=9\n", ()),
    ("over two lines", "blacklist \\\n  amdgpu\n", ("blacklist amdgpu",)),
]


@pytest.mark.parametrize(("content", "found"), [c[1:] for c in LINES], ids=[c[0] for c in LINES])
def test_blacklisting_lines(content: str, found: tuple[str, ...]) -> None:
    assert text.blacklisting_lines(content, "amdgpu") == found


ARGUMENTS = [
    ("one", "ro modprobe.blacklist=amdgpu quiet", ("modprobe.blacklist=amdgpu",)),
    ("in a list", "module_blacklist=ast,amdgpu", ("module_blacklist=ast,amdgpu",)),
    ("another", "modprobe.blacklist=ast amdgpu.runpm=0", ()),
    ("none", "", ()),
]


@pytest.mark.parametrize(("cmdline", "found"), [c[1:] for c in ARGUMENTS], ids=[c[0] for c in ARGUMENTS])
def test_blacklisting_arguments(cmdline: str, found: tuple[str, ...]) -> None:
    assert text.blacklisting_arguments(cmdline, "amdgpu") == found


ID = "0123456789abcdef" * 4
CGROUPS = [
    ("service", "0::/system.slice/slurmd.service\n", "slurmd.service"),
    ("step below a service", "0::/system.slice/slurmstepd.scope/job_1/step_0\n", "slurmstepd.scope"),
    ("login session", "0::/user.slice/user-1000.slice/session-3.scope\n", "session-3.scope"),
    ("user service", "0::/user.slice/user-1000.slice/user@1000.service/app.slice/train.service\n", "train.service"),
    ("docker under systemd", f"0::/system.slice/docker-{ID}.scope\n", f"container:{ID[:12]}"),
    ("docker by cgroupfs", f"0::/docker/{ID}\n", f"container:{ID[:12]}"),
    ("kubernetes", f"0::/kubepods.slice/kubepods-pod1.slice/cri-containerd-{ID}.scope\n", f"container:{ID[:12]}"),
    ("podman", f"0::/machine.slice/libpod-{ID}.scope/container\n", f"container:{ID[:12]}"),
    ("version 1", "12:devices:/system.slice/ssh.service\n1:name=systemd:/system.slice/ssh.service\n", "ssh.service"),
    ("root group", "0::/\n", None),
    ("nothing", "", None),
]


@pytest.mark.parametrize(("cgroup", "unit"), [c[1:] for c in CGROUPS], ids=[c[0] for c in CGROUPS])
def test_unit(cgroup: str, unit: str | None) -> None:
    assert text.unit(cgroup) == unit


def test_status_uid_is_the_real_one() -> None:
    assert text.status_uid("Name:\tpython3\nUid:\t1000\t0\t0\t0\n") == 1000
    assert text.status_uid("Name:\tpython3\n") is None


@pytest.mark.parametrize(("status", "state"), [
    ("Name:\tpython3\nState:\tZ (zombie)\n", "Z"), ("State:\tS (sleeping)\n", "S"), ("State:\t\n", None), ("", None)])
def test_status_state_is_its_letter(status: str, state: str | None) -> None:
    assert text.status_state(status) == state


def test_parse_accounts_reads_passwd_and_group() -> None:
    assert text.parse_accounts("root:x:0:0::/root:/bin/sh\ntoor:x:0:0::/:/bin/sh\nbad\n+::::\n") == {0: "root"}
    assert text.parse_accounts("render:x:105:alice,bob\nvideo:x:44:\n") == {105: "render", 44: "video"}


OWN = f"12:devices:/libpod_parent/libpod-{ID}\n0::/libpod_parent/libpod-{ID}/init.scope\n"
INSIDE = [
    ("a service of a machine that is a container", f"0::/libpod_parent/libpod-{ID}/system.slice/slurmd.service\n", "slurmd.service"),
    ("a container in it", f"0::/libpod_parent/libpod-{ID}/machine.slice/libpod-{'f' * 64}.scope\n", "container:ffffffffffff"),
    ("a process outside units", f"12:devices:/libpod_parent/libpod-{ID}\n0::/\n", None),
]


@pytest.mark.parametrize(("cgroup", "unit"), [c[1:] for c in INSIDE], ids=[c[0] for c in INSIDE])
def test_unit_does_not_count_the_container_that_is_the_machine(cgroup: str, unit: str | None) -> None:
    assert text.unit(cgroup, OWN) == unit


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("blacklist amdgpu\n", ""),
        ("# why\nblacklist amdgpu\nblacklist radeon\n", "# why\nblacklist radeon\n"),
        ("install amdgpu /bin/false\noptions amdgpu noretry=0\n", "options amdgpu noretry=0\n"),
        ("install amdgpu /usr/local/bin/load\n", "install amdgpu /usr/local/bin/load\n"),
        ("blacklist \\\namdgpu\noptions x \\\n  y=1\n", "options x \\\n  y=1\n"),
        ("# blacklist amdgpu\n", "# blacklist amdgpu\n"),
        ("alias a b\nblacklist amdgpu", "alias a b\n"),
        ("options x \\\n", "options x \\\n"),
        ("", ""),
    ],
)
def test_without_blacklist_leaves_everything_else_as_it_is(before: str, after: str) -> None:
    assert text.without_blacklist(before, "amdgpu") == after
    assert text.blacklisting_lines(after, "amdgpu") == ()


@pytest.mark.parametrize(("stat", "ticks"), [
    ("7 (a b) c) S 1 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 4711 1024 9", 4711), ("7 (x) S 1", None), ("", None)])
def test_stat_started(stat: str, ticks: int | None) -> None:
    assert text.stat_started(stat) == ticks


def test_boot_seconds() -> None:
    assert text.boot_seconds("cpu 1 2\nbtime 1700000000\nprocesses 5\n") == 1700000000
    assert text.boot_seconds("cpu 1 2\n") is None
