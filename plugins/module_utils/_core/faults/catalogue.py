# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The catalogue of faults: what is wrong when a line is in a log, and lines that are no fault but say what happened."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from ..errors import DataError
from ..findings import DOMAINS, SEVERITIES, Cause
from ..records import GATES, ID, Document, Layers, begun
from ..records import Placed as At
from ..release.products import NAME
from ..release.provenance import CONFIDENCES
from ..strict import Contradiction, Reader
from .expression import complaint, groups, without_words
from .rules import ABOUT_LINES, Rule, positive

WHERE = ("kernel", "dkms", "packages", "container", "library", "tool")
ABOUT_DEVICE = ("gpu", "link")
SUBJECTS = (*ABOUT_DEVICE, "node", "process", "package", "kernel")
WORD = r"[^A-Z]{3,}"  # lines are looked at in lower case; shorter words would be in every line
# Subject -> groups that name it, of which some pattern must have one. The others come from the line or the node.
NAMED_BY = {"process": ("pid", "process"), "package": ("package",), "kernel": ("kernel",)}
# What a title may name besides the groups of the patterns.
ALWAYS = frozenset({"bdf", "count"})
PLACE = re.compile(r"\{(\w+)\}")


@dc.dataclass(frozen=True)
class Mark:
    """Lines that are no fault, but context for one: a BAR was placed, a reset succeeded."""

    id: str
    where: str  # one of WHERE
    words: tuple[str, ...]
    patterns: tuple[str, ...]
    what: str
    sources: tuple[str, ...] = ()
    subject: str = "gpu"  # what a PCI address in the line is of: gpu, or link for any other device
    each: bool = False  # every GPU has its own: only those of all say something of a line that names none

    @classmethod
    def read(cls, reader: Reader, proved: bool = False) -> Mark:
        """One record of ``marks``."""
        ident, where, words, patterns = _head(reader, proved)
        return cls(ident, where, words, patterns, reader.text("what"), reader.texts("sources", ()),
                   reader.choice("subject", ABOUT_DEVICE, "gpu"), reader.flag("each", False))


