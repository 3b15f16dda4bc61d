# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The catalogue of faults is read strictly; a complaint names file and path."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.faults.catalogue import (
    Fault,
    FaultCatalogue,
    Mark,
    read_document,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.faults.rules import Rule
from ansible_collections.instinct.fleet.plugins.module_utils._core.findings import Cause
from ansible_collections.instinct.fleet.tests.unit.support.faults import catalogue, document, fault, mark


def test_a_fault_is_read():
    found = catalogue(
        fault("probe-no-bar", words=["probe"], patterns=[r"probe of (?P<bdf>\S+) failed with error (?P<code>-12)"],
              title="{bdf}: error {code}, {count} times", domain="pcie", products=["MI210"], supersedes=["gpu-fatal"],
              explains=["gpu-fatal"], announced_by=["gpu-fatal"], scope="node", echoes=True, when=[{"not_seen": "bar-placed"}]),
        fault("gpu-fatal", not_products=["MI300X"], together=9, begins_with=["probe-no-bar", "bar-placed"]),
        marks=(mark("bar-placed", sources=["kernel"]),))
    assert found.faults["probe-no-bar"] == Fault(
        "probe-no-bar", "kernel", ("probe",), (r"probe of (?P<bdf>\S+) failed with error (?P<code>-12)",),
        "{bdf}: error {code}, {count} times", "error", "pcie", "gpu", "fail",
        Cause("A cause.", "Do something.", ("https://example.com/1",), "documented"),
        products=("MI210",), when=(Rule("not_seen", "bar-placed"),), supersedes=("gpu-fatal",), explains=("gpu-fatal",),
        scope="node", echoes=True, announced_by=("gpu-fatal",))
    fatal = found.faults["gpu-fatal"]
    assert (fatal.not_products, fatal.together, fatal.begins_with) == (("MI300X",), 9, ("probe-no-bar", "bar-placed"))
    assert found.marks == {
        "bar-placed": Mark("bar-placed", "kernel", ("bar placed",), ("bar placed",), "the bar placed", ("kernel",))}


def test_what_a_node_looks_for():
    found = catalogue(fault("gpu-lost"), fault("build-failed", where="dkms"), marks=(mark("bar-placed"),))
    lost = {"id": "gpu-lost", "where": "kernel", "words": ["gpu lost"], "patterns": ["gpu lost"]}
    build = {"id": "build-failed", "where": "dkms", "words": ["build failed"], "patterns": ["build failed"]}
    placed = {"id": "bar-placed", "where": "kernel", "words": ["bar placed"], "patterns": ["bar placed"]}
    assert found.patterns() == [lost, build, placed]
    assert found.patterns(("dkms",)) == [build]


def test_a_node_is_told_what_to_keep_apart_and_what_may_follow():
    known = catalogue(
        fault("page-fault", subject="process", patterns=["page fault", "page fault (?P<process>x) (?P<pid>1)"]),
        fault("build", subject="kernel", patterns=["build (?P<kernel>x)"]),
        fault(patterns=["gpu lost (?P<pid>1)"], when=[{"followed_by": "build"}, {"not_followed_by": "placed", "within": 9}]),
        marks=(mark("placed"),))
    wishes = {record["id"]: {key: record[key] for key in ("keep", "followed_by") if key in record} for record in known.patterns()}
    assert wishes == {"page-fault": {"keep": ["pid", "process"]}, "build": {"keep": ["kernel"]}, "gpu-lost": {"followed_by": ["placed"]}, "placed": {}}


def test_lines_between_are_of_one_log():
    with pytest.raises(DataError) as caught:
        catalogue(fault(when=[{"followed_by": "build", "within": 9}]), fault("build", where="dkms"))
    assert caught.value.sentence == "f.yml: faults[0].when[0].within: counts lines of one log, and 'build' is in another; remove it"


def test_a_site_replaces_a_record_by_its_id():
    ours = document("faults", fault("gpu-lost"), fault("gpu-fatal", explains=["gpu-lost"]))
    theirs = document("faults", fault("gpu-lost", severity="info"), fault("site-own"), layer=1, path="site.yml")
    found = FaultCatalogue.from_documents([ours, theirs])
    assert sorted(found.faults) == ["gpu-fatal", "gpu-lost", "site-own"]
    assert found.faults["gpu-lost"].severity == "info"


def test_a_site_may_make_a_mark_of_a_fault():
    found = FaultCatalogue.from_documents(
        [document("faults", fault("gpu-lost")), document("marks", mark("gpu-lost"), layer=1, path="site.yml")])
    assert (list(found.faults), list(found.marks)) == ([], ["gpu-lost"])


def test_a_fault_may_explain_a_check():
    found = FaultCatalogue.from_documents([document("faults", fault("gpu-lost", explains=["gpu-count"]))], {"gpu-count"})
    assert found.faults["gpu-lost"].explains == ("gpu-count",)


def test_what_gives_way_gives_way_in_steps():
    found = catalogue(fault("aaa", supersedes=["bbb"]), fault("bbb", supersedes=["ccc", "ddd"]), fault("ccc"),
                      fault("ddd", supersedes=["ccc"]))
    assert found.superseded("aaa") == {"bbb", "ccc", "ddd"}
    assert found.superseded("ccc") == set()


