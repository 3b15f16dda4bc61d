# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""podman, set up for machines without CAP_SYS_RESOURCE and with any cgroup layout."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import typing as t

from .errors import SimError
from .paths import LOCAL, hand_over

LABEL = "instinct.fleet=sim"
MOST = 16384  # of open files and of processes; podman's own wish (1048576) needs a capability that few machines grant


def configuration(nofile: int, nproc: int) -> str:
    """Text of containers.conf: runc, because crun refuses the hybrid cgroup layout; limits that may be set here."""
    return f"""[containers]
default_ulimits = ["nofile={nofile}:{nofile}", "nproc={nproc}:{nproc}"]
pids_limit = 0
log_driver = "k8s-file"
[network]
network_backend = "netavark"
[engine]
cgroup_manager = "cgroupfs"
runtime = "runc"
events_logger = "none"
"""


def within(limit: int) -> int:
    """The most that may be asked for where the hard limit is this."""
    return MOST if limit == resource.RLIM_INFINITY else min(limit, MOST)


def environment() -> dict[str, str]:
    """The environment for podman: ours, plus our containers.conf, which is written when it is not right."""
    path = LOCAL / "containers.conf"
    limits = (resource.getrlimit(kind)[1] for kind in (resource.RLIMIT_NOFILE, resource.RLIMIT_NPROC))
    text = configuration(*map(within, limits))
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        hand_over(LOCAL)
    return {**os.environ, "CONTAINERS_CONF": str(path)}


def run(*arguments: str, check: bool = True, **options: t.Any) -> subprocess.CompletedProcess[str]:
    """Run podman and return what it printed.

    Raises:
        SimError: there is no podman, or it failed and ``check`` is on.
    """
    if not shutil.which("podman"):
        raise SimError("there is no podman; tests/tools/bootstrap installs what is needed")
    options = {"capture_output": True, **options}
    done = subprocess.run(["podman", *arguments], check=False, text=True, env=environment(), **options)
    if check and done.returncode != 0:
        last = [line for line in (done.stderr or "").splitlines() if line.strip()][-1:]
        raise SimError(f"podman {arguments[0]} failed: {last[0] if last else f'status {done.returncode}'}")
    return done