@dc.dataclass(frozen=True)
class Fault:
    """Lines that say that something is wrong. What each field means: roles/gpu_health/files/diagnosis/README.md."""

    id: str
    where: str  # one of WHERE
    words: tuple[str, ...]  # one of them is in every line that a pattern matches, in lower case
    patterns: tuple[str, ...]
    title: str
    severity: str  # one of findings.SEVERITIES
    domain: str  # one of findings.DOMAINS
    subject: str  # one of SUBJECTS
    gate: str  # one of GATES: what the health gate makes of it in this boot
    why: Cause
    products: tuple[str, ...] = ()  # only these; empty: all
    not_products: tuple[str, ...] = ()
    when: tuple[Rule, ...] = ()  # all must hold
    supersedes: tuple[str, ...] = ()  # faults that are not reported for the same subject
    explains: tuple[str, ...] = ()  # findings that are consequences
    scope: str = "gpu"  # whose: gpu (the same subject), node (any subject)
    echoes: bool = False  # the same fault of other GPUs afterwards is a consequence of the first GPU's
    together: int = 0  # lines within which the same fault of other GPUs is one event with it
    announced_by: tuple[str, ...] = ()  # faults of the same GPU that may say the same long before
    begins_with: tuple[str, ...] = ()  # faults and marks that such an event begins with, on the GPU that it came from

    @classmethod
    def read(cls, reader: Reader, proved: bool = False) -> Fault:
        """One record of ``faults``."""
        ident, where, words, patterns = _head(reader, proved)
        fault = cls(
            ident, where, words, patterns,
            title=reader.text("title"),
            severity=reader.choice("severity", SEVERITIES),
            domain=reader.choice("domain", DOMAINS),
            subject=reader.choice("subject", SUBJECTS),
            gate=reader.choice("gate", GATES),
            products=reader.texts("products", (), NAME),
            not_products=reader.texts("not_products", (), NAME),
            when=reader.records("when", Rule.read, []),
            supersedes=reader.texts("supersedes", (), ID),
            explains=reader.texts("explains", (), ID),
            scope=reader.choice("scope", ("gpu", "node"), "gpu"),
            echoes=reader.flag("echoes", False),
            together=positive(reader, "together") if reader.has("together") else 0,
            announced_by=reader.texts("announced_by", (), ID),
            begins_with=reader.texts("begins_with", (), ID),
            why=Cause(reader.text("cause"), reader.text("remedy"), _filled(reader, "sources"),
                      reader.choice("confidence", CONFIDENCES)),
        )
        fault._check(reader.path)
        return fault

    def _check(self, path: str) -> None:
        """Raise Contradiction where the parts do not fit each other."""
        named = frozenset().union(*map(groups, self.patterns))
        needed = NAMED_BY.get(self.subject, ())
        if needed and not named & set(needed):
            raise Contradiction(f"{path}.subject", f"is {self.subject}, and no pattern has a group "
                                f"{' or '.join(needed)}", f"name it in a pattern: (?P<{needed[0]}>...)")
        for name in PLACE.findall(self.title):
            if name not in named | ALWAYS:
                raise Contradiction(f"{path}.title", f"names {{{name}}}, and no pattern has that group",
                                    f"name it in a pattern: (?P<{name}>...)")
        if self.domain == "workload" and self.gate == "fail":
            raise Contradiction(f"{path}.gate", "is fail for a fault of the workload, which condemns no hardware",
                                "choose warn or none")
        if self.together and self.echoes:
            raise Contradiction(f"{path}.together", "is there beside echoes", "keep one of the two")
        if self.begins_with and not self.together:
            raise Contradiction(f"{path}.begins_with", "is there without together", "say how many lines an event has")
        if self.products and self.not_products:
            raise Contradiction(f"{path}.not_products", "is there beside products", "keep one of the two")


def _head(reader: Reader, proved: bool) -> tuple[str, str, tuple[str, ...], tuple[str, ...]]:
    """What faults and marks share: id, where, words, patterns."""
    ident = reader.text("id", pattern=ID)
    where = reader.choice("where", WHERE)
    words, patterns = _filled(reader, "words", WORD), _filled(reader, "patterns")
    for index, pattern in enumerate(() if proved else patterns):
        path = f"{reader.path}.patterns[{index}]"
        wrong = complaint(pattern)
        if wrong:
            raise Contradiction(path, wrong, "write it otherwise")
        bare = without_words(pattern, words)
        if bare is not None:
            raise Contradiction(path, f"matches {bare!r}, which has none of the words {', '.join(words)}",
                                "add a word that is in every line it matches")
    return ident, where, words, patterns


def _filled(reader: Reader, key: str, pattern: str = "") -> tuple[str, ...]:
    values = reader.texts(key, pattern=pattern)
    if not values:
        raise DataError(f"{reader.path}.{key}", "is empty", "fill it in")
    return values


KINDS: dict[str, t.Callable[[Reader, bool], t.Any]] = {"faults": Fault.read, "marks": Mark.read}
Placed = At[t.Union[Fault, Mark]]


def read_document(raw: object, path: str, proved: bool = False) -> tuple[Placed, ...]:
    """The records of one file. ``proved``: as of ``FaultCatalogue.from_documents``.

    Raises:
        DataError: the file is not of the form that its ``kind`` has; the message names file and path.
    """
    reader, kind = begun(raw, path, tuple(KINDS))
    records = reader.records(kind, lambda inner: (inner.path, KINDS[kind](inner, proved)))
    reader.done()
    return records


