# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Node images: a Debian tree with one real kernel (dear, made once), and over it our own files (cheap)."""

from __future__ import annotations

import dataclasses as dc
import json
import shutil
import subprocess
import sys
import tempfile
import typing as t
from pathlib import Path

from . import aptsources, podman
from .errors import SimError
from .paths import SIMULATOR, cache, digest, lock

HERE = SIMULATOR / "images"
RUNTIME = (SIMULATOR / "node", SIMULATOR / "products")  # the second is a link in the first


@dc.dataclass(frozen=True)
class Image:
    """Names of the two layers of one suite's image, and the folder of the kernel packages that came with it."""

    suite: str
    base: str
    node: str
    kernels: Path


def recipe() -> dict[str, t.Any]:
    """The recipe file."""
    data: dict[str, t.Any] = json.loads((HERE / "recipe.json").read_text(encoding="utf-8"))
    return data


def suites() -> list[str]:
    """Names of the suites that there are images of."""
    return list(recipe()["suites"])


def names(suite: str) -> Image:
    """How the image of a suite is called, from the contents of what it is made of.

    A change of the code that builds it counts when the recipe's version says so.

    Raises:
        SimError: there is no recipe for it.
    """
    if suite not in suites():
        raise SimError(f"there is no image {suite!r}; there are {', '.join(suites())}")
    base = digest(suite, json.dumps(recipe(), sort_keys=True), HERE / "early")
    node = digest(base, HERE / "tree", HERE / "Containerfile", *RUNTIME)
    return Image(suite, f"localhost/instinct-sim-base-{suite}:{base}", f"localhost/instinct-sim-{suite}:{node}",
                 cache() / "kernels" / f"{suite}-{base}")


def have(image: str) -> bool:
    """Whether podman has it."""
    return podman.run("image", "exists", image, check=False).returncode == 0


def build_base(image: Image, say: t.Callable[[str], None]) -> None:
    """Make the Debian tree and keep the other kernels' packages.

    Raises:
        SimError: mmdebstrap is not there or failed; the last lines of its log are shown.
    """
    if not shutil.which("mmdebstrap"):
        raise SimError("there is no mmdebstrap; tests/tools/bootstrap installs what is needed")
    say(f"image {image.suite}: building the Debian tree")
    sources, settings = aptsources.of_this_machine(image.suite)
    shutil.rmtree(image.kernels, ignore_errors=True)
    image.kernels.mkdir(parents=True)
    log = cache() / f"image-{image.suite}.log"
    with tempfile.TemporaryDirectory(dir=cache()) as folder, open(log, "w", encoding="utf-8") as output:
        tar = Path(folder) / "tree.tar"
        hook = f'{sys.executable} {HERE}/build --kernels {image.suite} "$1" {image.kernels}'
        command = ["mmdebstrap", "--variant=minbase", "--mode=root", f"--include={','.join(recipe()['packages'])}",
                   *(f"--aptopt={setting}" for setting in settings),
                   f'--setup-hook=cp -r --no-preserve=ownership {HERE}/early/. "$1"/',
                   f"--customize-hook={hook}",
                   '--customize-hook=rm -f "$1"/etc/apt/sources.list "$1"/etc/apt/apt.conf.d/99mmdebstrap',
                   '--customize-hook=rm -f "$1"/etc/ssh/ssh_host_*; : > "$1"/etc/machine-id',
                   image.suite, str(tar), *(source.line() for source in sources)]
        if subprocess.run(command, check=False, stdout=output, stderr=subprocess.STDOUT).returncode != 0:
            raise SimError(f"the Debian tree of {image.suite} cannot be built: {tail(log)} (whole log: {log})")
        podman.run("import", "--quiet", "-c", "STOPSIGNAL SIGRTMIN+3", "-c", "ENV container=podman",
                   "-c", "ENV LANG=C.UTF-8", str(tar), image.base)
    (image.kernels / "complete").touch()


def tail(log: Path) -> str:
    """The last lines of a log, on one line."""
    return " / ".join(line.strip() for line in log.read_text(encoding="utf-8", errors="replace").splitlines()[-3:])


def build_node(image: Image, say: t.Callable[[str], None]) -> None:
    """Put our files over the Debian tree."""
    say(f"image {image.suite}: adding the node's own files")
    with tempfile.TemporaryDirectory(dir=cache()) as folder:
        context = Path(folder)
        shutil.copytree(HERE / "tree", context / "tree", symlinks=True)
        shutil.copytree(RUNTIME[0], context / "node", ignore=shutil.ignore_patterns("__pycache__"))
        podman.run("build", "--quiet", "--file", str(HERE / "Containerfile"), "--build-arg", f"BASE={image.base}",
                   "--label", podman.LABEL, "--tag", image.node, str(context))


def build(suite: str, say: t.Callable[[str], None] = lambda text: None) -> Image:
    """Make what is missing of a suite's image; nothing is missing when its contents have not changed.

    Raises:
        SimError: something of it cannot be made.
    """
    image = names(suite)
    if have(image.node) and (image.kernels / "complete").exists():
        return image
    with lock(f"image-{suite}"):
        if not (have(image.base) and (image.kernels / "complete").exists()):
            build_base(image, say)
        if not have(image.node):
            build_node(image, say)
    return image
