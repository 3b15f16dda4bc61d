# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An image of three layers, out of real packages of the distribution, and what the role makes of it on a builder."""

from __future__ import annotations

import copy
import subprocess
import time
from pathlib import Path

import playbook
import yaml
from partitioned import changed, result, role

BUILDER = "img-a"
TASK = {
    "build": "Build the layers that are not there",
    "export": "Write the image as an archive",
    "push": "Push it, with the digest of the archive",
    "import": "Import it",
    "pull": "Pull the image by its digest",
}
RDMA = ("libibverbs1", "ibverbs-providers", "ibverbs-utils=44.0-2", "librdmacm1")  # else as nodes have it
VERSIONS = {"rdma-core": "44.0-2"}
VERBS = {"mlx5": 1}  # what the provider of the distribution speaks, and the driver of the nodes' NICs
ROCM = ("libnuma1=2.0.16-1", "libhsa-runtime64-1=5.2.3-3", "rocminfo=5.2.3-2")


def definition(host, name: str = "trio", application: str = "one", rocm: bool = True) -> dict:
    """The image, as a file of a site says it. ``host``: the builder, whose mirror has the packages.

    ROCm of the distribution is older than what the driver of the nodes supports; without it the image works there.
    """
    mirror = {"name": "mirror", "uri": "http://127.0.0.1:8099", "suite": "./", "key": "key.asc",
              "fingerprint": host.file("/srv/images/fingerprint").content_string.strip()}
    layers = [
        {"name": "base", "from": "stack.rdma", "packages": list(RDMA), "repositories": [mirror]},
        {"name": "rocm", "parent": "base", "packages": list(ROCM), "repositories": [copy.copy(mirror)],
         "budget_mib": 60},
        {"name": "application", "parent": "rocm" if rocm else "base", "run": [f"echo {application} > /opt/application"],
         "environment": {"NCCL_DEBUG": "INFO"}},
    ]
    digest = host.check_output("sha256sum /srv/images/base.tar").split()[0]
    return {
        "version": "v1", "kind": "image", "name": name, "os": {"id": "debian", "version": "12"},
        **({"rocm": "5.2.3"} if rocm else {}),
        "parent": {"archive": "/srv/images/base.tar", "digest": f"sha256:{digest}"},
        "layers": layers if rocm else [layers[0], layers[2]],
    }


def render_gid(host) -> int:
    """Number of the group of GPUs on a node."""
    return int(host.check_output("getent group render").split(":")[2])


def site(host, folder: Path, image: dict) -> str:
    """A directory of a site with that definition."""
    folder.mkdir(exist_ok=True)
    (folder / f"{image['name']}.yml").write_text(yaml.safe_dump(image), encoding="utf-8")
    (folder / "key.asc").write_text(host.file("/srv/images/key.asc").content_string, encoding="utf-8")
    return str(folder)


def definition_of(host, folder: Path, image: dict) -> dict:
    """Variables that name the image."""
    return {"rocm_image_definition": image["name"], "rocm_image_catalogue_dirs": [site(host, folder, image)],
            "rocm_image_rdma_versions": VERSIONS, "rocm_image_isolation": "chroot"}


def wish(host, folder: Path, image: dict, **more: object) -> dict:
    """Variables of the role for that image."""
    return {"role": "rocm_image", **definition_of(host, folder, image), "rocm_image_render_gid": render_gid(host),
            "rocm_image_gfx": ["gfx942"], "rocm_image_verbs": VERBS, **more}


def failure(ran: subprocess.CompletedProcess) -> str:
    """The one sentence of a run that was refused."""
    assert ran.returncode != 0, ran.stdout
    said = playbook.refusals(ran)
    assert len(said) == 1, said
    return said[0]


def stored(host) -> dict[str, str]:
    """Names of images of a node to their ids; what has none is told by its id."""
    lines = host.check_output("podman images --all --no-trunc --format '{{.Repository}}:{{.Tag}} {{.Id}}'").splitlines()
    return {name if "<none>" not in name else ident: ident.rpartition(":")[2] for name, ident in map(str.split, lines)}


def forgotten(host, name: str) -> None:
    """Take all layers of an image out of a store."""
    there = f"podman images --quiet --filter 'reference=localhost/{name}/*'"
    host.check_output(f"{there} | xargs --no-run-if-empty podman rmi --force")


def built(host, folder: Path, image: dict, *options: str, **more: object) -> tuple[dict, subprocess.CompletedProcess]:
    """Build it; what the module said, and the run."""
    ran = role(BUILDER, *options, **wish(host, folder, image, **more))
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return result(ran, TASK["build"]), ran


def timed(host, folder: Path, image: dict) -> tuple[dict, bool, float]:
    """Build it; what the module said, whether anything changed, and seconds of the whole play."""
    start = time.monotonic()
    said, ran = built(host, folder, image)
    return said, changed(ran), time.monotonic() - start
