# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Builds a driver without installing anything: own trees, and headers laid over /usr for the build alone."""

from __future__ import annotations

import contextlib
import dataclasses as dc
import glob
import os
import shlex
import shutil
import tempfile
import typing as t

from .._core.act import trial as core
from .._core.errors import FleetError
from .process import Done, clean_end, run

STATE = "/var/lib/instinct/trial"
WORK = "/var/tmp"
MODULES = "/lib/modules"
_APT_TIMEOUT = 600
_NO_MOUNT = 91
_MERGED = ("src", "lib", "bin", "sbin")


class NotOffered(FleetError):
    """apt does not know something that the trial needs."""


@dc.dataclass(frozen=True)
class Headers:
    """Kernel headers: installed (``tree`` is empty), or extracted below ``tree``."""

    version: str
    source: str
    tree: str = ""


@dc.dataclass(frozen=True)
class Driver:
    """An extracted driver package."""

    package: str
    offer: core.Offer
    module: str
    version: str
    sources: str  # what dkms calls the source tree


def _asked(argv: t.Sequence[str]) -> str:
    return run(argv, _APT_TIMEOUT).out


def _installed() -> frozenset[str]:
    return core.installed_names(_asked(["dpkg-query", "--show", "--showformat=${db:Status-Status} ${Package}\\n"]))


def resolve(package: str, version: str) -> str:
    """The exact version that apt offers.

    Raises:
        NotOffered: apt knows no such version.
        FleetError: apt cannot read its sources, which is why it knows nothing.
    """
    done = run(["apt-cache", "madison", package], _APT_TIMEOUT)
    if done.code:
        raise FleetError(
            "apt-cache", core.first_error(done.err) or f"ended with {done.code}", "repair its sources first"
        )
    exact = core.pick_version(done.out, package, version)
    if not exact:
        raise NotOffered(f"{package} {version}", "apt does not offer it", "configure its repository and refresh")
    return exact


def _download(names: t.Sequence[str], directory: str) -> list[str]:
    """Download packages into a new directory and return their paths.

    Raises:
        FleetError: apt could not download one.
    """
    os.mkdir(directory)
    # apt's own user could not write into a private directory.
    done = run(["apt-get", "download", "-q", "-o", "APT::Sandbox::User=root", *names], _APT_TIMEOUT, directory)
    if done.code:
        why = "took too long" if done.timed_out else core.first_error(done.err) or f"ended with {done.code}"
        raise FleetError("apt-get download " + " ".join(names), why, "check the repository and refresh")
    return sorted(glob.glob(os.path.join(glob.escape(directory), "*.deb")))


def _extract(debs: t.Sequence[str], tree: str) -> None:
    for deb in debs:
        done = run(["dpkg-deb", "--extract", deb, tree], _APT_TIMEOUT)
        if done.code:
            raise FleetError(os.path.basename(deb), " ".join(done.err.split()), f"is there room in {WORK}?")


def fetch_driver(package: str, version: str, work: str) -> Driver:
    """Download and extract a DKMS driver package.

    Raises:
        FleetError: it cannot be downloaded, or is no DKMS package.
    """
    (deb,) = _download([f"{package}={version}"], os.path.join(work, "deb"))
    tree = os.path.join(work, "driver")
    _extract([deb], tree)
    confs = glob.glob(os.path.join(glob.escape(tree), "usr/src/*/dkms.conf"))
    if len(confs) != 1:
        raise FleetError(f"{package} {version}", f"has {len(confs)} dkms.conf, not one", "this is no DKMS driver")
    with open(confs[0], encoding="utf-8", errors="replace") as stream:
        module, module_version = core.parse_conf(stream.read(), f"dkms.conf of {package} {version}")
    offer = core.parse_offer(_asked(["dpkg-deb", "--field", deb])) or core.Offer(version, ())
    return Driver(package, offer, module, module_version, os.path.join(tree, "usr/src"))


def headers_version(kernel: str) -> str:
    """Version of the installed headers, or of those that apt offers; empty if no package owns the installed ones.

    Raises:
        NotOffered: neither installed nor offered.
    """
    package = f"linux-headers-{kernel}"
    if os.path.exists(os.path.join(MODULES, kernel, "build", "Makefile")):
        return _asked(["dpkg-query", "--show", "--showformat=${Version}", package])
    return _offered_headers(kernel).version


def _offer(package: str) -> core.Offer | None:
    return core.parse_offer(_asked(["apt-cache", "show", "--no-all-versions", package]))


def _offered_headers(kernel: str) -> core.Offer:
    offer = _offer(f"linux-headers-{kernel}")
    if not offer:
        hint = "configure the repository that has this kernel, or choose another kernel"
        raise NotOffered(f"kernel {kernel}", f"linux-headers-{kernel} is neither installed nor offered by apt", hint)
    return offer


def _closure(package: str) -> list[str]:
    """The package and all that it depends on, as far as it is not installed. What apt does not offer is virtual."""
    have, wanted, found = set(_installed()), [package], []
    while wanted:
        name = wanted.pop()
        offer = None if name in have else _offer(name)
        have.add(name)
        if offer:
            found.append(name)
            wanted += offer.to_fetch(have)
    return found


def headers(kernel: str, version: str, work: str) -> Headers:
    """The headers of a kernel, fetched and extracted if they are not installed.

    Raises:
        FleetError: they cannot be fetched, or their compiler is missing.
    """
    build = os.path.join(MODULES, kernel, "build")
    if os.path.exists(os.path.join(build, "Makefile")):
        return Headers(version, build)
    package = f"linux-headers-{kernel}"
    offer = _offered_headers(kernel)
    for compiler in offer.compilers:
        if not shutil.which(compiler):
            raise FleetError(f"kernel {kernel}", f"needs {compiler}, which is not installed", f"install {compiler}")
    tree = os.path.join(work, "headers-" + kernel)
    names = _closure(package)
    if not names:
        hint = f"install them again: apt-get install --reinstall {package}"
        raise FleetError(f"kernel {kernel}", f"{package} is installed, and its files are not there", hint)
    _extract(_download(names, tree + ".deb"), tree)
    return Headers(version, f"/usr/src/{package}", tree)


