#!/usr/bin/env python3
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Build the simulated libamd_smi.so for one amdsmi binding. Needs Python 3.9, a C compiler, and nothing else."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import typing as t
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
CACHE = HERE.parents[2] / ".cache" / "sim" / "bindings"
MARK = b"instinct.fleet simulated libamd_smi"
NAME = "libamd_smi.so"

sys.path.insert(0, str(HERE))

import derive  # noqa: E402
import gen_abi  # noqa: E402


class BuildError(Exception):
    """The library cannot be built, in one sentence."""


def bindings() -> dict[str, dict[str, str]]:
    """The bindings that are pinned: version -> library version, sha256 of the wheel."""
    data: dict[str, dict[str, str]] = json.loads((HERE / "bindings.json").read_text(encoding="utf-8"))
    return data


def generations() -> tuple[str, ...]:
    """All bindings that there can be, oldest first: the pinned ones, and those that are derived from them."""
    return (*bindings(), *derive.bindings())


def fetch(version: str) -> Path:
    """Folder of a pinned or derived binding; downloaded, or made, when it is not in the cache.

    Raises:
        BuildError: there is none of that name, it cannot be downloaded, or is not the file that was pinned.
    """
    if version in derive.bindings():
        return derive.derive(version, fetch(derive.bindings()[version]["from"]), CACHE / version)
    if version not in bindings():
        raise BuildError(f"binding {version} is not pinned; there are {', '.join(generations())}")
    folder = CACHE / version
    if (folder / "complete").exists():
        return folder
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as temporary:
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--disable-pip-version-check",
            "--no-deps",
            "--only-binary=:all:",
            "--dest",
            temporary,
            f"amdsmi=={version}",
        ]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        wheels = list(Path(temporary).glob("*.whl"))
        if done.returncode != 0 or len(wheels) != 1:
            raise BuildError(f"binding {version} cannot be downloaded: {done.stderr.strip().splitlines()[-1:]}")
        if hashlib.sha256(wheels[0].read_bytes()).hexdigest() != bindings()[version]["sha256"]:
            raise BuildError(f"binding {version}: {wheels[0].name} is not the file that bindings.json pins")
        with zipfile.ZipFile(wheels[0]) as wheel:
            wheel.extractall(folder)
    (folder / "complete").touch()
    return folder


def package(folder: Path) -> Path:
    """The amdsmi package in a folder, or the folder itself.

    Raises:
        BuildError: there is none.
    """
    for candidate in (folder / "amdsmi", folder):
        if (candidate / "amdsmi_wrapper.py").is_file():
            return candidate
    raise BuildError(f"{folder}: there is no amdsmi package")


def library_version(binding: Path) -> str:
    """Version of the library that belongs to a binding, by the binding's own version.

    Raises:
        BuildError: it is not in bindings.json and not a library version either.
    """
    text = (binding / "_version.py").read_text(encoding="utf-8") if (binding / "_version.py").is_file() else ""
    found = re.search(r"__version__\s*=\s*[\"'](\d+\.\d+\.\d+)", text)
    version = found[1] if found else ""
    if version in bindings():
        return bindings()[version]["library"]
    if version and int(version.split(".")[0]) >= 24:  # bindings that are numbered as the library is
        return version
    raise BuildError(
        f"{binding}: no library is known for binding {version or 'without a version'}; say --library-version"
    )


def build(binding: Path, out: Path, version: str = "", compiler: str = "") -> Path:
    """Build the library into a folder; returns its path.

    Raises:
        BuildError: a real library lies there, or the compiler fails.
    """
    target = out / NAME
    if target.exists() and MARK not in target.read_bytes():
        raise BuildError(f"{target} is a real library: it is left alone")
    number = version or library_version(package(binding))
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        generated = Path(temporary)
        gen_abi.generate(package(binding) / "amdsmi_wrapper.py", generated)
        command = [
            *(compiler or os.environ.get("CC") or "cc").split(),
            "-std=gnu11",
            "-O1",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-Wno-address-of-packed-member",
            "-Wno-format-truncation",
            "-fPIC",
            "-shared",
            "-fvisibility=hidden",
            f"-Wl,-soname,{NAME}",
            f"-I{generated}",
            f'-DSIM_LIBRARY_VERSION="{number}"',
            f"-DSIM_LIBRARY_MAJOR={number.split('.')[0]}",
            "-o",
            str(generated / NAME),
            *map(str, sorted(HERE.glob("*.c"))),
            str(generated / "stubs.c"),
            "-lpthread",
        ]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode != 0:
            raise BuildError(f"the compiler failed: {done.stderr.strip()}")
        data = (generated / NAME).read_bytes()
    new = out / f".{NAME}.new"
    new.write_bytes(data)
    new.chmod(0o755)
    new.replace(target)
    return target


def main(arguments: t.Sequence[str] | None = None) -> int:
    """Build or fetch, and print the path."""
    parser = argparse.ArgumentParser(description=__doc__)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--binding", type=Path, help="folder with the amdsmi package of the binding")
    what.add_argument("--fetch", metavar="VERSION", help="have a pinned or derived binding, and print its folder")
    parser.add_argument("--out", type=Path, help="folder for the library")
    parser.add_argument(
        "--library-version",
        default="",
        help="version that the library says; default: the one that belongs to the binding",
    )
    options = parser.parse_args(arguments)
    if options.binding and not options.out:
        parser.error("--binding needs --out")
    try:
        print(fetch(options.fetch) if options.fetch else build(options.binding, options.out, options.library_version))
    except BuildError as error:
        print(f"build.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
