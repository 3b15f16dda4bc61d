# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The way back to what a node kept: repositories on the node itself, and nothing asked of any other."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from ..errors import DataError, FleetError
from ..look.whole import WholeLook
from ..plan import managed, packaging
from ..plan.plan import Plan, Step
from ..strict import Reader
from .partial_mirror import canonical

if t.TYPE_CHECKING:
    from ..release.resolved import Resolved

SCHEME = "copy:"
PLACE = r"(?:copy|file):///var/lib/instinct/kept/mirror(?:/[A-Za-z0-9_-][A-Za-z0-9._-]*){2,}"
SOURCES = {"gpu_driver": managed.AMDGPU_SOURCES, "rocm_userspace": managed.ROCM_SOURCES}
_FETCHES = ("available", "refresh", "tools", "trial", "install", "reinstall")
_TRANSACTIONS = ("install", "reinstall")


@dc.dataclass(frozen=True)
class Kept:
    """A snapshot as a plan needs it: see ``Snapshot`` in snapshot.py for what each says."""

    id: str
    release: str
    kernel: str
    kernels: tuple[str, ...]
    holds: tuple[str, ...]
    record: str
    mirrors: t.Mapping[str, str]
    keys: t.Mapping[str, str]

    @classmethod
    def from_dict(cls, raw: object) -> Kept:
        """From what node_snapshot_info returned.

        Raises:
            DataError: a key is unknown or missing, or names a place that is none of a snapshot.
        """
        reader = Reader(raw, "kept:")
        found = cls(reader.text("id"), reader.text("release"), reader.text("kernel"), reader.texts("kernels"),
                    reader.texts("holds"), reader.text("record"), reader.texts_by_name("mirrors"),
                    reader.texts_by_name("keys"))
        reader.done()
        for text in (*found.mirrors.values(), *found.keys.values()):
            if not re.fullmatch(PLACE, text, re.ASCII):
                raise DataError("kept", f"names {text!r}, which is no place of a snapshot", "take another snapshot")
        return found


def fetches(plans: t.Iterable[Plan]) -> bool:
    """Whether a plan needs its repositories."""
    return any(step.action in _FETCHES for plan in plans for step in plan.steps)


def at_home(wanted: Resolved, kept: Kept) -> Resolved:
    """The release with its repositories and keys on the node itself.

    Raises:
        FleetError: it needs a repository of which nothing was kept.
    """
    repositories = []
    for repository in wanted.repositories:
        mirror = kept.mirrors.get(canonical(repository.uri))
        if mirror is None:
            raise FleetError(f"snapshot {kept.id}", f"has nothing of {repository.uri}, which {wanted.name} needs",
                             "let the node see that repository, and go back without what was kept")
        repositories.append(dc.replace(repository, uri=mirror))
    keys = {name: dc.replace(key, url=kept.keys.get(key.keyring, key.url)) for name, key in wanted.keys.items()}
    return dc.replace(wanted, repositories=tuple(repositories), keys=keys)


def without_newer_headers(look: WholeLook, kept: Kept) -> WholeLook:
    """The look as it will be once the headers of later kernels are gone: scripts of the driver's package build for
    every kernel that has some, and fail at one that is newer than the driver.
    """
    gone = _newer_headers(look, kept)
    if not gone:
        return look
    installed = tuple(dc.replace(k, headers=k.headers and k.release in kept.kernels) for k in look.kernel.installed)
    packages = tuple(p for p in look.packages.installed if p.name not in gone)
    return dc.replace(look, kernel=dc.replace(look.kernel, installed=installed),
                      packages=dc.replace(look.packages, installed=packages))


def _newer_headers(look: WholeLook, kept: Kept) -> list[str]:
    newer = {k.release for k in look.kernel.installed if k.headers} - set(kept.kernels)
    return sorted(p.name for p in look.packages.installed if "headers" in p.name and any(k in p.name for k in newer))


def way_back(look: WholeLook, plans: t.Mapping[str, Plan], kept: Kept) -> dict[str, Plan]:
    """The plans, with what the way back takes besides. ``look`` is the one before ``without_newer_headers``."""
    driver = plans.get("gpu_driver")
    if driver is None:
        return dict(plans)
    return {**plans, "gpu_driver": _let_go(look, _evict(look, driver, _newer_headers(look, kept)), kept)}


def asking_nobody(look: WholeLook, plans: t.Mapping[str, Plan]) -> dict[str, Plan]:
    """The plans so that they ask no repository but those on the node."""
    return {role: dc.replace(plan, steps=tuple(_at_home(look, role, step) for step in plan.steps))
            for role, plan in plans.items()}


def _evict(look: WholeLook, driver: Plan, headers: list[str]) -> Plan:
    """Headers of later kernels go before the packages of the driver change, and only then."""
    at = next((i for i, s in enumerate(driver.steps) if s.action in ("unhold", "evict", *_TRANSACTIONS)), None)
    if not headers or at is None or not any(s.action in _TRANSACTIONS for s in driver.steps):
        return driver
    before = driver.of("evict")
    words = [f"remove {', '.join(headers)}, for the driver to go back to need not build for that kernel"]
    gone = [*(name for s in before for name in s.data["packages"]), *headers]
    steps = [Step("evict", "; ".join([*(s.words for s in before), *words]), before="\n".join(gone),
                  data={"packages": gone})]
    lifted = {name for s in driver.of("unhold") for name in s.data["packages"]}
    held = sorted(lifted | set(headers) & set(look.packages.holds))
    if held:
        steps.insert(0, Step("unhold", "lift the hold of " + ", ".join(held), before="\n".join(held),
                             data={"packages": held}))
    rest = [s for s in driver.steps[at:] if s.action not in ("unhold", "evict")]
    return dc.replace(driver, steps=(*driver.steps[:at], *steps, *rest))


def _let_go(look: WholeLook, driver: Plan, kept: Kept) -> Plan:
    """Later kernels were held by the release that is left; holds of before come with the plan."""
    known = {name for s in driver.of("let_go") for name in s.data["packages"]}
    more = [name for name in sorted(set(look.packages.holds) - set(kept.holds) - known)
            if packaging.is_kernel(name) and not any(kernel in name for kernel in kept.kernels)]
    if not more:
        return driver
    step = Step("let_go", "let go of " + ", ".join(more) + ", which a later release held", before="\n".join(more),
                data={"packages": [*sorted(known), *more]})
    rest = [s for s in driver.steps if s.action != "let_go"]
    at = next((i for i, s in enumerate(rest) if s.action in ("hold", "initramfs", "boot_file", "boot", "load")),
              len(rest))
    return dc.replace(driver, steps=(*rest[:at], step, *rest[at:]))


def _at_home(look: WholeLook, role: str, step: Step) -> Step:
    """The step so that it asks no repository but those on the node."""
    if step.action == "refresh" and role in SOURCES:
        return dc.replace(step, data={**step.data, "sources": SOURCES[role]})
    if step.action in ("available", "trial"):
        written = {file["path"] for file in step.data["files"]}
        others = sorted({s.file for s in look.repositories.sources if s.enabled and s.file not in written
                         and not all(uri.startswith(SCHEME) for uri in s.uris)})
        away = [{"path": file, "state": "absent"} for file in others]
        return dc.replace(step, data={**step.data, "files": [*step.data["files"], *away]})
    return step