def _overlay(tree: str) -> str:
    """Shell commands that make what is extracted below ``tree`` appear as installed.

    Debian's headers name each other by absolute paths, so nothing less will do.
    """
    commands = []
    for part in _MERGED:
        layers = [path for path in (f"{tree}/usr/{part}", f"{tree}/{part}") if os.path.isdir(path)]
        if layers:
            lower = shlex.quote(":".join([*layers, f"/usr/{part}"]))
            commands.append(f"mount -t overlay overlay -o ro,lowerdir={lower} /usr/{part} || exit {_NO_MOUNT}")
    return "\n".join([*commands, 'exec "$@"'])


def _command(driver: Driver, kernel: str, head: Headers, tree: str) -> list[str]:
    command = ["nice", "-n", "10", "dkms", "build", "-m", driver.module, "-v", driver.version]
    command += ["-k", kernel, "-a", os.uname().machine, "--kernelsourcedir", head.source]
    command += ["--dkmstree", tree, "--sourcetree", driver.sources]
    if not head.tree:
        return command
    return ["unshare", "--mount", "--propagation", "private", "sh", "-c", _overlay(head.tree), "sh", *command]


def build(driver: Driver, kernel: str, head: Headers, work: str, timeout: float) -> core.Result:
    """Build once and say how it ended.

    Raises:
        FleetError: the trial itself cannot be made here.
    """
    tree = os.path.join(work, "dkms-" + kernel)
    os.mkdir(tree)
    # Without these dkms would sign, and make a key in /var/lib/dkms for it.
    done = run(
        _command(driver, kernel, head, tree),
        timeout,
        TMPDIR=work,
        sign_file="/nonexistent",
        mok_signing_key=os.path.join(work, "mok.key"),
        mok_certificate=os.path.join(work, "mok.pub"),
    )
    if head.tree and (done.code == _NO_MOUNT or done.err.startswith("unshare:")):
        what = f"its headers cannot be laid over /usr in a private namespace: {' '.join(done.err.split())}"
        raise FleetError(f"kernel {kernel}", what, f"install linux-headers-{kernel} first")
    error, log = ("", "") if done.code == 0 else _failure(driver, kernel, done, tree, timeout)
    if not error:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(STATE, kernel + ".log"))
    result = core.Result(driver.package, driver.offer.version, kernel, head.version, done.seconds)
    return dc.replace(result, error=error, log=log)


def _failure(driver: Driver, kernel: str, done: Done, tree: str, timeout: float) -> tuple[str, str]:
    """Why it failed, and the path of the kept log."""
    directory = os.path.join(tree, driver.module, driver.version, "build")
    log = ""
    with (
        contextlib.suppress(FileNotFoundError),
        open(os.path.join(directory, "make.log"), encoding="utf-8", errors="replace") as stream,
    ):
        log = stream.read()
    kept = os.path.join(STATE, kernel + ".log")
    _write(kept, log or done.out + done.err)
    if done.timed_out:
        return f"the build did not end within {timeout:.0f} s", kept
    why = core.why_not(done.code, log, done.out + "\n" + done.err, directory)
    missing = core.missing_tools(driver.offer, _installed())
    return why + (f" (not installed: {', '.join(missing)})" if missing else ""), kept


def _write(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(path), mode=0o755, exist_ok=True)
    with open(path + ".new", "w", encoding="utf-8") as stream:
        stream.write(text)
    os.replace(path + ".new", path)


def _record_path(package: str, version: str, kernel: str) -> str:
    return os.path.join(STATE, f"{package}_{version}_{kernel}.json")


def remember(result: core.Result) -> None:
    """Record a success whose headers belong to a package."""
    if result.headers and not result.error:
        _write(_record_path(result.package, result.version, result.kernel), core.record(result))


def remembered(package: str, version: str, kernel: str, head: str) -> core.Result | None:
    """The recorded success, or None."""
    with contextlib.suppress(FileNotFoundError), open(_record_path(package, version, kernel), encoding="utf-8") as file:
        return core.recall(file.read(), package, version, kernel, head)
    return None


@contextlib.contextmanager
def workspace() -> t.Iterator[str]:
    """A private directory that is gone afterwards."""
    path = tempfile.mkdtemp(prefix="instinct-trial-", dir=WORK)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def trial(package: str, version: str, kernels: t.Sequence[str], timeout: float) -> tuple[core.Result, ...]:
    """Build the driver for every kernel for which that was not proved before.

    Raises:
        NotOffered: apt knows the driver or the headers of a kernel not (yet).
        FleetError: a trial cannot be made here. That a driver does not build is a result.
    """
    exact = resolve(package, version)
    versions = {kernel: headers_version(kernel) for kernel in kernels}
    known = {kernel: remembered(package, exact, kernel, versions[kernel]) for kernel in versions}
    results = {kernel: result for kernel, result in known.items() if result}
    if len(results) < len(known):
        with clean_end(), workspace() as work:
            driver = fetch_driver(package, exact, work)
            for kernel in (k for k in known if k not in results):
                results[kernel] = build(driver, kernel, headers(kernel, versions[kernel], work), work, timeout)
                remember(results[kernel])
    return tuple(results[kernel] for kernel in known)
