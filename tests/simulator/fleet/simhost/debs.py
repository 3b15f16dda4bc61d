# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stand-in packages: what is in releases.json, as descriptions of Debian packages, and those as .deb files."""

from __future__ import annotations

import dataclasses as dc
import json
import re
import shutil
import subprocess
import tempfile
import typing as t
from pathlib import Path

from .errors import SimError
from .paths import SIMULATOR

HERE = SIMULATOR / "packages"
SOURCES = ("amdgpu.c", "kfd.h", "silicon.h", "Makefile")  # of the driver, as they are
MAINTAINER = "instinct.fleet authors <none@invalid>"


@dc.dataclass(frozen=True)
class Deb:
    """One package to be made.

    Attributes:
        repository: its repository's folder below the root: ``amdgpu/30.10.2/ubuntu``.
        suite: the distribution in it: noble, bookworm.
        files: path in the package -> text, or a file or folder to be copied.
        scripts: maintainer scripts by name.
    """

    repository: str
    suite: str
    name: str
    version: str
    summary: str
    architecture: str = "all"
    depends: tuple[str, ...] = ()
    files: t.Mapping[str, str | Path] = dc.field(default_factory=dict)
    scripts: t.Mapping[str, str] = dc.field(default_factory=dict)
    conffiles: tuple[str, ...] = ()

    def control(self) -> str:
        """Text of the control file."""
        fields = {"Package": self.name, "Version": self.version, "Architecture": self.architecture,
                  "Maintainer": MAINTAINER, "Depends": ", ".join(self.depends), "Section": "misc",
                  "Priority": "optional",
                  "Description": f"{self.summary} (simulated stand-in, no vendor code)"}
        return "".join(f"{key}: {value}\n" for key, value in fields.items() if value)

    def filename(self) -> str:
        """Name in the pool: without the epoch, as Debian's archive tools name files."""
        return f"{self.name}_{self.version.split(':', 1)[-1]}_{self.architecture}.deb"


def table() -> dict[str, t.Any]:
    """The release table."""
    data: dict[str, t.Any] = json.loads((HERE / "releases.json").read_text(encoding="utf-8"))
    return data


def fill(text: str, values: t.Mapping[str, str]) -> str:
    """Put values in for @names@.

    Raises:
        SimError: the text names something that there is no value for.
    """
    def value(match: re.Match[str]) -> str:
        if match[1] not in values:
            raise SimError(f"a template of tests/simulator/packages names @{match[1]}@, which there is no value for")
        return values[match[1]]
    return re.sub(r"@([a-z_]+)@", value, text)


def template(name: str, values: t.Mapping[str, str]) -> str:
    """A file of tests/simulator/packages with values put in."""
    return fill((HERE / name).read_text(encoding="utf-8"), values)


def blobs() -> list[str]:
    """Names of the firmware files that the stand-in driver asks for; the kernel's own asks for these, too."""
    return re.findall(r'MODULE_FIRMWARE\("([^"]+)"\)', (HERE / "driver" / "amdgpu.c").read_text(encoding="utf-8"))


def driver(release: t.Mapping[str, str], codename: str, distro: str) -> list[Deb]:
    """The driver and its firmware for one distribution."""
    values = {"probe_error": "0", **{key: str(value) for key, value in release.items()}, "distro": distro}
    version, firmware = (release[key].format(distro=distro) for key in ("package", "firmware"))
    source = f"/usr/src/amdgpu-{release['module']}-{release['build']}.{distro}"
    where = f"amdgpu/{release['release']}/ubuntu"
    rules = "/etc/udev/rules.d/70-amdgpu.rules"
    return [
        Deb(where, codename, "amdgpu-dkms", version, "amdgpu driver in DKMS format",
            depends=("dkms (>= 1.95)", "libc6-dev", f"amdgpu-dkms-firmware (= {firmware})"),
            files={**{f"{source}/{name}": HERE / "driver" / name for name in SOURCES},
                   f"{source}/dkms.conf": template("driver/dkms.conf.in", values),
                   f"{source}/version.h": template("driver/version.h.in", values),
                   rules: HERE / "driver" / "70-amdgpu.rules"},
            scripts={name: template(f"scripts/amdgpu-dkms.{name}", values) for name in ("postinst", "prerm")},
            conffiles=(rules,)),
        Deb(where, codename, "amdgpu-dkms-firmware", firmware, "firmware blobs used by amdgpu driver in DKMS format",
            files={f"/lib/firmware/updates/{blob}": f"simulated firmware {firmware}\n" for blob in blobs()}),
    ]


def rocm(release: t.Mapping[str, t.Any], packages: t.Iterable[t.Mapping[str, t.Any]], codename: str, distro: str,
         library: Path | None) -> list[Deb]:
    """The ROCm packages of one release for one distribution; ``library`` is the tree of amd-smi-lib.

    Each is there twice, as with the vendor: under its name, and under one that can stand beside other releases.
    """
    values = {"release": release["release"], "stamp": release["stamp"]}
    prefix = f"/opt/rocm-{release['release']}"

    def version(name: str) -> str:
        return f"{release['versions'].get(name, release['release'])}.{release['stamp']}-{release['build']}~{distro}"

    files: dict[str, dict[str, str | Path]] = {
        "rocm-core": {f"{prefix}/.info/version": f"{release['release']}-{release['build']}\n"},
        "rocminfo": {f"{prefix}/bin/rocminfo": template("scripts/rocminfo", values)},
        "amd-smi-lib": {prefix: library} if library else {},
    }
    scripts = {"rocm-core": {name: template(f"scripts/rocm-core.{name}", values) for name in ("postinst", "prerm")}}
    return [Deb(f"rocm/apt/{release['release']}", codename, item["name"] + number, version(item["name"]),
                f"{item['name']} of ROCm {release['release']}", architecture="amd64",
                depends=(*(f"{need}{number} (= {version(need)})" for need in item["needs"]), *item.get("other", ())),
                files=files.get(item["name"], {}), scripts=scripts.get(item["name"], {}))
            for item in packages for number in ("", release["release"])]


