# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Steps that the plans of several roles share: keys, files, packages. Each returns () when all is as wanted."""

from __future__ import annotations

import dataclasses as dc
import fnmatch
import hashlib
import typing as t

from ..errors import FleetError
from ..formats.rpm import BESIDE
from ..look.shape import ManagedFile, Package
from ..look.whole import WholeLook
from . import managed
from .plan import Step

if t.TYPE_CHECKING:
    from ..release.resolved import Resolved, ResolvedKey


RPM_KEYS = "rpm"  # path under which a look lists the keys that rpm itself trusts
# How a hold is lifted by hand.
UNHOLD = {"dnf": "dnf versionlock delete", "zypper": "zypper removelock"}


@dc.dataclass(frozen=True)
class WantedFile:
    """A file as it should be: root owned, world readable. ``content`` None means that it should not exist."""

    path: str
    content: str | None
    mode: str = "0644"


def installed(look: WholeLook) -> dict[str, Package]:
    """Cleanly installed packages by name."""
    return {p.name: p for p in look.packages.installed if p.state == "installed"}


def versions(look: WholeLook) -> dict[str, tuple[Package, ...]]:
    """Cleanly installed packages by name. rpm may have several kernels of one name."""
    found: dict[str, tuple[Package, ...]] = {}
    for package in look.packages.installed:
        if package.state == "installed":
            found[package.name] = (*found.get(package.name, ()), package)
    return found


def matches(version: str, wanted: str) -> bool:
    """True when a version is the wanted one, or fits the wanted pattern."""
    return version == wanted or fnmatch.fnmatchcase(version, wanted)


def key_steps(look: WholeLook, keys: t.Sequence[ResolvedKey]) -> tuple[Step, ...]:
    """One step per signing key whose keyring is missing or holds anything but the pinned key.

    zypper wants that rpm itself has the key, and asks a person otherwise; dnf imports it from the file.
    """
    seen = {k.path: k.fingerprints for k in look.repositories.keyrings}
    imports = look.packages.manager == "zypper"
    return tuple(
        Step("key", f"install signing key {key.fingerprint} as {key.keyring}",
             before=" ".join(seen.get(key.keyring, ())), after=key.fingerprint,
             data={"url": key.url, "fingerprint": key.fingerprint, "path": key.keyring})
        for key in keys if seen.get(key.keyring, ()) != (key.fingerprint,)
        or (imports and key.fingerprint not in seen.get(RPM_KEYS, ()))
    )


def _is(wanted: WantedFile, seen: ManagedFile | None) -> bool:
    if seen is None or seen.sha256 is None:
        return wanted.content is None
    if wanted.content is None:
        return False
    digest = hashlib.sha256(wanted.content.encode()).hexdigest()
    return seen.sha256 == digest and seen.mode == wanted.mode and seen.owner == "root" and seen.link is None


def _before(old: ManagedFile | None) -> str:
    if old is None or old.sha256 is None:
        return ""
    return f"sha256 {old.sha256}" if old.text is None else old.text


def file_steps(look: WholeLook, wanted: t.Sequence[WantedFile]) -> tuple[Step, ...]:
    """One step per file that is not as wanted, by digest."""
    seen = {f.path: f for f in look.files.files}
    steps = []
    for file in wanted:
        if _is(file, seen.get(file.path)):
            continue
        verb = "remove" if file.content is None else "write"
        old = seen.get(file.path)
        steps.append(Step(
            "file", f"{verb} {file.path}",
            before=_before(old), after=file.content or "",
            data={"path": file.path, "mode": file.mode, "owner": "root", "group": "root"}
            | ({"state": "absent"} if file.content is None else {"content": file.content}),
        ))
    return tuple(steps)


def _clashing(look: WholeLook) -> set[str]:
    """Files that name another key for the address of one of our sources."""
    on = [source for source in look.repositories.sources if source.enabled]
    ours = {uri.rstrip("/"): source.signed_by for source in on if source.file in managed.MANAGED_FILES
            for uri in source.uris}
    return {source.file for source in on for uri in source.uris
            if source.signed_by != ours.get(uri.rstrip("/"), source.signed_by)}


