# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The catalogue of knobs: settings that exist, do nothing or are gone, and what does it instead."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from ..findings import Cause
from ..records import ID, Document, Layers, Placed, begun, sources
from ..release.products import NAME
from ..release.provenance import CONFIDENCES
from ..release.versions import RocmVersion
from ..strict import Contradiction, Reader

KIND = "knobs"
STATUS = ("exists", "does_nothing", "misnamed", "removed")
# What gpu_node_info looks for, and packages, which are in lists of packages and not in settings.
LOOKED_FOR = ("environment", "module_parameter", "kernel_parameter", "file", "sysfs", "command")
KINDS = (*LOOKED_FOR, "package")


@dc.dataclass(frozen=True)
class Knob:
    """One setting.

    Attributes:
        id: of the finding.
        name: as it is written: HSA_CU_MASK, amdgpu.noretry, rocm-smi --setmigmode.
        kind: one of KINDS.
        status: one of STATUS.
        what: what it does, or what is expected of it.
        products: products on which it has an effect; empty: all.
        rocm_from, rocm_before: ROCm releases that have it; None: no limit is known.
        cooperative: programs follow it of their own will, and can undo it: no security boundary.
        value: what a value must be, as a regular expression; empty: not known.
        form: the same in words.
        idle_values: values that change nothing.
        advice: why it should not be set, although it exists; empty if there is no reason.
        soft: what does it among programs that cooperate; empty if nothing does.
        hard: what does it with the kernel or the hardware behind it; empty if nothing does.
        sources: where it was read.
        confidence: how sure that is.
    """

    id: str
    name: str
    kind: str
    status: str
    what: str
    products: tuple[str, ...]
    rocm_from: RocmVersion | None
    rocm_before: RocmVersion | None
    cooperative: bool
    value: str
    form: str
    idle_values: tuple[str, ...]
    advice: str
    soft: str
    hard: str
    sources: tuple[str, ...]
    confidence: str

    @classmethod
    def read(cls, reader: Reader) -> Placed[Knob]:
        """One record of ``knobs``, with its place."""
        knob = cls(
            reader.text("id", pattern=ID), reader.text("name"), reader.choice("kind", KINDS),
            reader.choice("status", STATUS), reader.text("what"), reader.texts("products", (), NAME),
            _rocm(reader, "rocm_from"), _rocm(reader, "rocm_before"), reader.flag("cooperative", False),
            reader.text("value", ""), reader.text("form", ""), reader.texts("idle_values", ()),
            reader.text("advice", ""), reader.text("soft", ""), reader.text("hard", ""),
            sources(reader), reader.choice("confidence", CONFIDENCES),
        )
        knob._check(reader.path)
        return reader.path, knob

    def _check(self, path: str) -> None:
        """Raise Contradiction where the parts do not fit each other."""
        try:
            re.compile(self.value)
        except re.error as error:
            raise Contradiction(f"{path}.value", f"is no regular expression: {error}", "correct it") from error
        if bool(self.value) != bool(self.form):
            raise Contradiction(f"{path}.form", "goes with value", "give both or neither")
        if self.status == "misnamed" and not (self.soft or self.hard):
            raise Contradiction(f"{path}.soft", "is missing, and so is hard", "say what it is called")

    @property
    def why(self) -> Cause:
        """Cause and remedy of a finding about it."""
        ways = [*([f"among programs that cooperate, {self.soft}"] if self.soft else []),
                *([f"enforced, {self.hard}"] if self.hard else [])]
        instead = f"what does it: {'; '.join(ways)}" if ways else "nothing does it"
        remove = "" if self.status == "exists" and not self.advice else "remove it; "
        return Cause(self.what, remove + instead, self.sources, self.confidence)


def _rocm(reader: Reader, key: str) -> RocmVersion | None:
    return reader.read(key, RocmVersion.parse) if reader.has(key) else None


@dc.dataclass(frozen=True)
class Parameters:
    """The parameters that the newest known source of a kernel module has: some can be changed while it is loaded."""

    module: str
    load_time: tuple[str, ...]
    run_time: tuple[str, ...]
    sources: tuple[str, ...]
    confidence: str

    @classmethod
    def read(cls, reader: Reader) -> Parameters:
        """One record of ``module_parameters``."""
        return cls(reader.text("module"), reader.texts("load_time"), reader.texts("run_time"), reader.texts("sources"),
                   reader.choice("confidence", CONFIDENCES))


@dc.dataclass(frozen=True)
class Knobs:
    """All knobs by id, those of sites over ours, and the parameters of modules by the module's name."""

    by_id: t.Mapping[str, Knob]
    parameters: t.Mapping[str, Parameters]

    @classmethod
    def from_documents(cls, documents: t.Iterable[Document]) -> Knobs:
        """From ``{path, data, layer}`` of each file of this kind, lowest layer first.

        Raises:
            DataError: a file is not right; the message names file and path.
        """
        knobs: Layers[Knob] = Layers()
        parameters: dict[str, Parameters] = {}
        for document in documents:
            modules, records = read_document(document["data"], document["path"])
            parameters.update({one.module: one for one in modules})
            knobs.add(document, records)
        return cls(knobs.by_id, parameters)

    @classmethod
    def of(cls, documents: Documents) -> Knobs:
        """What files hold; itself, for those who read them once for many nodes."""
        return documents if isinstance(documents, Knobs) else cls.from_documents(documents)

    @property
    def by_name(self) -> dict[tuple[str, str], Knob]:
        """Knobs by name and kind."""
        return {(knob.name, knob.kind): knob for knob in self.by_id.values()}


Documents = t.Union[t.Iterable[Document], Knobs]


def read_document(raw: object, path: str) -> tuple[tuple[Parameters, ...], tuple[Placed[Knob], ...]]:
    """Parameters of modules, and knobs with their places, of one file.

    Raises:
        DataError: the file is not of its form; the message names file and path.
    """
    reader, _kind = begun(raw, path, (KIND,))
    modules = reader.records("module_parameters", Parameters.read, [])
    records = reader.records(KIND, Knob.read)
    reader.done()
    return modules, records


def names(documents: Documents) -> list[dict[str, str]]:
    """What to look for on nodes and in inventories: the option ``setting_names`` of gpu_node_info."""
    knobs = Knobs.of(documents).by_id.values()
    return [{"name": knob.name, "kind": knob.kind} for knob in knobs if knob.kind in LOOKED_FOR]
