# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Small texts of a Linux system: os-release, modprobe.d, the kernel command line, cgroups, /proc/<pid>/status."""

from __future__ import annotations

import re
import shlex
import typing as t


def parse_os_release(text: str) -> dict[str, str]:
    """Read os-release: shell-like assignments. Lines that are none are skipped. source: os-release(5)"""
    values = {}
    for line in text.splitlines():
        name, equals, value = line.strip().partition("=")
        if equals and re.match(r"^[A-Z0-9_]+$", name):
            try:
                values[name] = " ".join(shlex.split(value))
            except ValueError:  # an open quote
                values[name] = value
    return values


def point_version(release: t.Mapping[str, str], debian_version: str | None) -> str | None:
    """Return the version with its point release: 24.04.3 from VERSION, 12.11 from debian_version.

    SLES writes 15-SP7 as VERSION, and 15.7 as VERSION_ID.
    """
    if release.get("ID") == "debian":
        text = (debian_version or "").strip()
        return text if re.match(r"^\d+(\.\d+)*$", text) else None
    found = (re.match(r"\d+(\.\d+)*", release.get(name, "")) for name in ("VERSION", "VERSION_ID"))
    return max((match[0] for match in found if match), key=len, default=None)


def blacklisting_lines(text: str, module: str) -> tuple[str, ...]:
    """Return the lines of a modprobe.d file that keep a module from being loaded. source: modprobe.d(5)"""
    lines = (line.split() for line in text.replace("\\\n", " ").splitlines())
    return tuple(" ".join(words) for words in lines if _blacklists(words, module))


def _blacklists(words: t.Sequence[str], module: str) -> bool:
    if len(words) < 2 or words[0].startswith("#") or words[1].replace("-", "_") != module:
        return False
    refuses = words[0] == "install" and re.match(r"^(/usr)?/?(s?bin/)?(true|false)$", " ".join(words[2:]))
    return words[0] == "blacklist" or bool(refuses)


def without_blacklist(text: str, module: str) -> str:
    """Return a modprobe.d file without the lines that keep a module from being loaded; all else stays as it is."""
    kept: list[str] = []
    logical: list[str] = []
    for line in text.splitlines(keepends=True):
        logical.append(line)
        if not line.endswith("\\\n"):
            kept += [] if _blacklists("".join(logical).replace("\\\n", " ").split(), module) else logical
            logical = []
    return "".join(kept + logical)


def blacklisting_arguments(cmdline: str, module: str) -> tuple[str, ...]:
    """Return the kernel arguments that keep a module from being loaded. source: kernel-parameters, modprobe(8)"""
    found = []
    for word in cmdline.split():
        name, _equals, value = word.partition("=")
        if name in ("modprobe.blacklist", "module_blacklist") and module in value.replace("-", "_").split(","):
            found.append(word)
    return tuple(found)


# A container's cgroup ends with its id; runtimes differ in what stands around it.
_CONTAINER = re.compile(r"(?:^|[/-])(?:docker|cri-containerd|crio|libpod|containerd)[-:/](?P<id>[0-9a-f]{12,64})")
_UNIT = re.compile(r"([^/]+\.(?:service|scope|slice))")


def cgroup_paths(cgroup: str, own: str = "") -> tuple[str, ...]:
    """Return the paths of a /proc/<pid>/cgroup text, the longest first.

    ``own`` is the text of process 1: where the whole machine is a container, its own path says nothing.
    """
    above = {line.split(":", 2)[0]: line.split(":", 2)[2].removesuffix("/init.scope")
             for line in own.splitlines() if line.count(":") >= 2}
    paths = []
    for number, _controllers, path in (line.split(":", 2) for line in cgroup.splitlines() if line.count(":") >= 2):
        paths.append(path.removeprefix(above.get(number, "")))
    return tuple(sorted(paths, key=len, reverse=True))


def unit(cgroup: str, own: str = "") -> str | None:
    """Return the systemd unit or container of a /proc/<pid>/cgroup text: ssh.service, container:0123456789ab."""
    paths = cgroup_paths(cgroup, own)
    for path in paths:
        container = _CONTAINER.search(path)
        if container:
            return f"container:{container['id'][:12]}"
    for path in paths:
        units = _UNIT.findall(path)
        if units:
            return str(next((u for u in reversed(units) if u.endswith(".service")), units[-1]))
    return None


def status_uid(status: str) -> int | None:
    """Return the real user id from /proc/<pid>/status."""
    match = re.search(r"^Uid:\s+(\d+)", status, re.MULTILINE)
    return int(match[1]) if match else None


def status_state(status: str) -> str | None:
    """Return the state letter from /proc/<pid>/status: Z for a process that ended and that nobody waited for."""
    match = re.search(r"^State:\s+([A-Za-z])\b", status, re.MULTILINE)
    return match[1] if match else None


def stat_started(stat: str) -> int | None:
    """Return the clock ticks after boot at which a process began, from /proc/<pid>/stat. source: proc(5), field 22"""
    fields = stat.rpartition(")")[2].split()
    return int(fields[19]) if len(fields) > 19 and fields[19].isdigit() else None


def boot_seconds(stat: str) -> int | None:
    """Return when the machine booted, in seconds since 1970, from /proc/stat."""
    match = re.search(r"^btime (\d+)", stat, re.MULTILINE)
    return int(match[1]) if match else None


def parse_accounts(text: str) -> dict[int, str]:
    """Read passwd or group: id -> name; the first name of an id counts."""
    names: dict[int, str] = {}
    for line in text.splitlines():
        fields = line.split(":")
        if len(fields) >= 4 and fields[2].isdigit():
            names.setdefault(int(fields[2]), fields[0])
    return names
