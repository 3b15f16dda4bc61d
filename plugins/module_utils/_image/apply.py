# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""An image built layer by layer, as far as that is needed, and written down."""

from __future__ import annotations

import dataclasses as dc
import datetime
import json
import os
import time
import typing as t

from .._act.files import replace_all, see
from .._act.outcome import Outcome
from .._act.process import clean_end
from .._core.act.fileset import Change, changes, parse
from .._core.formats.engines import Stored
from .._core.image import containerfile, labels, plan, record, sbom
from .._core.image.plan import Step
from .._core.image.shape import Contents, Image
from .build import Builder
from .context import refuse
from .directory import held, use
from .registry import option
from .store import named


@dc.dataclass(frozen=True)
class Request:
    """What is asked. ``version``: of the collection, for the bill of materials; ``authfile``: for registries."""

    image: Image
    version: str = ""
    check: bool = False
    lock_timeout: float = 30
    authfile: str = ""


def run(asked: Request, builder: Builder) -> Outcome:
    """Build what is not there.

    Raises:
        FleetError: a layer cannot be built, or is not as it should be; those below it stay, and count the next time.
    """
    # The machine that builds is the one that nodes must be: nothing is built for another.
    wants = asked.image.wants
    wants = dc.replace(wants, machine=wants.machine or os.uname().machine)
    asked = dc.replace(asked, image=dc.replace(asked.image, wants=wants))
    with held(builder.directory, asked.lock_timeout, asked.check), clean_end():
        if not asked.check:
            builder.tidy()
        return _Run(asked, builder).outcome()


class _Run:
    def __init__(self, asked: Request, builder: Builder) -> None:
        self._asked, self._builder = asked, builder
        # Who builds on an image of ours inherits its labels, and not its tag.
        tags = {step.key: step.tag for step in plan.steps(asked.image, {})}
        there = [(one.labels.get(labels.KEY, ""), one) for one in builder.tools.images()]
        self._steps = plan.steps(asked.image, {key: one.id for key, one in there if tags.get(key) in one.names})
        self._ids = {step.key: step.id for step in self._steps if step.id}
        self._seconds: dict[str, float] = {}
        self._start = time.monotonic()
        self._last: Contents | None = None

    def outcome(self) -> Outcome:
        """Do it, or say what would be done."""
        todo = [step for step in self._steps if step.reason]
        refuse(self._asked.image, [step.index for step in todo])
        actions = [f"build the layer {step.layer}: {step.reason}" for step in todo]
        diff = [
            {"before_header": step.tag, "after_header": step.tag, "before": "", "after": self._text(step)}
            for step in todo
        ]
        if not self._asked.check:
            for step in todo:
                self._build(step)
            written = self._write()
            use(self._builder.directory, self._ids[self._steps[-1].key])
            actions += [f"write {change.wanted.path}" for change in written]
            diff += [change.diff() for change in written]
        elif todo:
            actions += [f"write {path}" for path in self._paths()]
        else:
            written, bill = self._foreseen()
            actions += [*(f"write {change.wanted.path}" for change in written), *(f"write {path}" for path in bill)]
            diff += [change.diff() for change in written]
        return Outcome(tuple(actions), tuple(diff), self._values())

    def _build(self, step: Step) -> None:
        start = time.monotonic()
        base = self._asked.image.parent.image if step.index == 0 else ""
        for image in filter(None, (base, *containerfile.taken(self._asked.image, step.index))):
            self._have(image)
        below = self._below(step)
        self._ids[step.key], self._last = self._builder.built(self._asked.image, step, self._parent(step), below)
        self._seconds[step.layer] = round(time.monotonic() - start, 1)

    def _have(self, image: str) -> None:
        """Have an image in the store. It is named by its digest: what is there is not asked of a registry again."""
        tools, authfile = self._builder.tools, option("--authfile", self._asked.authfile)
        if not tools.tried("podman", "image", "exists", image):
            tools.run(image, "podman", "pull", "--quiet", *authfile, image)

    def _text(self, step: Step) -> str:
        return containerfile.text(self._asked.image, step.index, self._parent(step), step.labels)

    def _parent(self, step: Step) -> str:
        """What a layer stands on: the id of the one below, its tag before that is built."""
        if step.index == 0:
            return self._asked.image.parent.image
        below = self._steps[step.index - 1]
        return self._ids.get(below.key, below.tag)

    def _below(self, step: Step) -> int:
        """Bytes of the tree that a layer with a budget stands on."""
        if step.index == 0 or not self._asked.image.layers[step.index].budget_bytes:
            return 0
        seen = self._last or self._builder.seen(self._parent(step))
        return seen.size_bytes

    def _paths(self) -> tuple[str, str]:
        """Of the record and of the bill of materials."""
        base = os.path.join(self._builder.directory, self._asked.image.name)
        return f"{base}.json", f"{base}.cdx.json"

    def _record(self) -> dict[str, str]:
        return {self._paths()[0]: record.text(self._asked.image, self._steps, self._ids)}

    def _foreseen(self) -> tuple[tuple[Change, ...], list[str]]:
        """What would be written where nothing is built: the record, and path of the bill if it is of another image."""
        written, bill = _changes(self._record()), self._paths()[1]
        said = see(bill).content.decode("utf-8", "replace")
        return written, [] if self._ids[self._steps[-1].key] in said else [bill]

    def _write(self) -> tuple[Change, ...]:
        """The record, and the bill of materials if it is of another image."""
        texts, bill = self._record(), self._paths()[1]
        if _changes(texts) or see(bill).kind != "file":
            texts[bill] = self._bill()
        todo = _changes(texts)
        replace_all(todo)
        return todo

    def _bill(self) -> str:
        step, ident = self._steps[-1], self._ids[self._steps[-1].key]
        seen = self._last or self._builder.seen(ident)
        one = named(ident, self._builder.tools)
        document = sbom.document(self._asked.image, step.index, step.key, ident, seen, _when(one), self._asked.version)
        return json.dumps(document, indent=2, sort_keys=True) + "\n"

    def _values(self) -> dict[str, t.Any]:
        last = self._steps[-1]
        path, bill = self._paths()
        return {
            "id": self._ids.get(last.key, ""),
            "tag": last.tag,
            "labels": dict(last.labels),
            "record": path,
            "sbom": bill,
            "seconds": round(time.monotonic() - self._start, 1),
            "layers": [self._told(step) for step in self._steps],
        }

    def _told(self, step: Step) -> dict[str, t.Any]:
        state = ("would_build" if self._asked.check else "built") if step.reason else "cached"
        return {
            "name": step.layer,
            "key": step.key,
            "tag": step.tag,
            "id": self._ids.get(step.key, ""),
            "state": state,
            "reason": step.reason,
            "seconds": self._seconds.get(step.layer, 0.0),
        }


def _changes(texts: t.Mapping[str, str]) -> tuple[Change, ...]:
    """What writing these files would change. ``texts``: path to content."""
    form = {"state": "present", "mode": "0644", "directory_mode": "0755"}
    wanted = parse([{"path": name, "content": text, **form} for name, text in texts.items()])
    return changes(wanted, {one.path: see(one.path) for one in wanted})


def _when(stored: Stored) -> str:
    return datetime.datetime.fromtimestamp(stored.created, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