@dc.dataclass(frozen=True)
class FaultCatalogue:
    """All faults and marks by id, those of sites over ours."""

    faults: t.Mapping[str, Fault]
    marks: t.Mapping[str, Mark]

    @classmethod
    def from_documents(
        cls, documents: t.Iterable[Document], also: t.Collection[str] = (), proved: bool = False,
    ) -> FaultCatalogue:
        """From ``{path, data, layer}`` of each file: a record of a higher layer replaces one of that id.

        Args:
            documents: files of kind faults and marks, as plugin_utils/diagnosis_files.py reads them, lowest first.
            also: ids of records of other kinds, which faults may explain, and may not have themselves.
            proved: the control machine has already found the patterns cheap and their words right, which takes most of
                the time: a node need not do it again.

        Raises:
            DataError: a file is not right, or names a record that there is not; the message names file and path.
        """
        layers: Layers[Fault | Mark] = Layers()
        for document in documents:
            layers.add(document, read_document(document["data"], document["path"], proved))
        placed = layers.placed
        for path, record in placed.values():
            if record.id in also:
                raise Contradiction(f"{path}.id", f"{record.id!r} is the id of a check", "rename it")
            if isinstance(record, Fault):
                _references(path, record, placed, also)
        records = [record for _path, record in placed.values()]
        found = cls({r.id: r for r in records if isinstance(r, Fault)},
                    {r.id: r for r in records if isinstance(r, Mark)})
        for path, record in placed.values():
            if record.id in found.superseded(record.id):
                raise Contradiction(f"{path}.supersedes", "leads back to itself", "let the more special one supersede")
        return found

    def superseded(self, ident: str) -> frozenset[str]:
        """Ids of the faults that give way to this one, directly or in steps."""
        found: set[str] = set()
        rest = [ident]
        while rest:
            fault = self.faults.get(rest.pop())
            new = set(fault.supersedes) - found if fault else set()
            found |= new
            rest += sorted(new)
        return frozenset(found)

    def patterns(self, where: t.Collection[str] = WHERE) -> list[dict[str, t.Any]]:
        """Plain form of what is looked for in logs: the option ``log_patterns`` of gpu_node_info."""
        records: list[Fault | Mark] = [*self.faults.values(), *self.marks.values()]
        return [{"id": r.id, "where": r.where, "words": list(r.words), "patterns": list(r.patterns),
                 **(_wishes(r) if isinstance(r, Fault) else {})} for r in records if r.where in where]


def _wishes(fault: Fault) -> dict[str, list[str]]:
    """What must be kept of a fault's lines beside their number: names that tell its subjects apart, what follows."""
    named = frozenset().union(*map(groups, fault.patterns))
    wishes = {"keep": [name for name in NAMED_BY.get(fault.subject, ()) if name in named],
              "followed_by": [str(rule.value) for rule in fault.when if rule.within]}
    return {name: values for name, values in wishes.items() if values}


def _references(path: str, fault: Fault, known: t.Mapping[str, Placed], also: t.Collection[str]) -> None:
    """Raise Contradiction if a fault names a record that there is not."""
    faults = {ident for ident, (_path, record) in known.items() if isinstance(record, Fault)}
    for key, ids, allowed in (
        ("explains", fault.explains, faults | set(also)), ("supersedes", fault.supersedes, faults),
        ("announced_by", fault.announced_by, faults),
        ("begins_with", fault.begins_with, set(known)),
    ):
        for index, ident in enumerate(ids):
            if ident not in allowed:
                what = "fault or mark" if key == "begins_with" else "fault"
                raise Contradiction(f"{path}.{key}[{index}]", f"there is no {what} {ident!r}", "correct or remove it")
            if ident == fault.id:
                raise Contradiction(f"{path}.{key}[{index}]", "is the fault itself", "remove it")
    for index, rule in enumerate(fault.when):
        if rule.kind in ABOUT_LINES and rule.value not in known:
            raise Contradiction(f"{path}.when[{index}].{rule.kind}", f"there is no fault or mark {rule.value!r}",
                                "correct or remove it")
        if rule.within and known[str(rule.value)][1].where != fault.where:
            raise Contradiction(f"{path}.when[{index}].within", f"counts lines of one log, and {rule.value!r} is in "
                                "another", "remove it")