def therock(release: t.Mapping[str, t.Any], packages: t.Iterable[t.Mapping[str, t.Any]], directory: str,
            library: Path | None) -> list[Deb]:
    """The ROCm packages of one release of the newer stream for one distribution.

    Those of names without a number are empty, and so are those for all GPU targets: they need the others.
    """
    line, version = release["line"], f"{release['release']}-{release['build']}"
    prefix = f"/opt/rocm/core-{line}"
    values = {"release": release["release"], "stamp": line, "prefix": prefix}
    files: dict[str, dict[str, str | Path]] = {
        "amdrocm-base": {f"{prefix}/.info/version": f"{release['release']}\n",
                         f"{prefix}/bin/rocminfo": template("scripts/rocminfo", values)},
        "amdrocm-llvm": {f"{prefix}/llvm/bin/README": "simulated: no compiler\n"},
        "amdrocm-amdsmi": {prefix: library} if library else {},
    }
    linking = {name: template(f"scripts/amdrocm-core.{name}", values) for name in ("postinst", "prerm")}
    scripts = {"amdrocm-core": linking}
    per_gpu = {item["name"] for item in packages if item.get("per_gpu")}
    found = []

    def add(name: str, needs: t.Iterable[str], stem: str = "", other: t.Iterable[str] = ()) -> None:
        depends = (*(f"{need} (= {version})" for need in needs), *other)
        found.append(Deb(f"repo.amd.com/rocm/packages-multi-arch/{directory}", "stable", name, version,
                         f"{name} of ROCm {release['release']}", architecture="amd64", depends=depends,
                         files=files.get(stem, {}), scripts=scripts.get(stem, {})))

    for item in packages:
        name, numbered = item["name"], f"{item['name']}{line}"
        add(name, [numbered])
        if name not in per_gpu:
            add(numbered, [f"{need}{line}" for need in item["needs"]], name, item.get("other", ()))
            continue
        add(numbered, [f"{numbered}-{target}" for target in release["targets"]])
        for target in release["targets"]:
            needs = [f"{need}{line}" + (f"-{target}" if need in per_gpu else "") for need in item["needs"]]
            add(f"{numbered}-{target}", needs, name)
    return found


def distribution(data: t.Mapping[str, t.Any]) -> list[Deb]:
    """The distribution's own packages, with higher versions than the vendor's."""
    def files(item: t.Mapping[str, t.Any]) -> dict[str, str | Path]:
        names = blobs() if item.get("firmware") else []
        return {f"/usr/share/{item['name']}/origin": "the distribution's own\n",
                **{f"/lib/firmware/{name}": f"simulated firmware {item['version']}\n" for name in names}}

    return [Deb("distro", suite, item["name"], item["version"], f"{item['name']} as a distribution packages it",
                architecture="amd64", files=files(item))
            for suite in data["suites"] for item in data["packages"]]


def every(data: t.Mapping[str, t.Any], libraries: t.Mapping[str, Path]) -> list[Deb]:
    """All packages of the table; ``libraries`` has the tree of amd-smi-lib for each ROCm release."""
    found = []
    for codename, distro in data["codenames"].items():
        for release in data["drivers"]:
            found += driver(release, codename, distro)
        for release in data["rocm"]:
            found += rocm(release, data["rocm_packages"], codename, distro, libraries.get(release["release"]))
    for release in data["therock"]:
        for directory in release["directories"]:
            found += therock(release, data["therock_packages"], directory, libraries.get(release["release"]))
    return found + distribution(data["distribution"])


def write(deb: Deb, root: Path) -> Path:
    """Make the package in its repository's pool and return its path.

    Raises:
        SimError: dpkg-deb is missing or refuses it.
    """
    pool = root / deb.repository / "pool" / "main" / deb.name[0] / deb.name
    pool.mkdir(parents=True, exist_ok=True)
    path = pool / deb.filename()
    with tempfile.TemporaryDirectory(dir=root) as folder:
        tree = Path(folder) / "tree"
        (tree / "DEBIAN").mkdir(parents=True)
        tree.chmod(0o755)
        meta = {"control": deb.control(), "conffiles": "".join(f"{name}\n" for name in deb.conffiles)}
        for name, text in {**meta, **deb.scripts}.items():
            if text:
                (tree / "DEBIAN" / name).write_text(text, encoding="utf-8")
                (tree / "DEBIAN" / name).chmod(0o755 if name in deb.scripts else 0o644)
        for name, content in deb.files.items():
            place(content, tree / name.lstrip("/"))
        try:
            subprocess.run(["dpkg-deb", "-Zgzip", "-z1", "--root-owner-group", "--build", str(tree), str(path)],
                           check=True, capture_output=True, text=True)
        except (OSError, subprocess.CalledProcessError) as error:
            words = getattr(error, "stderr", "") or str(error)
            raise SimError(f"package {deb.name} {deb.version} cannot be made: {words.strip()}") from error
    return path


def place(content: str | Path, target: Path) -> None:
    """Write a text (a script if it begins like one), or copy a file or a folder."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, str):
        target.write_text(content, encoding="utf-8")
        target.chmod(0o755 if content.startswith("#!") else 0o644)
    elif content.is_dir():
        shutil.copytree(content, target, symlinks=True, dirs_exist_ok=True)
    else:
        shutil.copyfile(content, target)
        target.chmod(0o644)
