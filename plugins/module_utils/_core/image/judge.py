# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Whether an image works on a node: by its tree where that can be read, by its labels where it is not there yet."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..errors import DataError
from ..findings import Finding, worst
from ..release.versions import Pattern, RocmVersion
from . import user_space
from .checks import Checks
from .host import Host
from .labels import Told
from .shape import Contents

_FATAL = ("error", "critical")
_UNSAID = "its labels do not say, so its tree has to be read"
# Where libraries of ROCm and RDMA are: without them GPUs or NICs are not used. source: docs/container-check.md
_MATTERS = ("/libibverbs", "/librdmacm", "/libhsa", "/libamd", "/librocm", "/libhip", "/librccl", "/rocm", "/rocminfo")


@dc.dataclass(frozen=True)
class Judgement:
    """What is wrong, and what nobody could tell: name to the reason."""

    findings: tuple[Finding, ...]
    unknown: t.Mapping[str, str]

    @property
    def verdict(self) -> str:
        """fail, unknown, warn or pass."""
        told = ["fail" if finding.severity in _FATAL else "warn" for finding in self.findings
                if finding.severity != "info"]
        return worst((*told, *(["unknown"] if self.unknown else []), "pass"))

    @property
    def plain(self) -> list[dict[str, t.Any]]:
        """The findings as JSON can hold them."""
        return [one.plain for one in self.findings]


def by_tree(contents: Contents, host: Host, checks: Checks, rdma: bool = True) -> Judgement:
    """Whether an image works whose tree was read. ``rdma``: its programs are to use the node's RDMA devices."""
    used = rdma and (host.verbs or "verbs" in host.unknown)
    # What nothing hangs on.
    nothing = {"python", *(["packages"] if contents.rocm else []), *([] if used else ["rdma"])}
    unread = {name: why for name, why in contents.unknown.items() if name not in nothing}
    judged = _Judged(host, checks, unread)
    judged.machine(contents.machine, "no program and no library of it tells that")
    judged.rocm(contents.rocm)
    judged.gfx(contents.gfx)
    if user_space.RENDER in contents.groups:  # without one nobody is in it, and a number does as well
        judged.group(contents.groups[user_space.RENDER])
    judged.libraries(contents)
    if rdma:
        judged.rdma(contents)
    return judged.end


def by_labels(told: Told | None, host: Host, checks: Checks, rdma: bool = True) -> Judgement:
    """Whether an image can work, before it is there. ``told``: by its labels; None: it is not of ours."""
    if told is None:
        return Judgement((), {"labels": "it has none of this collection, so its tree has to be read"})
    wants = told.wants
    silent = {"rocm": not wants.rocm, "gfx": not wants.gfx, "render_gid": wants.render_gid is None}
    judged = _Judged(host, checks, {name: _UNSAID for name, empty in silent.items() if empty})
    judged.machine(wants.machine or None, _UNSAID)
    judged.rocm(wants.rocm or None)
    judged.gfx(wants.gfx)
    if wants.render_gid is not None:
        judged.group(wants.render_gid)
    if rdma:
        judged.label(wants.verbs)
    return judged.end


def both(one: Judgement, other: Judgement) -> Judgement:
    """What two looks at the same thing say together."""
    return Judgement((*one.findings, *other.findings), {**one.unknown, **other.unknown})


class _Judged:
    """Collects what is wrong, and what is unknown where something hangs on it."""

    def __init__(self, host: Host, checks: Checks, unread: t.Mapping[str, str]) -> None:
        self._host = host
        self._checks = checks
        self._found: list[Finding] = []
        self._unknown = dict(unread)

    @property
    def end(self) -> Judgement:
        return Judgement(tuple(self._found), self._unknown)

    def _find(self, ident: str, summary: str, evidence: t.Sequence[str] = ()) -> None:
        self._found.append(self._checks.finding(ident, summary, evidence))

    def _lacking(self, name: str) -> bool:
        """Whether the node does not tell something that is asked; why is noted."""
        if name in self._host.unknown:
            self._unknown[name] = self._host.unknown[name]
        return name in self._host.unknown

    def machine(self, seen: str | None, otherwise: str) -> None:
        """``otherwise``: why it is not known, where nobody says that."""
        if self._host.machine is None:
            self._unknown["machine"] = self._host.unknown.get("machine", "the node does not tell its architecture")
        elif seen is None:
            self._unknown.setdefault("machine", otherwise)
        elif seen != self._host.machine:
            self._find("image-machine", f"it is for {seen}, and the node is {self._host.machine}")

    def rocm(self, seen: str | None) -> None:
        if seen is None or self._lacking("rocm"):
            return
        try:
            version = RocmVersion.parse(seen)
        except DataError as error:
            self._unknown["rocm"] = error.sentence
            return
        if not any(Pattern.parse(text).covers(version) for text in self._host.rocm):
            self._find("image-rocm-window", f"it has ROCm {seen}, and driver {self._host.driver} of the node supports "
                       f"{', '.join(self._host.rocm)}", (self._host.window_source,))

    def gfx(self, seen: t.Sequence[str]) -> None:
        if not seen or self._lacking("gfx") or self._lacking("gpus"):
            return
        lost = [target for target in self._host.gfx if target not in seen]
        if lost:
            self._find("image-gfx", f"it has code for {', '.join(seen)}, and the node has {', '.join(lost)}", seen)

    def group(self, seen: int) -> None:
        if not self._lacking("render_gid") and seen != self._host.render_gid:
            self._found.append(user_space.group(seen, t.cast("int", self._host.render_gid), self._checks))

    def libraries(self, contents: Contents) -> None:
        parts: dict[bool, dict[str, tuple[str, ...]]] = {True: {}, False: {}}
        for path, names in contents.missing.items():
            parts[any(word in path for word in _MATTERS)][path] = names
        for ident, lacks in (("image-library-missing", parts[True]), ("image-library-elsewhere", parts[False])):
            if lacks:
                self._found.append(user_space.incomplete(ident, lacks, self._checks))

    def rdma(self, contents: Contents) -> None:
        if self._lacking("verbs") or "rdma" in self._unknown:
            return
        about = (self._host.verbs, contents.rdma, self._host.providers)
        self._found += user_space.findings(*about, self._checks)
        why = user_space.unknown(*about)
        if why:
            self._unknown["verbs"] = why

    def label(self, verbs: t.Mapping[str, int]) -> None:
        if self._lacking("verbs"):
            return
        for device in self._host.verbs:
            provider = self._host.providers.get(device.driver or "", "")
            if provider not in verbs:
                self._unknown["verbs"] = f"its labels name no ABI for {device.name} ({device.driver})"
            elif device.abi != verbs[provider]:
                self._find("image-provider-label", f"it was verified for ABI {verbs[provider]} of {provider}, and "
                           f"{device.name} has {device.abi}", (provider,))
