# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""A driver built on trial: what to fetch for it, what its log says, and how a result reads."""

from __future__ import annotations

import dataclasses as dc
import fnmatch
import json
import re
import typing as t

from ..errors import DataError, FleetError

_KERNEL = re.compile(r"^[A-Za-z0-9][A-Za-z0-9.+~_-]*$")
_VERSION = re.compile(r"^[A-Za-z0-9][A-Za-z0-9.+~:*-]*$")
_DEPENDENCY = re.compile(r"^\s*(?P<name>[a-z0-9][a-z0-9+.-]+)")
# Kernel headers may depend on the kernel; a build does not. A compiler must be installed, it is not fetched.
_NOT_FETCHED = re.compile(r"^(?:linux-image-|linux-compiler-|gcc-)")
# Debian's headers name their compiler as gcc-12 or, up to 6.1, as linux-compiler-gcc-12-x86.
_COMPILER = re.compile(r"^(?:linux-compiler-)?(?P<name>gcc-\d+)(?:-|$)")
_ERRORS = (
    re.compile(r"^(?P<file>\S+:\d+)(?::\d+)?: (?:fatal )?error: (?P<what>.+)$"),
    re.compile(r"^(?P<what>ERROR: modpost: .+|.*undefined reference to .+)$"),
    re.compile(r"^(?P<what>(?:configure: )?error: .+|.*: command not found|.*: not found)$"),
    re.compile(r"^(?P<what>make(?:\[\d+\])?: \*\*\* .+)$"),
    re.compile(r"^(?P<what>Error!\s+.+|dkms: .+|E: .+)$"),
)


@dc.dataclass(frozen=True)
class Offer:
    """What apt offers under one name: its version and what it depends on."""

    version: str
    depends: tuple[tuple[str, ...], ...]  # each a choice of names

    def to_fetch(self, have: t.Collection[str]) -> tuple[str, ...]:
        """First choices of the dependencies of kernel headers that are not there."""
        lacking = [names[0] for names in self.depends if not any(name in have for name in names)]
        return tuple(name for name in lacking if not _NOT_FETCHED.match(name))

    @property
    def compilers(self) -> tuple[str, ...]:
        """The compilers among the dependencies, as commands."""
        found = (_COMPILER.match(names[0]) for names in self.depends)
        return tuple(match["name"] for match in found if match)


@dc.dataclass(frozen=True)
class Result:
    """How the trial for one kernel ended. ``error`` is empty exactly if the driver builds."""

    package: str
    version: str
    kernel: str
    headers: str = ""  # version of the headers' package; empty if no package owns them
    seconds: int = 0
    cached: bool = False
    error: str = ""
    log: str = ""

    @property
    def words(self) -> str:
        """One sentence."""
        if self.error:
            return f"{self.package} {self.version} does not build for {self.kernel}: {self.error}"
        when = "proved before" if self.cached else f"{self.seconds} s"
        return f"{self.package} {self.version} builds for {self.kernel} ({when})"

    def to_dict(self) -> dict[str, t.Any]:
        """Plain data for the ``results`` return value."""
        return {
            "kernel": self.kernel,
            "ok": not self.error,
            "cached": self.cached,
            "seconds": self.seconds,
            "headers": self.headers,
            "error": self.error,
            "log": self.log,
            "words": self.words,
        }


def checked(package: str, version: str, kernels: t.Sequence[str]) -> None:
    """Check what will be part of commands and file names.

    Raises:
        DataError: a name is not of the form it must have.
    """
    if package != package.strip() or not _DEPENDENCY.fullmatch(package):
        raise DataError("package", f"{package!r} is not a package name")
    if not _VERSION.match(version):
        raise DataError("version", f"{version!r} is not a package version", "give the whole version with its build")
    if not kernels:
        raise DataError("kernels", "is empty", "name at least one kernel release")
    for kernel in kernels:
        if not _KERNEL.match(kernel):
            raise DataError("kernels", f"{kernel!r} is not a kernel release", "give it as uname -r prints it")


def pick_version(madison: str, package: str, wanted: str) -> str | None:
    """The first version in the output of ``apt-cache madison`` that is the wanted one or fits the wanted pattern."""
    for line in madison.splitlines():
        fields = [field.strip() for field in line.split("|")]
        if len(fields) == 3 and fields[0] == package and fnmatch.fnmatchcase(fields[1], wanted):
            return fields[1]
    return None


