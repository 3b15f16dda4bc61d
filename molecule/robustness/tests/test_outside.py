# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Repositories, clocks, disks, locks and holds: one sentence says what is wrong, and the next run ends right.

The node speaks German, as far as the machine that makes it has the sources of locales.
"""

from __future__ import annotations

import dataclasses as dc
import os
import re
import subprocess
import typing as t
from pathlib import Path

import clocks
from recovery import ends_right, sentence

testinfra_hosts = ["ansible://robust-outside"]

LEFT = "nothing was changed"
WANTED = r"amdgpu-dkms 1:6.16.13.30300300-2327507.22.04, .*: no repository of this node has them \(refreshing them: "
ANSWER = f"; see to it that the repository answers and is complete; {LEFT}"
CLOCK = f"; compare the clock of this node with the dates of that repository; {LEFT}"
ROOM = "no space is left on the device; make room there, then run again"
WORK = (
    "systemd-run --quiet --unit=other-apt python3 -c 'import fcntl, time; "
    'f = open("/var/lib/dpkg/lock-frontend", "w"); fcntl.lockf(f, fcntl.LOCK_EX); print(flush=True); time.sleep(900)'
    "' && until journalctl -q -u other-apt | grep -q python3; do sleep 0.2; done"
)
# Everything that a run might touch, in one digest.
STATE = (
    "{ find /etc /boot /opt /lib/modules /var/lib/dkms /var/lib/dpkg /var/lib/instinct /usr/src -xdev -type f "
    "-not -name '*lock*' -print0 2>/dev/null | sort -z | xargs -0 sha256sum; } | sha256sum"
)
KEY = Path(os.environ["MOLECULE_PROJECT_DIRECTORY"]) / ".cache/sim/ssh/id_ed25519"
SOURCES = Path("/usr/share/i18n")
GERMAN = "localedef -i de_DE -f UTF-8 de_DE.UTF-8; printf 'LANG=de_DE.UTF-8\\nLANGUAGE=de\\n' > /etc/default/locale"


@dc.dataclass(frozen=True)
class Case:
    """Commands that break and mend the node; the sentence; whether the node stays as it was.

    ``url`` is where the vendor's repositories are said to be, ``ahead`` whether the clock would be years ahead there.
    """

    sentence: str
    broken: str = "true"
    mended: str = "true"
    url: str = ""
    ahead: bool | None = None
    patience: int = 120
    unchanged: bool = True


CASES = {
    "the repositories do not answer": Case(
        WANTED + r"Failed to fetch http://127.0.0.1:9/amdgpu/.*\)" + ANSWER, url="http://127.0.0.1:9"),
    "the repositories are gone": Case(
        WANTED + r"The repository 'file:/srv/away/\S+ jammy Release' does not have a Release file\)" + ANSWER,
        url="file:///srv/away"),
    "the clock is ten years ahead": Case(
        WANTED + r"Release file for file:/srv/dates/\S+ is expired \(invalid since 36\d\dd .*\)\)" + CLOCK,
        "rm -rf /srv/dates", url="file:///srv/dates", ahead=True),
    "the clock is ten years behind": Case(
        WANTED + r"Release file for file:/srv/dates/\S+ is not valid yet \(invalid for another 36\d\dd .*\)\)" + CLOCK,
        "rm -rf /srv/dates", url="file:///srv/dates", ahead=False),
    "another process works on packages": Case(
        r"/var/lib/dpkg/lock-frontend: process \d+ \(python3\) works on packages \(waited 2 s\); "
        f"wait for it to end, then run again; {LEFT}",
        WORK, "systemctl stop other-apt", patience=2),
    "another hand holds a package": Case(
        "rocm-core: is on hold by another hand, and release rocm-7.2.3 needs another version; "
        "lift the hold if it is no longer meant: apt-mark unhold rocm-core",
        "apt-mark hold rocm-core", "apt-mark unhold rocm-core"),
    "the disk for temporary files is full": Case(
        r"/var/tmp/instinct-\S+: a copy of /etc/apt cannot be made: No space left on device; "
        "make room there, then run again",
        "mount -t tmpfs -o size=16k tmpfs /var/tmp", "umount /var/tmp"),
    "the disk for ROCm is full": Case(
        rf"/opt/rocm-7\.2\.3/\S+: {ROOM}",
        "mount -t tmpfs -o size=8k tmpfs /opt", "umount /opt", unchanged=False),
}


def put(host, folder: Path, place: str) -> None:
    """Copy a folder to the node."""
    known = host.backend.ansible_runner.get_variables(host.backend.get_hostname())
    reach = ["ssh", "-i", str(KEY), "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null"]
    reach += ["-o", "LogLevel=ERROR", f"root@{known['ansible_host']}"]
    with subprocess.Popen(["tar", "-C", str(folder), "-cz", "."], stdout=subprocess.PIPE) as tar:
        subprocess.run([*reach, f"mkdir -p {place} && tar -C {place} -xz"], stdin=tar.stdout, check=True)


def speak_german(host) -> None:
    """Every program of the node does, from the next login on. Its image has no sources of locales: these are ours."""
    if SOURCES.is_dir():
        put(host, SOURCES, str(SOURCES))
        host.check_output(GERMAN)
        assert "de_DE.utf8" in host.check_output("locale -a").split()


def variables(host, case: Case, folder: Path) -> dict[str, t.Any]:
    """What the run of a case is given, after the repositories that it names are on the node."""
    found: dict[str, t.Any] = {"gpu_release_lock_timeout": case.patience}
    if case.url:
        found["gpu_release_mirrors"] = {"https://repo.radeon.com": case.url}
    if case.ahead is not None:
        fingerprint = clocks.moved(folder, case.ahead)
        put(host, folder / "repo", case.url.removeprefix("file://"))
        found["gpu_release_keys"] = {"radeon": {"url": f"{case.url}/key.asc", "fingerprint": fingerprint}}
    return found


def test_one_sentence_says_what_is_wrong(host, tmp_path) -> None:
    name = host.backend.get_hostname()
    speak_german(host)
    for number, (title, case) in enumerate(CASES.items()):
        host.check_output(case.broken)
        before = host.check_output(STATE)
        said = sentence(name, variables(host, case, tmp_path / str(number)))
        assert re.fullmatch(case.sentence, said), f"{title}: {said}"
        assert not case.unchanged or host.check_output(STATE) == before, title
        host.check_output(case.mended)
    ends_right(host, name)
