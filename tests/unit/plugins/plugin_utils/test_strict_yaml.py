# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""YAML of a catalogue directory is read strictly."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.plugin_utils.strict_yaml import documents, files_of, load

HINT = "mend the file, or take its directory out of the_variable"


@pytest.fixture
def write(tmp_path):
    """Write a file, given as text or bytes; return its path."""
    def made(content, name="a.yml"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path
    return made


def test_what_is_right_is_read(write):
    assert load(write("a: [1, x]\nb: {c: true}\n"), "the_variable") == {"a": [1, "x"], "b": {"c": True}}


BAD = [
    ("a: 1\nb: 2\na: 3\n", "key 'a' is there twice, line 3"),
    ("x:\n  - a: 1\n    a: 1\n", "key 'a' is there twice, line 3"),
    ("a: [1", "did not find expected ',' or ']', line 2"),
    ("a: !!python/object/apply:os.system [id]\n",
     "could not determine a constructor for the tag 'tag:yaml.org,2002:python/object/apply:os.system', line 1"),
    (b"a: \xff\n", "byte 3 is not UTF-8"),
    ("a: \x07\n", "unacceptable character #x0007: control characters are not allowed"),
    ("[" * 3000, "exceeded maximum nesting depth, line 1"),
    ("{a: " * 900 + "}" * 900, "it is nested too deeply"),
]


@pytest.mark.parametrize(("content", "said"), BAD)
def test_what_is_wrong_is_one_sentence(write, content, said):
    path = write(content)
    with pytest.raises(FleetError) as caught:
        load(path, "the_variable")
    assert caught.value.where == str(path)
    assert caught.value.what.startswith(f"cannot be read: {said}")
    assert caught.value.hint == HINT
    assert "\n" not in caught.value.sentence


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FleetError) as caught:
        load(tmp_path / "none.yml", "the_variable")
    assert caught.value.sentence == f"{tmp_path}/none.yml: cannot be read: No such file or directory; {HINT}"


def test_files_come_folder_by_folder(write, tmp_path):
    for name in ("b.yml", "a.yml", "z/d.yml", "c/e.yml", "c/README.md", "other/f.yml"):
        write("", name)
    found = files_of(tmp_path, (".", "z", "c", "none"), "the_variable")
    assert [str(path.relative_to(tmp_path)) for path in found] == ["a.yml", "b.yml", "z/d.yml", "c/e.yml"]


@pytest.mark.parametrize("name", ["a.yaml", "c/a.json"])
def test_a_file_that_would_be_overlooked_is_named(write, tmp_path, name):
    path = write("", name)
    with pytest.raises(FleetError) as caught:
        files_of(tmp_path, (".", "c"), "the_variable")
    assert caught.value.sentence == f"{path}: is not read: catalogue files end in .yml; rename it"


def test_a_directory_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FleetError) as caught:
        files_of(tmp_path / "none", (".",), "the_variable")
    assert caught.value.sentence == f"the_variable: {tmp_path}/none is not a directory; name existing directories"


def test_documents_are_ours_then_those_of_the_site_in_their_order(write, tmp_path):
    names = ("own/b.yml", "own/z/a.yml", "far/a.yml", "near/a.yml")
    paths = [str(write(f"at: {name}\n", name)) for name in names]
    found = documents(tmp_path / "own", (str(tmp_path / "far"), str(tmp_path / "near")), "the_variable", (".", "z"))
    assert list(found) == [{"path": path, "data": {"at": name}, "layer": layer}
                           for path, name, layer in zip(paths, names, (0, 0, 1, 2), strict=True)]
    assert [one["path"] for one in documents(tmp_path / "own", (), "the_variable")] == paths[:1]


def test_of_several_wrong_files_the_first_is_told(write, tmp_path):
    path = write("a: [1", "own/a.yml")
    with pytest.raises(FleetError) as caught:
        list(documents(tmp_path / "own", (str(tmp_path / "none"),), "the_variable"))
    assert caught.value.where == str(path)
