# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The data of the catalogue: order, uniqueness, sources, and that it is what the generator writes."""

from __future__ import annotations

import collections
import importlib.util
import re

import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.readings import VIRTUAL_IDS
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.catalogue import KEYS, read_document
from ansible_collections.instinct.fleet.tests.unit.support.catalogue import (
    CATALOGUE,
    ROOT,
    catalogue,
    document,
    own,
    resolved,
)

FILES = sorted(str(path.relative_to(CATALOGUE)) for path in CATALOGUE.rglob("*.yml"))


def script():
    """tests/catalogue/generate.py as a module."""
    spec = importlib.util.spec_from_file_location("generate", ROOT / "tests/catalogue/generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


generate = script()
translate = generate.translate


def numbers(text):
    return [int(part) for part in re.findall(r"\d+", text)]


def test_the_catalogue_is_what_the_generator_writes():
    assert generate.differing(generate.build(generate.load(list(generate.FACTS))), CATALOGUE) == []


def test_the_check_names_files_that_differ(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(generate, "CATALOGUE", tmp_path)
    assert generate.main([]) == 0
    assert generate.main(["--check"]) == 0
    (tmp_path / "products.yml").write_text("other")
    (tmp_path / "more.yml").write_text("more")
    (tmp_path / "dkms_evidence.yml").unlink()
    assert generate.main(["--check"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "the catalogue is as generated", "dkms_evidence.yml: not as generated", "more.yml: not as generated",
        "products.yml: not as generated"]


def test_the_committed_facts_are_as_much_as_is_needed(tmp_path):
    facts = list(generate.FACTS)
    assert generate.main(["--reduce", str(tmp_path / "facts.yml"), *map(str, facts[:1])]) == 0
    assert (tmp_path / "facts.yml").read_text() == facts[0].read_text()
    assert generate.build(generate.load([tmp_path / "facts.yml", *facts[1:]])) == generate.build(generate.load(facts))


# ROCm -> the driver of its release: AMD's pair, or (with a note) what comes nearest.
PAIRS = [
    ("5.6.0", "5.6.0", ""), ("6.4.0", "6.4", ""), ("7.0.0", "30.10.0", ""), ("7.2.1", "30.30.2", ""),
    ("7.2.2", "30.30.2", ""), ("7.12.0", "31.20.0", ""), ("7.14.0", "31.40.0", ""),
    ("7.14.1", "31.40.0", "AMD names drivers 31.40.x; 31.40.0 is the one whose build number is known"),
    ("10.0.0", "31.50.0", ""),
]


@pytest.mark.parametrize(("rocm", "driver", "note"), PAIRS)
def test_a_rocm_has_the_driver_that_amd_pairs_it_with(rocm, driver, note):
    facts = generate.load(list(generate.FACTS))
    fact = next(f for f in facts["rocm_releases"] if f["rocm"] == rocm)
    found, said = generate.releases.pair(facts, fact)
    assert (found["driver"], said) == (driver, note)


def test_a_rocm_without_driver_is_an_error():
    facts = generate.load(list(generate.FACTS))
    with pytest.raises(ValueError, match=r"no driver is paired with ROCm 11\.0\.0"):
        generate.releases.pair(facts, {"rocm": "11.0.0", "driver": "another"})


@pytest.mark.parametrize(("printed", "own", "series"), [
    ("5.14.0-362", "5.14.0-284", "5.14.0"), ("5.14.0-362", "5.14.0-362", "5.14.0-362"), ("5.14.0", "5.14.0-284", "5.14.0"),
    ("5.14.0-570", None, "5.14.0-570"), ("5.14.21-150500", "5.14.21-150400", "5.14.21"), ("4.18-513", "4.18.0-477", "4.18"),
    ("6.4.0-150700.51", None, "6.4.0-150700.51"),
])
def test_the_kernel_of_another_minor_release_is_not_asked_for(printed, own, series):
    assert translate._series(printed, own) == series


@pytest.mark.parametrize("fact", [
    {"driver": "some driver", "kernel": "6.8.0-44-generic", "result": "ok", "source": ["s"]},
    {"driver": "6.8.5-2009582 (6.2.0)", "kernel": "6.8.0-44-generic", "result": "perhaps", "source": ["s"]},
])
def test_a_phrase_that_is_not_understood_is_an_error(fact):
    with pytest.raises(ValueError, match="dkms_build_evidence: not understood"):
        translate.evidence(fact)


VERSIONS = [
    ("01.26.01.03 or later", {"kind": "pldm", "value": "01.26.01.03", "or_later": True}),
    ("01.26.00.02", {"kind": "pldm", "value": "01.26.00.02"}),
    ("01.25.13.04 (needed for SPX/NPS1 and DPX/NPS2)", {"kind": "pldm", "value": "01.25.13.04"}),
    ("BKC12.0 (IFWI PRD1000A) or later",
     {"kind": "bkc", "value": "12.0", "or_later": True, "also": [{"kind": "ifwi", "value": "PRD1000A"}]}),
    ("BKC 27 or later", {"kind": "bkc", "value": "27", "or_later": True}),
    ("BKC 26.1", {"kind": "bkc", "value": "26.1"}),
    ("IFWI 00189939", {"kind": "ifwi", "value": "00189939"}),
    ("MU5 with IFWI 75 or later",
     {"kind": "ifwi", "value": "75", "or_later": True, "also": [{"kind": "mu", "value": "5"}]}),
    ("MU5 w/ IFWI 75 or later",
     {"kind": "ifwi", "value": "75", "or_later": True, "also": [{"kind": "mu", "value": "5"}]}),
    ("PI100D", {"kind": "pi", "value": "PI100D"}),
    ("VBIOS D3430401-037", {"kind": "vbios", "value": "D3430401-037"}),
]


@pytest.mark.parametrize(("text", "record"), VERSIONS)
def test_firmware_in_prose_becomes_data(text, record):
    assert generate.releases.firmware.version(text) == {"text": text} | record


def test_firmware_that_is_not_understood_is_an_error():
    with pytest.raises(ValueError, match="firmware: not understood: the newest"):
        generate.releases.firmware.version("the newest")


def test_a_repository_line_that_changed_is_an_error():
    facts = generate.load(list(generate.FACTS))
    facts["repositories"]["driver"]["items"][0]["line"] += " more"
    with pytest.raises(ValueError, match=r"repositories\.driver: the line of 'apt driver' is not the one"):
        generate.build(facts)


HWE = {"MI300X/MI300A": ["all listed except Ubuntu 22.04.5 [6.8 HWE] and Ubuntu 22.04.4 [6.5 HWE]"]}
LIMITS = [
    (HWE, "Ubuntu 22.04.5", []),
    (HWE, "Ubuntu 22.04.5 [6.8 HWE]", ["MI300X", "MI300A"]),
    ({"MI300A": ["Ubuntu 22.04.4"], "MI300X": ["Ubuntu 22.04.4", "Oracle Linux 8.9"]}, "Oracle Linux 8.9", ["MI300A"]),
    ({"MI300A": ["Ubuntu 22.04.4"]}, "RHEL 8.9 [4.18 None]", []),
    ({}, "Ubuntu 22.04.5", []),
]


@pytest.mark.parametrize(("limits", "label", "barred"), LIMITS)
def test_limits_in_prose_bar_gpus(limits, label, barred):
    assert translate._barred(limits, label) == barred


@pytest.mark.parametrize(("text", "cleaned"), [
    ("idx 56895173219 (apt log)", "a public report: apt log"),
    ("https://h/x.html (idx 69441230317; also holds a table)", "https://h/x.html (also holds a table)"),
    ("notes, dated (idx 57089254818); https://h", "notes, dated; https://h"),
    ("table (31.50.x edition; idx 68932594032; rendered at https://h)",
     "table (31.50.x edition; rendered at https://h)"),
    ("notes (idx 59761771378, 59707215198)", "notes"),
    ("an index of idx", "an index of idx"),
])
def test_numbers_of_an_index_do_not_stay(text, cleaned):
    assert generate.clean({"a": [text, 1]}) == {"a": [cleaned, 1]}


@pytest.mark.parametrize("path", FILES)
def test_records_are_unique(path):
    for section, records in read_document(document(path), path).items():
        counts = collections.Counter(KEYS[section](record) for record in records)
        assert [key for key, count in counts.items() if count > 1] == [], section


@pytest.mark.parametrize("path", FILES)
def test_sources_are_used_and_in_the_order_of_their_use(path):
    data = document(path)
    used = []

    def walk(node):
        if isinstance(node, dict):
            for key, value in node.items():
                used.extend(value if key == "source" else ())
                walk(value)
        elif isinstance(node, list):
            for item in node:
                walk(item)

    walk({k: v for k, v in data.items() if k != "sources"})
    assert list(data["sources"]) == list(dict.fromkeys(used)) == [f"S{i + 1}" for i in range(len(data["sources"]))]


def test_records_are_sorted():
    names = [p.name for p in own().products]
    assert names == sorted(names, key=lambda n: (numbers(n), n))
    lines = [w.driver.text for w in own().windows]
    assert lines == sorted(lines, key=numbers)
    assert [r.name for r in own().rules] == sorted(r.name for r in own().rules)
    assert [k.name for k in own().keys] == sorted(k.name for k in own().keys)
    builds = [(b.driver.key, b.kernel.base, b.kernel.abi) for b in own().builds]
    assert builds == sorted(builds)
    for release in own().releases.values():
        rows = [(row.id, [-n for n in numbers(row.version)]) for row in release.os]
        assert rows == sorted(rows), release.name


def test_an_id_belongs_to_one_product_but_740c():
    ids = collections.Counter(i for p in own().products for i in p.pci_ids + p.vf_ids)
    assert {i: n for i, n in ids.items() if n > 1} == {"740c": 2}


def test_the_look_knows_every_virtual_function_of_the_catalogue():
    assert {i for p in own().products for i in p.vf_ids} == VIRTUAL_IDS


def test_every_gpu_and_driver_of_a_release_is_known():
    products = {p.name for p in own().products}
    for release in own().releases.values():
        assert set(release.gpus) | {f.gpu for f in release.firmware} <= products, release.name
        assert any(w.driver.covers(release.driver.release) for w in own().windows), release.name


@pytest.mark.parametrize("path", FILES)
def test_a_file_is_yaml_in_the_house_style(path):
    text = (CATALOGUE / path).read_text()
    assert text.startswith("---\n# yaml-language-server: ")
    schema = text.splitlines()[1].split("=")[1]
    assert text == generate.document(document(path)["kind"], schema, _spelled(document(path)))


def _spelled(data):
    """The records with sources as texts: what the generator starts from."""
    sources = data["sources"]

    def walk(node):
        if isinstance(node, dict):
            return {k: [sources[s] for s in v] if k == "source" else walk(v) for k, v in node.items()}
        return [walk(item) for item in node] if isinstance(node, list) else node

    return {k: walk(v) for k, v in data.items() if k not in ("version", "kind", "sources")}


def test_facts_are_read_without_surprise():
    for path in generate.FACTS:
        assert isinstance(yaml.safe_load(path.read_text()), dict)


def test_the_release_in_the_readme_resolves():
    text = (ROOT / "roles/gpu_release/README.md").read_text()
    release = yaml.safe_load(re.search(r"```yaml\n(.*?)```", text, re.DOTALL)[1])
    wanted = resolved("site-2026.1", cat=catalogue(release))
    assert wanted.driver.packages == resolved("rocm-7.2.3").driver.packages
