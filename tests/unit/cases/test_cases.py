# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files as people send them, each read as a bundle and diagnosed with all that is known: cases.yml and nodes.yml.

What the keys of a case mean:
    root: id of the finding that comes first.
    found: findings that must be there; only what is named of each is compared.
    must_not: ids of findings that must not be there.
    quiet: nothing may be found but what is only told (severity info).
    calm: nothing may be found that takes a GPU or the node out of work (severity error and above).
    warns: the node stays in work, and somebody is told.
    only_subjects: id of a check -> the subjects that it may find.
    told, not_told: words in, or not in, what the bundle says of its files.
    look: path in the look -> value.
    refused: words in the sentence with which the whole bundle is refused.
    disagrees: why our verdict is another one than that of whoever collected the case.
"""

from __future__ import annotations

import dataclasses as dc
import functools
import pathlib
import typing as t

import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.module_utils._core.diagnosis.conclusion import Diagnosis
from ansible_collections.instinct.fleet.plugins.module_utils._core.diagnosis.diagnose import Options, diagnose
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.findings import Finding
from ansible_collections.instinct.fleet.plugins.plugin_utils import bundle, diagnosing

from .kfd_trees import GENERATED

HERE = pathlib.Path(__file__).parent
CASES = yaml.safe_load((HERE / "cases.yml").read_text(encoding="utf-8"))
NODES = yaml.safe_load((HERE / "nodes.yml").read_text(encoding="utf-8"))
Case = dict[str, t.Any]


@functools.cache
def known() -> diagnosing.Data:
    """All data of the collection."""
    return diagnosing.data((), diagnosing.PROFILE)


def findings(diagnosis: Diagnosis) -> list[Finding]:
    """Roots and consequences together."""
    return [finding for ranked in diagnosis.ranked for finding in (ranked.finding, *ranked.consequences)]


def at(value: t.Any, path: str) -> t.Any:
    """What is at a path of fields, keys and places; None if the path ends before."""
    for part in path.split("."):
        if isinstance(value, (list, tuple)) and part.isdigit():
            value = value[int(part)] if int(part) < len(value) else None
        else:
            value = value.get(part) if isinstance(value, dict) else None
    return list(value) if isinstance(value, tuple) else value


def where(case: Case, folder: pathlib.Path) -> str:
    """The path of the bundle of a case; trees of many files are made."""
    if not case["file"].startswith("generated: "):
        return str(HERE / "fixtures" / case["file"])
    name = case["file"].removeprefix("generated: ")
    GENERATED[name](str(folder / name))
    return str(folder / name)


def wrong(case: Case, folder: pathlib.Path) -> list[str]:
    """What of a case is not as it must be, in words; nothing if all is."""
    try:
        read = bundle.read(where(case, folder), known().log_patterns, known().setting_names)
    except FleetError as error:
        return [] if case.get("refused", "\0") in str(error) else [f"refused: {error}"]
    if "refused" in case:
        return [f"read: {read.notes}"]
    diagnosis = diagnose(read.look, known().knowledge, Options(host_profiles=(diagnosing.HOST_PROFILE,)))
    return [*_found(case, diagnosis), *_seen(case, read)]


def _found(case: Case, diagnosis: Diagnosis) -> t.Iterator[str]:
    have = findings(diagnosis)
    ids = [(finding.id, finding.subject) for finding in have]
    if "root" in case and (diagnosis.root is None or diagnosis.root.id != case["root"]):
        yield f"root is {diagnosis.root and diagnosis.root.id}, of {ids}"
    for wanted in case.get("found", ()):
        if not any(all(getattr(finding, key) == value for key, value in wanted.items()) for finding in have):
            yield f"{wanted} is not among {[(f.id, f.subject, f.severity, f.domain) for f in have]}"
    for finding in have:
        loud = finding.severity != "info" if case.get("quiet") else finding.severity in ("error", "critical")
        if (case.get("quiet") or case.get("calm") or case.get("warns")) and loud:
            yield f"{finding.id} was found ({finding.severity}: {finding.summary})"
        if finding.id in case.get("must_not", ()):
            yield f"{finding.id} was found"
    if case.get("warns") and not any(finding.severity == "warning" for finding in have):
        yield "nothing warns"
    for ident, subjects in case.get("only_subjects", {}).items():
        if sorted(subject for id_, subject in ids if id_ == ident) != subjects:
            yield f"{ident} was found of {ids}"


def _seen(case: Case, read: bundle.Read) -> t.Iterator[str]:
    told, look = " | ".join(read.notes), dc.asdict(read.look)
    if case.get("told", "") not in told:
        yield f"told {told}"
    if case.get("not_told", "\0") in told:
        yield f"told {told}"
    for path, value in case.get("look", {}).items():
        if at(look, path) != value:
            yield f"{path} is {at(look, path)!r}"


@pytest.mark.parametrize("case", [case for case in (*CASES, *NODES) if "disagrees" not in case], ids=lambda c: c["name"])
def test_case_is_read_and_diagnosed_as_it_must_be(case: Case, tmp_path: pathlib.Path) -> None:
    assert wrong(case, tmp_path) == []


def test_nearly_all_cases_agree_and_the_rest_say_why(tmp_path: pathlib.Path) -> None:
    disagreeing = [case for case in CASES if "disagrees" in case]
    assert len(CASES) == 165
    assert len(disagreeing) <= 0.05 * len(CASES)
    assert [case["name"] for case in disagreeing if not wrong(case, tmp_path) or len(case["disagrees"]) < 20] == []


def test_every_case_demands_something() -> None:
    demands = {"root", "found", "must_not", "quiet", "calm", "warns", "only_subjects", "told", "look", "refused"}
    assert [case["name"] for case in (*CASES, *NODES) if not demands & set(case)] == []


def test_every_fixture_belongs_to_a_case() -> None:
    used = [case["file"] for case in (*CASES, *NODES)]
    fixtures = [path.relative_to(HERE / "fixtures").as_posix() for path in (HERE / "fixtures").rglob("*") if path.is_file()]
    assert [name for name in fixtures if not name.startswith(tuple(used))] == []
