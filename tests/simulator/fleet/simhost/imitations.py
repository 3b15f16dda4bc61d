# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Imitations of distributions with rpm: a Debian node whose package manager is another, and its signed repositories."""

from __future__ import annotations

import dataclasses as dc
import json
import shutil
import tempfile
import typing as t
from pathlib import Path

from . import aptsources, debs, images, podman, repository, rpms, smilib
from .paths import LOCAL, cache, digest, hand_over, lock

HERE = rpms.HERE
KEYS = {"el9": "RPM-GPG-KEY-Rocky-9", "sles15": "RPM-GPG-KEY-SLES-15"}
# Builds, signs and indexes, in the imitation itself: this machine has no rpm.
BUILD = r"""set -eu
export GNUPGHOME=/keys/vendor HOME=/tmp
for spec in /work/specs/*.spec; do
  rpmbuild -bb --quiet --define "_topdir /tmp/build" --define "_rpmdir /out/$(cat "$spec.repository")" \
    --define '_build_name_fmt %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm' --define '_binary_payload w3.gzdio' "$spec"
done
sign() {
  GNUPGHOME=/keys/$1 xargs -r rpmsign --addsign --define "_gpg_name $2" --define "__gpg /usr/bin/gpg" > /dev/null
}
find /out -name '*.rpm' -path '*/distro/*' | sign distro "$DISTRO"
find /out -name '*.rpm' -not -path '*/distro/*' | sign vendor "$VENDOR"
for folder in $(find /out -name '*.rpm' -printf '%h\n' | sort -u); do createrepo_c --quiet "$folder"; done
"""


@dc.dataclass(frozen=True)
class Imitation:
    """One imitation: its recipe, its image, and the folder of its repositories."""

    name: str
    recipe: t.Mapping[str, t.Any]
    node: str
    root: Path


def recipe() -> dict[str, t.Any]:
    """The recipe file."""
    data: dict[str, t.Any] = json.loads((HERE / "recipe.json").read_text(encoding="utf-8"))
    return data


def names() -> list[str]:
    """Names of the imitations."""
    return list(recipe()["imitations"])


def of(name: str) -> Imitation:
    """How the parts of an imitation are called, from the contents of what they are made of."""
    base = images.names(recipe()["base"])
    here = Path(__file__).parent
    parts = ("recipe.json", "install", "Containerfile", "common", name)
    image = digest(base.node, name, *(HERE / part for part in parts))
    code = (here / f"{part}.py" for part in ("debs", "rpms", "imitations"))
    root = cache() / "rpms" / digest(image, debs.HERE, HERE / "scripts", *code, *smilib.sources())
    return Imitation(name, recipe()["imitations"][name], f"localhost/instinct-sim-{name}:{image}", root)


def build(name: str, say: t.Callable[[str], None] = lambda text: None) -> Imitation:
    """Make what is missing of an imitation.

    Raises:
        SimError: something of it cannot be made.
    """
    base = images.build(recipe()["base"], say)
    repository.build(say)  # the keys, and the fingerprint that all know
    it = of(name)
    with lock(f"imitation-{name}"):
        if not images.have(it.node):
            _build_image(it, base.node, say)
        if not (it.root / "complete").exists():
            _build_repositories(it, base, say)
    return it


def _build_image(it: Imitation, base: str, say: t.Callable[[str], None]) -> None:
    say(f"image {it.name}: putting rpm over the Debian node")
    sources, settings = aptsources.of_this_machine(recipe()["base"])
    with tempfile.TemporaryDirectory(dir=cache()) as folder:
        context = Path(folder)
        inner = context / "context"
        inner.mkdir()
        for part in ("install", "common", it.name):
            copy = shutil.copytree if (HERE / part).is_dir() else shutil.copy
            copy(HERE / part, inner / part)
        (inner / "sources.list").write_text("".join(f"{source.line()}\n" for source in sources), encoding="utf-8")
        (inner / "settings").write_text("".join(f"{line}\n" for line in settings), encoding="utf-8")
        packages = " ".join([*recipe()["common"], *it.recipe["packages"]])
        arguments = {"NODE": base, "NAME": it.name, "PACKAGES": packages}
        podman.run("build", "--quiet", "--network=host", "--file", str(HERE / "Containerfile"),
                   *(f"--build-arg={key}={value}" for key, value in arguments.items()),
                   "--label", podman.LABEL, "--tag", it.node, str(context))


def _build_repositories(it: Imitation, base: images.Image, say: t.Callable[[str], None]) -> None:
    say(f"packages of {it.name}: building")
    shutil.rmtree(it.root, ignore_errors=True)
    it.root.mkdir(parents=True)
    data = debs.table()
    owners = {"vendor": repository.VENDOR, "distro": repository.DISTRIBUTION}
    signers = {name: repository.Signer(name, owner) for name, owner in owners.items()}
    try:
        with tempfile.TemporaryDirectory(dir=cache()) as folder:
            work = Path(folder)
            (work / "specs").mkdir()
            libraries = smilib.build(data["rocm"], base)
            for number, rpm in enumerate(rpms.every(it.recipe, recipe()["firmware"], data, libraries)):
                rpm.stage(work / "trees" / str(number))
                spec = work / "specs" / f"{number:03}-{rpm.name}.spec"
                spec.write_text(rpm.spec(f"/work/trees/{number}"), encoding="utf-8")
                spec.with_name(f"{spec.name}.repository").write_text(rpm.repository, encoding="utf-8")
            podman.run("run", "--rm", "--network=none", "--entrypoint=/bin/sh", f"--volume={work}:/work:ro",
                       f"--volume={it.root}:/out", f"--volume={cache() / 'keys'}:/keys",
                       f"--env=VENDOR={signers['vendor'].fingerprint}", f"--env=DISTRO={signers['distro'].fingerprint}",
                       it.node, "-c", BUILD)
        keys = {it.root / "rocm" / "rocm.gpg.key": "vendor", it.root / "distro" / KEYS[it.name]: "distro"}
        for path, name in keys.items():
            path.write_text(signers[name].gpg("--armor", "--export"), encoding="utf-8")
        (it.root / "distro" / "first").write_text("".join(f"{name}\n" for name in first(it)), encoding="utf-8")
        (it.root / "complete").touch()
    finally:
        for signer in signers.values():
            signer.close()
    hand_over(LOCAL)


def first(it: Imitation) -> list[str]:
    """Files of the packages that a node has when it comes from its installer: its first kernel, without headers."""
    kernel = it.recipe["kernels"][0]
    found = [rpms.SHELL, *(rpm for rpm in rpms.kernels(it.recipe["manager"], [kernel]) if "devel" not in rpm.name)]
    return [f"{rpm.name}-{rpm.version}.{rpm.architecture}.rpm" for rpm in found]
