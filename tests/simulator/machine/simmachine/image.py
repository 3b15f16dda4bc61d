# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The disk image of machines, from three layers that are made only when their contents have changed."""

from __future__ import annotations

import dataclasses as dc
import json
import os
import shutil
import subprocess
import tempfile
import typing as t
from pathlib import Path

from simhost import images, nodes, repository
from simhost.errors import SimError
from simhost.paths import SIMULATOR, cache, digest, lock

from . import archive, disk, recipe, tree

RELEASE = "7.0.2"  # of ROCm: what a machine is in use with when it starts for the first time
FOLDER = "machine"


@dc.dataclass(frozen=True)
class Image:
    """What a machine starts from.

    Attributes:
        disk: the disk image; machines write to overlays of it.
        repository: what the host serves as the vendor's and the distribution's archives.
        kernels: the same for the kernels' packages.
    """

    disk: Path
    repository: Path
    kernels: Path
    names: recipe.Kernels


# Files of container nodes that machines have too -> where they lie in a machine.
SHARED = {name: name for name in ("etc/ssh/sshd_config.d/instinct-sim.conf",
                                  "usr/lib/python3/dist-packages/instinct_kept.py",
                                  "usr/lib/python3/dist-packages/instinct_kept.pth")}
SHARED["usr/share/instinct-sim/grub-probe"] = "usr/share/instinct-machine/grub-probe"


def build(say: t.Callable[[str], None] = lambda text: None) -> Image:
    """Make what is missing.

    Raises:
        SimError: something of it cannot be made.
    """
    node = images.build(recipe.read()["suite"], say)
    served = repository.build(say)
    names = recipe.kernels(node.kernels)
    debian = digest(json.dumps(recipe.read(), sort_keys=True), names.old, names.new)
    own = [recipe.HERE / name for name in ("bus", "tree", "setup")]
    own += [images.HERE / "tree" / name for name in SHARED]
    whole = digest(debian, served.name, *own, *images.RUNTIME, SIMULATOR / "packages" / "driver" / "silicon.h")
    folder = cache() / FOLDER
    found = Image(folder / f"disk-{whole}.qcow2", served, folder / f"kernels-{debian}", names)
    with lock("machine"):
        if not (found.kernels / "complete").exists():
            say("machine: packing the kernels")
            archive.build(node.kernels, found.kernels)
        base = folder / f"tree-{debian}.tar"
        if not base.exists() and not found.disk.exists():
            tree.build(base, found.kernels, names, say)
        if not found.disk.exists():
            say("machine: making the disk")
            provision(base, found)
    return found


def provision(base: Path, image: Image) -> None:
    """Turn the Debian tree into a GPU node, natively, and write it to the disk.

    Raises:
        SimError: the setup failed; the last lines of its log are shown.
    """
    with tempfile.TemporaryDirectory(dir=cache()) as folder:
        root = Path(folder) / "tree"
        root.mkdir(mode=0o755)
        disk.run("tar", "-C", root, "-xf", base)
        overlay(root)
        log = cache() / "machine.log"
        driver = nodes.drivers()[RELEASE]
        command = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-euc", INSIDE, "sh", str(root),
                   str(image.repository), str(image.kernels), image.names.old, image.names.new, RELEASE, driver,
                   *recipe.read()["compiled"]]
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "DISK_UUID": disk.UUID}
        with open(log, "w", encoding="utf-8") as output:
            done = subprocess.run(command, check=False, env=environment, stdout=output, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            raise SimError(f"the machine cannot be set up: {images.tail(log)} (whole log: {log})")
        for place in ("srv/repo", "srv/kernel"):
            (root / place).rmdir()
        (root / "setup").unlink()
        disk.make(root, image.disk, recipe.read()["disk_mib"])


# Mounts are of this namespace alone: nothing is left when it ends.
INSIDE = """
root=$1 repository=$2 kernels=$3
mount --make-rprivate /
mount -t proc proc "$root/proc"
mkdir -p "$root/srv/repo" "$root/srv/kernel"
mount --bind "$repository" "$root/srv/repo"
mount --bind "$kernels" "$root/srv/kernel"
shift 3
exec chroot "$root" /setup "$@"
"""


def overlay(root: Path) -> None:
    """Put our files over the Debian tree: those of machines, and those that container nodes have too."""
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(recipe.HERE / "tree", root, symlinks=True, dirs_exist_ok=True)
    shutil.copy(recipe.HERE / "setup", root / "setup")
    shutil.copytree(images.RUNTIME[0], root / "usr" / "lib" / "instinct-sim", ignore=ignore)
    work = root / "tmp" / "instinct-machine" / "bus"
    shutil.copytree(recipe.HERE / "bus", work)
    shutil.copy(SIMULATOR / "packages" / "driver" / "silicon.h", work)
    for source, target in SHARED.items():
        (root / target).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(images.HERE / "tree" / source, root / target)
    os.chmod(root / "tmp", 0o1777)
