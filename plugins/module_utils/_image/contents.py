# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What the tree of an image holds: packages, libraries, groups, ROCm, leftovers. Nothing in it is run."""

from __future__ import annotations

import re
import stat
import typing as t

from .._core.errors import DataError
from .._core.formats import dpkg, elf, rpm
from .._core.formats.text import parse_os_release
from .._core.image.shape import Contents, Distribution
from .._node import rocm
from .._node.apart import UnreadableError
from .._node.notes import Notes
from . import user_space
from .distributions import Distributions
from .libraries import Libraries
from .tree import Found, Tree

_STATUS = "/var/lib/dpkg/status"
_RPM = ("/usr/lib/sysimage/rpm", "/var/lib/rpm")
_SHELL = "/bin/sh"
# Of package managers and of pip. source: apt.conf(5) Dir::Cache and Dir::State::lists, dnf.conf(5) cachedir,
# zypper(8) --cache-dir, pip cache
_CACHES = ("/var/cache/apt", "/var/lib/apt/lists", "/var/cache/dnf", "/var/cache/libdnf5", "/var/cache/yum",
           "/var/cache/zypp", "/root/.cache/pip")
_LOCK = 4096  # bytes; what is smaller there is a lock or a note, and no cache
# Code objects beside rocBLAS, hipBLASLt, MIOpen and others carry their instruction set in their names.
# source: ROCm/rocm-libraries:projects/rocblas/library/src/CMakeLists.txt (Tensile library files)
_OBJECT = re.compile(r"[._-](gfx[0-9a-f]{3,4})\b[^/]*\.(?:co|hsaco|dat)$")
# Packages that have the version of ROCm as theirs. source: packages rocm-core of AMD, libhsa-runtime64-1 of Debian
_OF_ROCM = ("rocm-core", "libhsa-runtime64-1")
_POINT = re.compile(r"\d+\.\d+\.\d+")
# Packages of Python that are ROCm; and what ROCm a wheel of PyTorch holds, where it says all three numbers.
# source: ROCm/TheRock:build_tools/packaging/python/templates/rocm/src/rocm_sdk/_dist_info.py;
# https://rocm.docs.amd.com/projects/install-on-linux/en/latest/install/3rd-party/pytorch-install.html
_SDK, _TORCH = ("rocm", "rocm-sdk-core"), re.compile(r"\+rocm(\d+\.\d+\.\d+)")
# Runtimes of ROCm: whoever uses a GPU has the first, and programs of HIP the second.
_HSA, _HIP = re.compile(r"^libhsa-runtime64\.so"), re.compile(r"^libamdhip64\.so")


def contents(root: str, seconds: float = 60) -> Contents:
    """What the tree in a directory holds. What cannot be read in the time is in ``unknown``."""
    tree, notes = Tree(root, seconds), Notes()
    release = parse_os_release(notes.attempt("os", None, tree.text, "/etc/os-release") or "")
    packages = notes.attempt("packages", {}, _packages, tree, root)
    walked = notes.attempt("tree", None, _Walked, tree)
    if walked is None:  # what it would have told is not absent, but unknown
        notes.update(dict.fromkeys(("rdma", "missing", "gfx", "caches", "size_bytes", "python"), notes.pop("tree")))
        walked = _Walked(tree, ())
    libraries = walked.libraries
    machine = notes.attempt("machine", None, _machine, tree, libraries)
    python = notes.attempt("python", (), walked.distributions.found)
    told = Contents(
        release.get("ID"), release.get("VERSION_ID"), machine, packages,
        notes.attempt("rdma", Contents().rdma, user_space.read, tree, libraries, machine),
        notes.attempt("missing", {}, libraries.missing),
        notes.attempt("groups", {}, tree.groups), notes.attempt("rocm", None, _rocm, tree, packages, libraries, python),
        notes.attempt("gfx", (), _gfx, walked.gfx, libraries), tuple(sorted(walked.caches)), walked.size, python, notes)
    notes.update(libraries.unknown)
    return told