def parse_offer(show: str) -> Offer | None:
    """The first stanza of ``apt-cache show`` or the fields of ``dpkg-deb --field``; None if there is none."""
    fields: dict[str, str] = {}
    for line in show.split("\n\n", 1)[0].splitlines():
        name, colon, value = line.partition(":")
        if colon and not line.startswith(" "):
            fields[name] = value.strip()
    if "Version" not in fields:
        return None
    choices = []
    for part in filter(None, (fields.get("Pre-Depends", "") + "," + fields.get("Depends", "")).split(",")):
        names = [_DEPENDENCY.match(choice) for choice in part.split("|")]
        choices.append(tuple(match["name"] for match in names if match))
    return Offer(fields["Version"], tuple(filter(None, choices)))


def parse_conf(text: str, where: str) -> tuple[str, str]:
    """Name and version of the module in a dkms.conf.

    Raises:
        DataError: one of them is missing or computed.
    """
    found = {}
    for field in ("PACKAGE_NAME", "PACKAGE_VERSION"):
        match = re.search(rf"^\s*{field}=[\"']?([A-Za-z0-9._+~-]+)[\"']?\s*(?:#.*)?$", text, re.MULTILINE)
        if not match:
            raise DataError(where, f"has no plain {field}", "this is not the driver package that the release names")
        found[field] = match[1]
    return found["PACKAGE_NAME"], found["PACKAGE_VERSION"]


def first_error(log: str, directory: str = "") -> str:
    """The line of a build log that says why it failed: the first error of the compiler, else of later tools.

    Names of files below ``directory`` are shortened, and an error in one of them goes before one in the kernel's own
    headers, which is where the compiler puts the blame when it expands a macro. Empty if the log names no error.
    """
    lines = [line.strip().replace(directory + "/", "") if directory else line.strip() for line in log.splitlines()]
    for pattern in _ERRORS:
        found = [match.groupdict() for match in map(pattern.match, lines) if match]
        if found:
            best = next((f for f in found if not f.get("file", "/").startswith("/")), found[0])
            return f"{best['file']}: {best['what']}" if "file" in best else best["what"]
    return ""


def why_not(code: int, log: str, output: str, directory: str) -> str:
    """Why ``dkms build`` ended with a code other than 0, from make.log and from what dkms printed."""
    if code == 77:  # source: dkms, exit codes at the top of the script
        return "the driver excludes this kernel (BUILD_EXCLUSIVE in its dkms.conf)"
    return first_error(log, directory) or first_error(output, directory) or f"dkms ended with {code} and named no error"


def missing_tools(offer: Offer, installed: t.Collection[str]) -> tuple[str, ...]:
    """Dependencies of the driver package that are not there and that its build may need."""
    return tuple(
        names[0] for names in offer.depends if not any(name in installed or name.startswith("amdgpu") for name in names)
    )


def installed_names(listed: str) -> frozenset[str]:
    """The names in lines of ``status name`` whose status is installed."""
    lines = (line.split() for line in listed.splitlines())
    return frozenset(words[1] for words in lines if len(words) == 2 and words[0] == "installed")


def record(result: Result) -> str:
    """The success as one JSON text, for ``recall``."""
    kept = ("package", "version", "kernel", "headers", "seconds")
    return json.dumps({name: getattr(result, name) for name in kept}, sort_keys=True) + "\n"


def recall(text: str, package: str, version: str, kernel: str, headers: str) -> Result | None:
    """The recorded success if it is about the same driver, kernel and headers; None for any other text."""
    try:
        raw = json.loads(text)
        old = Result(**raw, cached=True)
    except (ValueError, TypeError):
        return None
    same = (old.package, old.version, old.kernel, old.headers) == (package, version, kernel, headers)
    return old if same and headers else None


def refuse_failures(results: t.Sequence[Result]) -> None:
    """Say in one sentence which kernels the driver does not build for.

    Raises:
        FleetError: if there are any.
    """
    failed = [r for r in results if r.error]
    if failed:
        first = failed[0]
        what = f"{first.package} {first.version} does not build: {first.error}"
        left = "kernel, driver and their packages are as they were"
        hint = f"read {first.log}; {left}" if first.log else left
        raise FleetError("kernel " + ", ".join(r.kernel for r in failed), what, hint)
