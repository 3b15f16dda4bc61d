# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the real kmod knows: module files, their data, and the configuration of modprobe."""

from __future__ import annotations

import dataclasses as dc
import fnmatch
import re
import shutil
import subprocess
import typing as t
from pathlib import Path

from .errors import SimError


@dc.dataclass(frozen=True)
class Module:
    """A module file of one kernel."""

    path: str
    version: str  # empty for the distribution's own
    srcversion: str
    vermagic: str
    aliases: tuple[str, ...]
    firmware: tuple[str, ...]

    def drives(self, modalias: str) -> bool:
        """Whether it takes a device."""
        return any(fnmatch.fnmatchcase(modalias, alias) for alias in self.aliases)


@dc.dataclass(frozen=True)
class Config:
    """What modprobe.d and the kernel command line say of a module."""

    blacklisted: bool
    install: str  # a command that runs instead
    options: t.Mapping[str, str]


def run(*command: str, executable: str | None = None) -> tuple[int, str]:
    """Status and output of a command; 127 if there is no such command."""
    try:
        done = subprocess.run(command, executable=executable, check=False, capture_output=True, text=True)
    except FileNotFoundError:
        return 127, ""
    return done.returncode, done.stdout


def tool() -> str:
    """The real kmod, whose name decides what it does."""
    return shutil.which("kmod", path="/usr/bin:/bin:/usr/sbin:/sbin") or "kmod"


def module(name: str, kernel: str, base: str = "/") -> Module:
    """The module file that modprobe would load.

    Raises:
        SimError: modprobe's own words, if the kernel has no such module.
    """
    status, text = run("modinfo", *([] if base == "/" else ["-b", base]), "-k", kernel, name)
    if status != 0:
        raise SimError(f"modprobe: FATAL: Module {name} not found in directory /lib/modules/{kernel}")
    fields: dict[str, list[str]] = {}
    for line in text.splitlines():
        key, _, value = line.partition(":")
        fields.setdefault(key, []).append(value.strip())

    def first(key: str) -> str:
        return fields.get(key, [""])[0]

    return Module(
        first("filename"),
        first("version"),
        first("srcversion"),
        first("vermagic"),
        tuple(fields.get("alias", ())),
        tuple(fields.get("firmware", ())),
    )


def config(name: str, arguments: str, folder: str = "") -> Config:
    """What is configured for a module, by files and by the kernel's command line."""
    _status, text = run("modprobe", "--showconfig", *(["--config", folder] if folder else []), executable=tool())
    blacklisted = name in ",".join(re.findall(r"(?:^|\s)modprobe\.blacklist=(\S+)", arguments)).split(",")
    install, options = "", {}
    for line in text.splitlines():
        words = line.split(None, 2)
        if words[:2] == ["blacklist", name]:
            blacklisted = True
        elif words[:2] == ["install", name]:
            install = words[2]
        elif words[:2] == ["options", name]:
            options.update(pairs(words[2].split()))
    options.update(pairs(re.findall(rf"(?:^|\s){name}\.(\S+=\S*)", arguments)))
    return Config(blacklisted, install, options)


def pairs(words: t.Iterable[str]) -> dict[str, str]:
    """Module parameters from key=value words."""
    return {key: value for key, equals, value in (word.partition("=") for word in words) if equals}


def has_firmware(name: str, kernel: str, root: str = "/") -> bool:
    """Whether the kernel would find a firmware file, packed or not."""
    folders = (f"lib/firmware/updates/{kernel}", "lib/firmware/updates", f"lib/firmware/{kernel}", "lib/firmware")
    return any((Path(root) / folder / (name + ending)).exists() for folder in folders for ending in ("", ".xz", ".zst"))
