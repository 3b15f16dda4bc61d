# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The texts that settings are written into."""

from __future__ import annotations

import subprocess

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.tuning import texts
from ansible_collections.instinct.fleet.plugins.module_utils._core.tuning.setting import Setting
from ansible_collections.instinct.fleet.tests.unit.support.tuning import ACS, ALL, STAYS

HEAD = "# Managed by instinct.fleet, changes are overwritten.\n"


def written(settings: tuple[Setting, ...], apt: bool = True) -> dict[str, str]:
    """Path -> text of the files that are wanted; all paths are told, and no other."""
    found = texts.wanted(settings, ["iommu=pt", "pci=bfsort"] if settings == ALL else [], "", apt)
    assert tuple(one.path for one in found) == texts.PATHS
    assert {one.path: one.mode for one in found} == {**dict.fromkeys(texts.PATHS, 0o644), texts.PROGRAM: 0o755}
    assert {(one.owner, one.group, one.directory_mode) for one in found} == {("root", "root", 0o755)}
    return {one.path: one.content.decode() for one in found if one.content is not None}


def test_each_kind_has_its_file() -> None:
    found = written(ALL)
    assert found[texts.GRUB] == HEAD + 'GRUB_CMDLINE_LINUX_DEFAULT="$GRUB_CMDLINE_LINUX_DEFAULT iommu=pt pci=bfsort"\n'
    assert found[texts.SYSCTLS] == HEAD + "vm.compaction_proactiveness = 20\n"
    assert found[texts.LIMITS] == HEAD + "* - memlock unlimited\n"
    assert found[texts.MANAGER] == HEAD + "[Manager]\nDefaultLimitMEMLOCK=infinity\n"
    assert found[texts.ENVIRON] == HEAD + "HSA_ENABLE_SDMA=0\n"
    assert 'Package-Blacklist {\n    "^linux-";\n};\n' in found[texts.APT]
    assert f"ExecStart={texts.PROGRAM} off\n" in found[texts.UNIT]
    assert set(texts.PATHS) - set(found) == {texts.RECORD}


def test_what_no_setting_asks_for_is_no_file() -> None:
    assert written(()) == {}
    assert written((STAYS,), apt=False) == {}


def test_a_shell_reads_what_is_appended() -> None:
    text = written(ALL)[texts.GRUB]
    script = f'GRUB_CMDLINE_LINUX_DEFAULT=quiet\n{text}printf %s "$GRUB_CMDLINE_LINUX_DEFAULT"'
    assert subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True).stdout == "quiet iommu=pt pci=bfsort"
    assert texts.appended_by(text) == ("iommu=pt", "pci=bfsort")
    assert texts.appended_by("") == ()


@pytest.mark.parametrize("value", ["off", "on"])
def test_the_unit_says_what_it_does(value: str) -> None:
    found = written((ACS.valued(value),))
    assert f"Turn access control services of PCI {value}\n" in found[texts.UNIT]
    assert found[texts.PROGRAM].startswith("#!/bin/sh\n")


# setpci in place: three functions, of which one has no access control and one does not take what it is given.
STUB = """setpci() {
  case $2/$3 in
    c/*) return 1 ;;
    */ECAP_ACS+4.w) echo 005f ;;
    b/*=*) ;;
    */*=*) echo "${3#*=}" > "$PLACE" ;;
    b/*) echo 0001 ;;
    *) cat "$PLACE" ;;
  esac
}
"""


@pytest.mark.parametrize(("value", "functions", "left", "said", "code"), [
    ("off", "a c", "0000", "", 0), ("on", "a c", "005d", "", 0), ("off", "a b", "0000", "b: access control is 0001 and not 0000\n", 1),
    ("perhaps", "a", "", "usage: x on|off\n", 2),
])
def test_the_program_sets_what_it_can_and_says_what_it_could_not(tmp_path, value, functions, left, said, code) -> None:
    for name in functions.split():
        (tmp_path / "devices" / name).mkdir(parents=True)
    (tmp_path / "place").write_text("0040\n")  # a bit that nobody asks for
    text = written((ACS,))[texts.PROGRAM].replace("/sys/bus/pci/devices", str(tmp_path / "devices"))
    done = subprocess.run(["sh", "-c", STUB + text, "x", value], env={"PLACE": str(tmp_path / "place"), "PATH": "/usr/bin:/bin"},
                          capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (code, said)
    assert not left or (tmp_path / "place").read_text() == f"{left}\n"
