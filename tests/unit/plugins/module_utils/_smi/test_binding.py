# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where binding and library are found."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._node.apart import UnreadableError
from ansible_collections.instinct.fleet.plugins.module_utils._smi import binding
from ansible_collections.instinct.fleet.plugins.module_utils._smi.binding import Found
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree

DIST, X64 = "/usr/lib/python3/dist-packages", "/usr/lib/x86_64-linux-gnu"
INIT, VERSION = "amdsmi/__init__.py", "amdsmi/_version.py"
ROCM = {"/opt/rocm-7.0.2/.info/version": "7.0.2\n", "/opt/rocm-7.0.2/lib/libamd_smi.so.26.0.70002": "", "/opt/rocm-7.0.2/lib/x": ""}
OURS = {f"/opt/rocm-7.0.2/share/amd_smi/{INIT}": "", f"/opt/rocm-7.0.2/share/amd_smi/{VERSION}": '__version__ = "26.0.2+39589fda"\n'}
LINKS = {"/opt/rocm": "rocm-7.0.2", "/opt/rocm-7.0.2/lib/libamd_smi.so": "libamd_smi.so.26",
         "/opt/rocm-7.0.2/lib/libamd_smi.so.26": "libamd_smi.so.26.0.70002"}
LIBRARY = "/opt/rocm-7.0.2/lib/libamd_smi.so.26.0.70002"

# id, files, links, what is found
FOUND = [
    ("beside its library", {**ROCM, **OURS}, LINKS,
     Found("/opt/rocm-7.0.2/share/amd_smi", "26.0.2+39589fda", LIBRARY, "7.0.2", True)),
    ("that one wins over the system's", {**ROCM, **OURS, f"{DIST}/{INIT}": ""}, LINKS,
     Found("/opt/rocm-7.0.2/share/amd_smi", "26.0.2+39589fda", LIBRARY, "7.0.2", True)),
    ("in the system's Python", {**ROCM, f"{DIST}/{INIT}": "", f"{DIST}/{VERSION}": "__version__ = '7.0.2'\n"}, LINKS,
     Found(DIST, "7.0.2", LIBRARY, "7.0.2", False)),
    ("pip-installed by a package script, the newest Python first", {
        **ROCM, f"/usr/local/lib/python3.9/dist-packages/{INIT}": "", f"/usr/local/lib/python3.12/dist-packages/{INIT}": "",
        "/usr/local/lib/python3.9/dist-packages/x": ""}, LINKS,
     Found("/usr/local/lib/python3.9/dist-packages", None, LIBRARY, "7.0.2", False)),
    ("a distribution's own, without ROCm", {
        f"{DIST}/{INIT}": "", f"{DIST}/amdsmi-27.1.0.dist-info/METADATA": "", f"{X64}/libamd_smi.so.27.1": ""},
     {f"{X64}/libamd_smi.so.27": "libamd_smi.so.27.1"}, Found(DIST, "27.1.0", f"{X64}/libamd_smi.so.27.1", None, False)),
    ("Debian's own folder", {f"/usr/share/amd_smi/{INIT}": "", f"/usr/share/amd_smi/{VERSION}": '__version__ = "27.1.0+unknown"\n',
                             f"{X64}/libamd_smi.so.27.1.0": ""}, {},
     Found("/usr/share/amd_smi", "27.1.0+unknown", f"{X64}/libamd_smi.so.27.1.0", None, False)),
    ("the version is in __init__", {**ROCM, f"/opt/rocm-7.0.2/share/amd_smi/{INIT}": '__version__ = "25.5.1"\n'}, LINKS,
     Found("/opt/rocm-7.0.2/share/amd_smi", "25.5.1", LIBRARY, "7.0.2", True)),
]


@pytest.mark.parametrize(("files", "links", "found"), [c[1:] for c in FOUND], ids=[c[0] for c in FOUND])
def test_find(tree: Tree, files: dict[str, str], links: dict[str, str], found: Found) -> None:
    tree.fill(files)
    for path, target in links.items():
        tree.link(path, target)
    assert binding.find(tree.machine()) == found


MISSING = [
    ("nothing", {}, "no amdsmi binding in any Python of the system, and there is no ROCm"),
    ("no binding", {"/opt/rocm/lib/libamd_smi.so": ""}, "no amdsmi binding in /opt/rocm/share/amd_smi"),
    ("no library", {f"{DIST}/{INIT}": "", f"{X64}/libamd_smi_other.so": ""},
     f"the amdsmi binding is in {DIST}, but there is no libamd_smi.so"),
]


@pytest.mark.parametrize(("files", "reason"), [c[1:] for c in MISSING], ids=[c[0] for c in MISSING])
def test_find_says_what_is_missing(tree: Tree, files: dict[str, str], reason: str) -> None:
    with pytest.raises(UnreadableError) as missing:
        binding.find(tree.fill(files).machine())
    assert str(missing.value) == reason
