# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Arguments of a container as its engine takes them.

source: podman-run(1); docs.docker.com/reference/cli/docker/container/run; podman-systemd.unit(5)
"""

from __future__ import annotations

import typing as t

from ..tuning.setting import ENVIRONMENT
from .argument_rules import DEVICE, LIMIT, NETWORK, SECCOMP, SHARED
from .arguments import GROUP, QUADLET, Argument

_OPTIONS = {
    DEVICE: "--device={}", GROUP: "--group-add={}", LIMIT: "--ulimit={}", SHARED: "--shm-size={}",
    NETWORK: "--network={}", SECCOMP: "--security-opt=seccomp={}", ENVIRONMENT: "--env={}",
}
# Keys that Quadlet has had from its first version on (podman 4.4); all else goes to podman as it is.
_KEYS = {DEVICE: "AddDevice={}", ENVIRONMENT: "Environment={}"}


def text(arguments: t.Sequence[Argument], engine: str, image: str) -> list[str]:
    """Words for ``podman run`` and ``docker run``, image last; lines of [Container] for Quadlet, image first."""
    if engine == QUADLET:
        return [f"Image={image}", *(_line(argument) for argument in arguments)]
    return [*(_OPTIONS[argument.kind].format(argument.value) for argument in arguments), image]


def _line(argument: Argument) -> str:
    """One line of a unit, in which a per cent sign begins a specifier and a value with spaces stands in quotes."""
    value = argument.value.replace("%", "%%")
    if argument.kind == ENVIRONMENT:
        value = '"{}"'.format(value.replace("\\", "\\\\").replace('"', '\\"'))
    return (_KEYS.get(argument.kind) or f"PodmanArgs={_OPTIONS[argument.kind]}").format(value)
