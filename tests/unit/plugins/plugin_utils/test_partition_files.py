# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files about partitions are read on the controller, a site's over ours; what is wrong is one sentence."""

from __future__ import annotations

import copy

import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.reading import read_capabilities
from ansible_collections.instinct.fleet.plugins.plugin_utils import partition_files
from ansible_collections.instinct.fleet.tests.unit.support.partition_data import DATA, FILES, document, own

PROFILES = ("cpx-nps1", "cpx-nps2", "cpx-nps4", "dpx-nps1", "dpx-nps2", "half-spx-half-cpx", "qpx-nps1", "qpx-nps2",
            "qpx-nps4", "spx-nps1", "tpx-nps1")


def profile(name, **change):
    rule = {"gpus": "all", "compute": "SPX", "memory": "NPS1"}
    return {"version": "v1", "kind": "partition_profile", "name": name, "gpus": [rule]} | change


@pytest.fixture
def site(tmp_path):
    """Write site directories: name of the directory -> relative path -> data or text; return them in that order."""
    def write(**directories):
        for name, files in directories.items():
            for path, data in files.items():
                target = tmp_path / name / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(data if isinstance(data, str) else yaml.safe_dump(data))
        return tuple(str(tmp_path / name) for name in directories)
    return write


def test_our_directory_is_read():
    assert [(d["path"], d["layer"]) for d in partition_files.capabilities()] == [
        (str(DATA / "drivers.yml"), 0), (str(DATA / "products.yml"), 0)]
    assert tuple(partition_files.profiles()) == PROFILES
    assert len(FILES) == 2 + len(PROFILES)


def test_files_are_read_once():
    assert partition_files.capabilities()[0]["data"] is partition_files.capabilities([])[0]["data"]


def test_a_profile_has_its_path():
    found = partition_files.profile((), "cpx-nps4")
    assert found == {"path": str(DATA / "profiles/cpx-nps4.yml"), "data": document("profiles/cpx-nps4.yml"), "layer": 0}


def test_the_last_directory_wins_by_name_of_profile(site, tmp_path):
    directories = site(one={"a.yml": profile("cpx-nps4", description="one"), "profiles/b.yml": profile("mine")},
                       two={"profiles/c.yml": profile("cpx-nps4", description="two")})
    assert tuple(partition_files.profiles(directories)) == tuple(sorted([*PROFILES, "mine"]))
    assert [partition_files.profile(dirs, "cpx-nps4")["data"]["description"] for dirs in (
        directories, directories[::-1], directories[:1])] == ["two", "one", "one"]
    assert partition_files.profile(directories, "cpx-nps4") == {
        "path": f"{tmp_path}/two/profiles/c.yml", "data": profile("cpx-nps4", description="two"), "layer": 2}


def test_the_last_directory_wins_by_name_of_product(site):
    data = document("products.yml")
    changed = copy.deepcopy(next(product for product in data["products"] if product["name"] == "MI308X"))
    changed["pairs"] = changed["pairs"][:1]
    directories = site(one={"products.yml": data | {"products": [changed]}})
    found = read_capabilities(partition_files.capabilities(directories))
    assert [(pair.compute, pair.memory) for pair in found.products["MI308X"].pairs] == [("SPX", "NPS1")]
    assert found.products["MI300X"] == own().products["MI300X"]


ALL = ", ".join(PROFILES)
UNKNOWN = [
    ("cpx-nps8", f"gpu_partition_profile: there is no profile 'cpx-nps8'; did you mean cpx-nps4, of {ALL}"),
    ("CPX_NPS2", f"gpu_partition_profile: there is no profile 'CPX_NPS2'; did you mean cpx-nps2, of {ALL}"),
    ("mig-1g.5gb", f"gpu_partition_profile: there is no profile 'mig-1g.5gb'; choose one of {ALL}"),
    ("", f"gpu_partition_profile: there is no profile ''; choose one of {ALL}"),
]


@pytest.mark.parametrize(("name", "sentence"), UNKNOWN)
def test_a_profile_that_is_not_there_is_one_sentence(name, sentence):
    with pytest.raises(FleetError) as caught:
        partition_files.profile((), name)
    assert caught.value.sentence == sentence


BAD = [
    ("no mapping", {"a.yml": "[1]"}, "{one}/a.yml: is not a mapping; write version, kind and records"),
    ("no kind", {"a.yml": {"version": "v1"}},
     "{one}/a.yml: kind: is None; choose one of partition_products, partition_drivers, partition_profile"),
    ("a kind that cannot be hashed", {"a.yml": {"kind": ["partition_profile"]}},
     "{one}/a.yml: kind: is ['partition_profile']; choose one of partition_products, partition_drivers, partition_profile"),
    ("an ending of other tools", {"profiles/a.yaml": profile("a")},
     "{one}/profiles/a.yaml: is not read: catalogue files end in .yml; rename it"),
    ("no YAML", {"a.yml": "a: [1"}, None),
    ("a key twice", {"a.yml": "kind: partition_profile\nkind: partition_profile\n"},
     "{one}/a.yml: cannot be read: key 'kind' is there twice, line 2; mend the file, or take its directory out of "
     "gpu_partition_catalogue_dirs"),
    ("a tag", {"a.yml": "!!python/object/apply:os.system ['true']"}, None),
    ("no name", {"a.yml": {"kind": "partition_profile"}}, "{one}/a.yml: name: is missing or no text; name the profile"),
    ("a name that is none", {"a.yml": profile(7)}, "{one}/a.yml: name: is missing or no text; name the profile"),
    ("a name twice in one directory", {"a.yml": profile("a"), "profiles/b.yml": profile("a")},
     "{one}/profiles/b.yml: name: 'a' is also that of {one}/a.yml; rename one"),
]


@pytest.mark.parametrize(("files", "sentence"), [b[1:] for b in BAD], ids=[b[0] for b in BAD])
def test_a_wrong_file_is_named(site, files, sentence):
    directories = site(one=files)
    with pytest.raises(FleetError) as caught:
        partition_files.profile(directories, "spx-nps1")
    if sentence is None:
        assert caught.value.sentence.startswith(f"{directories[0]}/a.yml: cannot be read: ")
    else:
        assert caught.value.sentence == sentence.format(one=directories[0])


def test_a_directory_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FleetError) as caught:
        partition_files.capabilities((str(tmp_path / "none"),))
    assert caught.value.sentence == (
        f"gpu_partition_catalogue_dirs: {tmp_path}/none is not a directory; name existing directories")


RULES = [{"gpus": "all", "compute": "CPX", "memory": "NPS4"}]


def test_a_profile_is_chosen_by_its_name_or_given_as_rules(site):
    assert partition_files.chosen((), "cpx-nps4", []).name == "cpx-nps4"
    assert partition_files.chosen(site(one={"a.yml": profile("mine")}), "mine", []).rules[0].compute == "SPX"
    assert partition_files.chosen((), "", RULES).rules[0].compute == "CPX"
    assert partition_files.chosen((), "", []) is None


@pytest.mark.parametrize(("name", "rules", "sentence"), [
    ("cpx-nps4", RULES, "x_profile: is set, and so is x_gpus; set one of them"),
    ("", [{**RULES[0], "memory": "NPS3"}], "x_gpus[0].memory: is 'NPS3'"),
    ("cpx-nps8", [], "gpu_partition_profile: there is no profile 'cpx-nps8'"),
])
def test_what_cannot_be_chosen(name, rules, sentence):
    with pytest.raises(FleetError) as caught:
        partition_files.chosen((), name, rules, "x_")
    assert caught.value.sentence.startswith(sentence)