class _Walked:
    """What one walk through all files tells."""

    def __init__(self, tree: Tree, found: t.Iterable[Found] | None = None) -> None:
        self.libraries = Libraries(tree)
        self.distributions = Distributions(tree)
        self.gfx: set[str] = set()
        self.caches: set[str] = set()
        self.size = 0
        self._counted: set[tuple[int, int]] = set()
        for one in tree.walk() if found is None else found:
            self._take(one)

    def _take(self, found: Found) -> None:
        path, status = found
        self.libraries.meet(found)
        if not stat.S_ISREG(status.st_mode):
            return
        self.distributions.meet(path)
        if (status.st_dev, status.st_ino) not in self._counted:
            self.size += status.st_size
        if status.st_nlink > 1:
            self._counted.add((status.st_dev, status.st_ino))
        match = _OBJECT.search(path)
        if match:
            self.gfx.add(match[1])
        if status.st_size >= _LOCK:
            self.caches |= {folder for folder in _CACHES if path.startswith(f"{folder}/")}


def _machine(tree: Tree, libraries: Libraries) -> str | None:
    """Of the shell, which an image of several architectures has once; else what most of its files are for."""
    try:
        found = tree.reading(_SHELL, elf.parse)
    except DataError:
        found = None  # whatever is wrong with it
    return found.machine if found else libraries.machine()


def _gfx(named: t.Collection[str], libraries: Libraries) -> tuple[str, ...]:
    """Instruction sets, of names of files and of libraries that tell them.

    Raises:
        UnreadableError: there is code for GPUs, and nothing tells for which.
    """
    code = libraries.code()
    found = set(named).union(*(one.targets for one in code.values()))
    if found:
        return tuple(sorted(found))
    silent = sorted(code)
    if silent:
        more = f" and {len(silent) - 1} more" if silent[1:] else ""
        raise UnreadableError(f"the code for GPUs in {silent[0]}{more} is compressed or of another form")
    runtime = libraries.first(_HIP)
    if runtime:
        raise UnreadableError(f"{runtime} is there, and no file that is known to have code for GPUs")
    return ()


def _packages(tree: Tree, root: str) -> dict[str, str]:
    """Name to version of what is installed.

    Raises:
        UnreadableError: there is no database, or it cannot be read here.
    """
    try:
        text = tree.text(_STATUS)
        if text is not None:
            return {one.name: one.version for one in dpkg.parse_database(text, ("*",)).installed}
        if not any(map(tree.exists, _RPM)):
            raise UnreadableError("it has neither a database of dpkg nor one of rpm")
        ran = tree.run("rpm", "--root", root, "--query", "--all", "--queryformat", rpm.QUERY_FORMAT)
        if ran.code:
            raise UnreadableError(f"rpm failed: {ran.stderr.strip()}")
        return {one.name: one.version for one in rpm.parse_database(ran.stdout, ("*",)).installed}
    except DataError as error:
        raise UnreadableError(error.sentence) from error


def _rocm(tree: Tree, packages: t.Mapping[str, str], libraries: Libraries,
          python: t.Sequence[Distribution]) -> str | None:
    """The version of ROCm that programs find, else that of its packages; None: there is no ROCm.

    Raises:
        UnreadableError: there is one, and nothing tells its version, or packages of Python tell several.
    """
    whole = rocm.active(tree)
    found = rocm.version(tree, whole) if whole else None
    if found:
        return found
    match = next(filter(None, (_POINT.match(packages.get(name, "")) for name in _OF_ROCM)), None)
    told = {match[0]} if match else {point for one in python for point in _of_wheel(one)}
    if len(told) > 1:
        raise UnreadableError(f"packages of Python are of ROCm {' and '.join(sorted(told))}")
    if told:
        return told.pop()
    runtime = libraries.first(_HSA, _HIP)
    if runtime:
        raise UnreadableError(f"{runtime} is there, and nothing tells the version of its ROCm")
    return None


def _of_wheel(one: Distribution) -> list[str]:
    """The version of ROCm that a package of Python is or holds."""
    name = one.name.lower().replace("_", "-")
    match = _POINT.match(one.version) if name in _SDK else None
    return [match[0]] if match else _TORCH.findall(one.version) if name == "torch" else []