BAD = [
    (fault(patterns=["("]), "patterns[0]: is no regular expression: missing ), unterminated subpattern at position 0; "
                            "write it otherwise"),
    (fault(patterns=["gpu lost", "(a+)+gpu lost"]),
     "patterns[1]: has an open repetition within a repetition; write it otherwise"),
    (fault(patterns=["gpu (?:lost|gone)"]),
     "patterns[0]: matches 'gpu gone', which has none of the words gpu lost; add a word that is in every line it matches"),
    (fault(words=[]), "words: is empty; fill it in"),
    (fault(words=["GPU lost"]), "words[0]: is 'GPU lost', which does not match [^A-Z]{3,}; write it in that form"),
    (fault(patterns=[]), "patterns: is empty; fill it in"),
    (fault(sources=[]), "sources: is empty; fill it in"),
    (fault(where="dmesg"), "where: is 'dmesg'; choose one of kernel, dkms, packages, container, library, tool"),
    (fault(domain="gpu"), "domain: is 'gpu'; choose one of driver, firmware, pcie, hardware, workload, configuration, "
                          "packages, container, fabric"),
    (fault(severity="fatal"), "severity: is 'fatal'; choose one of info, warning, error, critical"),
    (fault(gate="drain"), "gate: is 'drain'; choose one of fail, warn, none"),
    (fault(subject="process"), "subject: is process, and no pattern has a group pid or process; "
                               "name it in a pattern: (?P<pid>...)"),
    (fault(subject="package"), "subject: is package, and no pattern has a group package; "
                               "name it in a pattern: (?P<package>...)"),
    (fault(title="block {block}"), "title: names {block}, and no pattern has that group; "
                                   "name it in a pattern: (?P<block>...)"),
    (fault(domain="workload"), "gate: is fail for a fault of the workload, which condemns no hardware; "
                               "choose warn or none"),
    (fault(products=["MI210"], not_products=["MI100"]), "not_products: is there beside products; keep one of the two"),
    (fault(together=9, echoes=True), "together: is there beside echoes; keep one of the two"),
    (fault(together=0), "together: is 0; write a number from 1"),
    (fault(begins_with=["some-mark"]), "begins_with: is there without together; say how many lines an event has"),
    (fault(together=9, begins_with=["back", "some-mark", "check"]), "begins_with[2]: there is no fault or mark 'check'; correct or remove it"),
    (fault(products=["MI 210"]), r"products[0]: is 'MI 210', which does not match MI\d+[A-Z]?; write it in that form"),
    (fault(when=[{}, {}]), None),
    (fault(explains=["none"]), "explains[0]: there is no fault 'none'; correct or remove it"),
    (fault(explains=["some-mark"]), "explains[0]: there is no fault 'some-mark'; correct or remove it"),
    (fault(explains=["gpu-lost"]), "explains[0]: is the fault itself; remove it"),
    (fault(supersedes=["check"]), "supersedes[0]: there is no fault 'check'; correct or remove it"),
    (fault(supersedes=["back"]), "supersedes: leads back to itself; let the more special one supersede"),
    (fault(when=[{"count_from": 2}, {"seen": "none"}]),
     "when[1].seen: there is no fault or mark 'none'; correct or remove it"),
    (fault(id="back"), "id: 'back' is also f.yml: faults[0]; rename one"),
    (fault(id="some-mark"), "id: 'some-mark' is also m.yml: marks[0]; rename one"),
    (fault(id="check"), "id: 'check' is the id of a check; rename it"),
    (fault(id="GPU lost"), "id: is 'GPU lost', which does not match [a-z0-9]+(?:-[a-z0-9]+)*; write it in that form"),
    (fault(colour="red"), "colour: is not a known key; remove it"),
]


@pytest.mark.parametrize(("record", "sentence"), BAD, ids=lambda value: value if isinstance(value, str) else "")
def test_a_wrong_record_is_refused(record, sentence):
    files = [document("marks", mark("some-mark"), path="m.yml"),
             document("faults", fault("back", supersedes=["gpu-lost"] if record["id"] == "gpu-lost" else []), record)]
    with pytest.raises(DataError) as caught:
        FaultCatalogue.from_documents(files, {"check"})
    if sentence and sentence.startswith("supersedes: leads"):
        assert caught.value.sentence == f"f.yml: faults[0].{sentence}"
    elif sentence:
        assert caught.value.sentence == f"f.yml: faults[1].{sentence}"
    else:
        assert caught.value.where == "f.yml: faults[1].when[0]"


@pytest.mark.parametrize(("data", "sentence"), [
    ([], "f.yml: is a list, not a mapping; write it as a mapping"),
    ({"version": "v2", "kind": "faults", "faults": []}, "f.yml: version: is 'v2'; choose one of v1"),
    ({"version": "v1", "kind": "knobs", "knobs": []}, "f.yml: kind: is 'knobs'; choose one of faults, marks"),
    ({"version": "v1", "kind": "faults"}, "f.yml: faults: is missing; add it"),
    ({"version": "v1", "kind": "marks", "marks": [{}]}, "f.yml: marks[0].id: is missing; add it"),
    ({"version": "v1", "kind": "marks", "marks": [], "faults": []}, "f.yml: faults: is not a known key; remove it"),
])
def test_a_wrong_file_is_refused(data, sentence):
    with pytest.raises(DataError) as caught:
        read_document(data, "f.yml")
    assert caught.value.sentence == sentence


def test_what_the_control_machine_has_proved_a_node_takes_as_it_is():
    dear = document("faults", fault("gpu-lost", patterns=["gpu lost (a+)+b"]))
    with pytest.raises(DataError, match="open repetition within a repetition"):
        FaultCatalogue.from_documents([dear])
    assert FaultCatalogue.from_documents([dear], proved=True).faults["gpu-lost"].patterns == ("gpu lost (a+)+b",)
    with pytest.raises(DataError, match="severity"):
        FaultCatalogue.from_documents([document("faults", fault("gpu-lost", severity="bad"))], proved=True)
