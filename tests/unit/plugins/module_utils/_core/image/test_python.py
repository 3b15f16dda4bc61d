# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Packages of Python: what pins them, what a shell does, and what a tree must have."""

from __future__ import annotations

import shlex
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.image import python
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.shape import Distribution, Python, Wheel
from ansible_collections.instinct.fleet.plugins.module_utils._core.strict import Reader
from ansible_collections.instinct.fleet.tests.unit.support.images import A, B

PLAIN = Python((Wheel("numpy", "2.1.0"),))
PIP = "-m pip --isolated install --disable-pip-version-check --no-input --no-cache-dir --no-deps --only-binary :all:"


def read(**changes: t.Any) -> Python:
    reader = Reader({"packages": [{"name": "numpy", "version": "2.1.0"}], **changes}, "python")
    found = python.read(reader)
    reader.done()
    return found


def packages(*given: dict[str, t.Any]) -> dict[str, t.Any]:
    return {"packages": [{"name": "numpy", "version": "2.1.0", **one} for one in given]}


def test_what_is_left_out_is_the_systems_interpreter_and_the_index_of_all() -> None:
    assert read() == PLAIN == Python((Wheel("numpy", "2.1.0"),), "/usr/bin/python3", "", "https://pypi.org/simple")


@pytest.mark.parametrize("version", ["2.8.0+rocm6.4", "1!2.0", "2024.8.30", "1.0rc1", "1.0.post2", "1.0.dev3", "1"])
def test_a_version_is_one_as_the_index_has_it(version: str) -> None:
    assert read(**packages({"version": version})).packages[0].version == version


@pytest.mark.parametrize("version", ["latest", "2.*", ">=2", "2.0,<3", "==2.0", "2.0; python_version > '3'", "2.0 --pre", "1.0-rc1", "v1.0"])
def test_any_other_version_is_none(version: str) -> None:
    with pytest.raises(DataError, match=r"^python\.packages\[0\]\.version: is .*, which is no exact version of a package of Python; "):
        read(**packages({"version": version}))


@pytest.mark.parametrize(("changes", "sentence"), [
    ({"packages": []}, "python.packages: is empty; name packages, or leave python out"),
    (packages({"name": "a b"}), "python.packages[0].name: is 'a b', which does not match "),
    (packages({"name": "Num_Py"}, {"name": "num.py"}), "python.packages: Num_Py is there twice; remove one"),
    (packages({"hashes": ["sha256:1"]}), "python.packages[0].hashes[0]: 'sha256:1' is not a digest; "),
    (packages({"hashes": []}), "python.packages[0].hashes: is empty; name the digests of its files, or leave hashes out"),
    (packages({"hashes": [A]}, {"name": "b"}), "python.packages: of b and numpy one has hashes, and pip wants them of all or of none; "),
    ({"venv": "/opt/../venv"}, "python.venv: is '/opt/../venv', which does not say where the file is; "),
    ({"interpreter": "python3"}, "python.interpreter: is 'python3', which does not match "),
    ({"index": "mirror"}, "python.index: is 'mirror', which does not match "),
    ({"index": "https://me:secret@mirror/simple"}, "python.index: 'https://mirror/simple' is written with a user or password"),
    ({"extra": "a"}, "python.extra: is not a known key"),
])
def test_what_is_wrong_is_one_sentence(changes: dict[str, t.Any], sentence: str) -> None:
    with pytest.raises(DataError) as refusal:
        read(**changes)
    assert refusal.value.sentence.startswith(sentence)


def test_packages_are_installed_in_their_versions_and_what_they_need_is_asked() -> None:
    assert python.command(PLAIN).split("; ") == [
        "printf '%s\\n' numpy==2.1.0 > /tmp/instinct-build-python.txt",
        f"/usr/bin/python3 {PIP} --index-url https://pypi.org/simple --requirement /tmp/instinct-build-python.txt",
        "rm -f /tmp/instinct-build-python.txt", "/usr/bin/python3 -m pip --isolated check --disable-pip-version-check >&2"]


def test_an_environment_is_made_once_and_hashes_are_held() -> None:
    found = python.command(Python((Wheel("a", "1", (A, B)), Wheel("b", "2", (A,))), "/usr/bin/python3.12", "/opt/v", "https://m/$(reboot)"))
    made, listed, installed, *_ = found.split("; ")
    assert made == "test -x /opt/v/bin/python3 || /usr/bin/python3.12 -m venv /opt/v"
    assert shlex.split(listed)[2:4] == [f"a==1 --hash={A} --hash={B}", f"b==2 --hash={A}"]
    assert installed.startswith(f"/opt/v/bin/python3 {PIP} --require-hashes --index-url 'https://m/$(reboot)' ")


@pytest.mark.parametrize(("venv", "there", "sentences"), [
    ("/opt/v", [("NumPy", "2.1.0", "/opt/v/lib/python3.12/site-packages")], []),
    ("/opt/v", [("numpy", "2.1.0", "/opt/venv/lib")], ["numpy of Python is not there, and 2.1.0 was wanted"]),
    ("/opt/v", [("numpy", "2.1.0+cpu", "/opt/v/lib")], ["numpy of Python is 2.1.0+cpu, and 2.1.0 was wanted"]),
    ("", [("numpy", "1.26.4", "/usr/lib"), ("numpy", "2.1.0", "/usr/local/lib")], []),
    ("", [("numpy", "1.26.4", "/usr/lib"), ("numpy", "2.0.0", "/usr/local/lib")], ["numpy of Python is 1.26.4 and 2.0.0, and 2.1.0 was wanted"]),
    ("", [], ["numpy of Python is not there, and 2.1.0 was wanted"]),
])
def test_a_tree_is_held_to_the_pins(venv: str, there: list[tuple[str, str, str]], sentences: list[str]) -> None:
    assert list(python.wrong(Python(PLAIN.packages, venv=venv), [Distribution(*one) for one in there])) == sentences