def source_steps(look: WholeLook, wanted: Resolved, name: str) -> tuple[Step, ...]:
    """One step per other file that offers this vendor's packages: of two releases on offer, the newer would win.

    Files that clash with one of ours, whatever it is for, go at once: apt then reads no source at all.

    Raises:
        FleetError: such a file also holds sources of someone else.
    """
    clashing = _clashing(look)
    bases = tuple(base for r in wanted.repositories if r.name == name for base in r.bases)
    vendor = tuple(base for r in wanted.repositories for base in r.bases)
    uris: dict[str, list[str]] = {}
    for source in look.repositories.sources:
        if source.enabled and source.file not in managed.MANAGED_FILES:
            uris.setdefault(source.file, []).extend(source.uris)
    steps = []
    for file, found in sorted(uris.items()):
        if file not in clashing and not any(uri.startswith(bases) for uri in found):
            continue
        others = [uri for uri in found if not uri.startswith(vendor)]
        if others:
            own = next(uri for uri in found if uri not in others)
            raise FleetError(file, f"offers packages of {own} and of {others[0]}, so it cannot be replaced",
                             f"move the lines of {own} to a file of their own")
        steps.append(Step("file", f"remove {file}, which offers other releases", before="\n".join(found),
                          data={"path": file, "state": "absent"}))
    return tuple(steps)


def repair_step(look: WholeLook, changes: t.Sequence[Step]) -> tuple[Step, ...]:
    """The step that ends what an interrupted run of dpkg or apt left behind: apt changes nothing before that is done,
    and takes a list that is not whole for what a repository has.

    Without changes of packages there is none: what is half done is then another hand's work.
    """
    half = [f"{p.name} {p.version} ({p.state})" for p in look.packages.broken]
    half += [f"{path} (not whole)" for path in look.packages.torn_lists]
    if not changes or not (half or look.packages.interrupted):
        return ()
    words = "finish the interrupted run of the package manager"
    touched = sorted({name for s in changes for name in s.data.get("names", s.data["packages"])})
    return (Step("repair", words + (": " + ", ".join(half) if half else ""), before="\n".join(half),
                 data={"packages": touched}),)


def refuse_held(look: WholeLook, names: t.Iterable[str], why: str) -> None:
    """Refuse to change packages that another hand holds: whoever held them had a reason.

    Raises:
        FleetError: names them.
    """
    held = sorted(set(names) & set(look.packages.holds))
    if held:
        raise FleetError(", ".join(held), f"{'is' if len(held) == 1 else 'are'} on hold by another hand, and {why}",
                         "lift the hold if it is no longer meant: "
                         f"{UNHOLD.get(look.packages.manager or '', 'apt-mark unhold')} {' '.join(held)}")


def refuse_excluded(look: WholeLook, names: t.Iterable[str]) -> None:
    """Refuse packages that the settings of dnf keep from being installed at all.

    Raises:
        FleetError: names the first of them, and the setting.
    """
    for name in sorted(names):
        for rule in look.repositories.preferences:
            if rule.pin == "exclude" and fnmatch.fnmatchcase(name, rule.package):
                raise FleetError(name, f"must be installed, and {rule.file} excludes {rule.package}",
                                 "take it out of excludepkgs there; what the release installs is held by its version")


def install_step(look: WholeLook, wanted: t.Mapping[str, str]) -> tuple[Step, ...]:
    """One step that installs, upgrades or downgrades all packages that are not at their wanted version.

    ``wanted`` maps a name to a version, a pattern, or "" for any version.

    Raises:
        FleetError: dnf is told to exclude one of them.
    """
    have = versions(look)
    changes = {
        name: version for name, version in sorted(wanted.items())
        if name not in have or (version and not any(matches(p.version, version) for p in have[name]))
    }
    if not changes:
        return ()
    refuse_excluded(look, changes)
    before = {name: [p.version for p in have[name]] for name in changes if name in have}

    def was(name: str) -> str:
        old = ", ".join(before.get(name, ()))
        return f" ({'beside' if BESIDE.match(name) else 'was'} {old})" if old else ""

    return (Step(
        "install", "install " + ", ".join(f"{n} {v}".strip() + was(n) for n, v in changes.items()),
        before="\n".join(f"{n} {v}" for n, found in before.items() for v in found),
        after="\n".join(f"{n} {v}".strip() for n, v in changes.items()),
        data={"packages": [spec(look.packages.manager, n, v) for n, v in changes.items()], "names": list(changes)},
    ),)


def spec(manager: str | None, name: str, version: str) -> str:
    """The package as its manager is asked for it.

    zypper knows no patterns: it takes what the version without a rebuild number provides; else any version, which is
    the right one only where a repository has no other.
    """
    if manager == "zypper":
        version = version.removesuffix(".*")
        version = "" if "*" in version else version
    joint = "-" if manager == "dnf" else "="
    return name + joint + version if version else name
