# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Debian tree of a machine: dear, so made once, and kept as a tar file."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import typing as t
from pathlib import Path

from simhost import aptsources, images
from simhost.errors import SimError
from simhost.paths import cache

from . import recipe

HOOKS = (
    'rm -f "$1"/etc/apt/sources.list "$1"/etc/apt/sources.list.d/* "$1"/etc/apt/apt.conf.d/99mmdebstrap',
    'rm -f "$1"/etc/ssh/ssh_host_* "$1"/boot/grub/grub.cfg "$1"/var/cache/apt/*.bin; : > "$1"/etc/machine-id',
    'rm -rf "$1"/var/lib/apt/lists/*',
)


def early(folder: Path) -> None:
    """What must be there before the first package: it decides what of a kernel is unpacked and how it boots."""
    options = recipe.read()["initramfs"]
    texts = {
        "etc/dpkg/dpkg.cfg.d/instinct-sim": recipe.dpkg_options(),
        "etc/initramfs-tools/conf.d/instinct-sim": "MODULES=list\nCOMPRESS=zstd\nCOMPRESSLEVEL=1\nRESUME=none\n",
        "etc/initramfs-tools/modules": "".join(f"{module}\n" for module in options),
    }
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def build(target: Path, offered: Path, kernels: recipe.Kernels, say: t.Callable[[str], None]) -> None:
    """Make the tree, with the old kernel and what modules of both need to be compiled.

    Args:
        target: the tar file that is written.
        offered: repository of the kernels' packages, unsigned or not: what it holds was verified when it was fetched.

    Raises:
        SimError: mmdebstrap is not there or failed; the last lines of its log are shown.
    """
    if not shutil.which("mmdebstrap"):
        raise SimError("there is no mmdebstrap; tests/tools/bootstrap installs what is needed")
    say("machine: building the Debian tree")
    suite = recipe.read()["suite"]
    sources, settings = aptsources.of_this_machine(suite)
    names = [*recipe.read()["packages"], f"linux-image-{kernels.old}",
             f"linux-headers-{kernels.old}", *kernels.prerequisites()]
    target.parent.mkdir(parents=True, exist_ok=True)
    log = cache() / "machine.log"
    with tempfile.TemporaryDirectory(dir=cache()) as folder, open(log, "w", encoding="utf-8") as output:
        early(Path(folder) / "early")
        made = Path(folder) / "tree.tar"
        command = ["mmdebstrap", "--variant=minbase", "--mode=root", f"--include={','.join(names)}",
                   *(f"--aptopt={setting}" for setting in settings),
                   f'--setup-hook=cp -r --no-preserve=ownership {folder}/early/. "$1"/',
                   *(f"--customize-hook={hook}" for hook in HOOKS),
                   suite, str(made), *(source.line() for source in sources), f"deb [trusted=yes] copy://{offered} ./"]
        if subprocess.run(command, check=False, stdout=output, stderr=subprocess.STDOUT).returncode != 0:
            raise SimError(f"the Debian tree of machines cannot be built: {images.tail(log)} (whole log: {log})")
        made.replace(target)
