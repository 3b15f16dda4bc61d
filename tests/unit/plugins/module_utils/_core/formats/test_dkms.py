# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every form of ``dkms status`` that the field has shown."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.dkms import (
    DIFFERS,
    MISSING,
    ORIGINAL,
    Status,
    module_names,
    parse_status,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import DkmsModule

X = "x86_64"
DIFF = "WARNING! Diff between built and installed module!"

# id, one line of output, the module in it. Versions and kernels are real, the lines are ours.
LINES = [
    ("old form with the distribution's copy set aside", "amdgpu, 5.13.11.21.50-1397245.el7, 3.10.0-1160.el7.x86_64, x86_64: "
     "installed (original_module exists)",
     DkmsModule("amdgpu", "5.13.11.21.50-1397245.el7", "3.10.0-1160.el7.x86_64", X, "installed", (ORIGINAL,))),
    ("old form, registered only", "amdgpu, 6.3.6-1718217: added",
     DkmsModule("amdgpu", "6.3.6-1718217", None, None, "added")),
    ("new form", "amdgpu/6.12.12-2164967.22.04, 6.8.0-52-generic, x86_64: installed",
     DkmsModule("amdgpu", "6.12.12-2164967.22.04", "6.8.0-52-generic", X, "installed")),
    ("new form, registered only", "amdgpu/6.16.13-2341068.24.04: added",
     DkmsModule("amdgpu", "6.16.13-2341068.24.04", None, None, "added")),
    ("built and not installed", "amdgpu/6.12.12-2164967.24.04, 6.8.0-60-generic, x86_64: built",
     DkmsModule("amdgpu", "6.12.12-2164967.24.04", "6.8.0-60-generic", X, "built")),
    ("plus sign in a Debian kernel", "amdgpu/6.14.14-2226257.24.04, 6.12.38+deb13-amd64, x86_64: installed",
     DkmsModule("amdgpu", "6.14.14-2226257.24.04", "6.12.38+deb13-amd64", X, "installed")),
    ("oem kernel", "amdgpu/6.16.13-2278356.24.04, 6.17.0-1009-oem, x86_64: installed",
     DkmsModule("amdgpu", "6.16.13-2278356.24.04", "6.17.0-1009-oem", X, "installed")),
    ("kernel without flavour", "amdgpu/6.16.13-2278356.24.04, 6.8.0-101, x86_64: installed",
     DkmsModule("amdgpu", "6.16.13-2278356.24.04", "6.8.0-101", X, "installed")),
    ("version without distribution", "amdgpu/6.14.14-2222715, 6.4.0-150700.53.16-default, x86_64: installed",
     DkmsModule("amdgpu", "6.14.14-2222715", "6.4.0-150700.53.16-default", X, "installed")),
    ("one warning twice", f"amdgpu/6.14.14-2226257.24.04, 6.11.0-26-generic, x86_64: installed ({DIFF}) ({DIFF})",
     DkmsModule("amdgpu", "6.14.14-2226257.24.04", "6.11.0-26-generic", X, "installed", (DIFFERS,))),
    ("modules wiped by a kernel reinstall", "amdgpu/6.12.12-2187269.24.04, 6.8.0-71-generic, x86_64: installed "
     "(Built modules are missing in the kernel modules folder)",
     DkmsModule("amdgpu", "6.12.12-2187269.24.04", "6.8.0-71-generic", X, "installed",
                (MISSING,))),
    ("modules wiped, as dkms 3.0 says it", "amdgpu/6.12.12-2187269.24.04, 6.8.0-71-generic, x86_64: built "
     "(WARNING! Missing some built modules!)",
     DkmsModule("amdgpu", "6.12.12-2187269.24.04", "6.8.0-71-generic", X, "built", (MISSING,))),
    ("differences, as dkms 3.2 says it", "amdgpu/6.12.12-2187269.24.04, 6.8.0-71-generic, x86_64: installed "
     "(Differences between built and installed modules)",
     DkmsModule("amdgpu", "6.12.12-2187269.24.04", "6.8.0-71-generic", X, "installed", (DIFFERS,))),
    ("words that nobody knows stay", "amdgpu/6.12.12-2187269.24.04, 6.8.0-71-generic, x86_64: installed (frozen)",
     DkmsModule("amdgpu", "6.12.12-2187269.24.04", "6.8.0-71-generic", X, "installed", ("frozen",))),
    ("two flags", f"amdgpu/6.14.14-2222715.el10, 6.12.0-55.34.1.el10_0.x86_64, x86_64: installed (Original modules exist) ({DIFF})",
     DkmsModule("amdgpu", "6.14.14-2222715.el10", "6.12.0-55.34.1.el10_0.x86_64", X, "installed",
                (ORIGINAL, DIFFERS))),
    ("weak module of another kernel", "amdgpu, 4.1-1, 3.10.0-123.20.1.el7.x86_64, x86_64: installed-weak from 3.10.0-123.el7.x86_64",
     DkmsModule("amdgpu", "4.1-1", "3.10.0-123.20.1.el7.x86_64", X, "installed", (), "3.10.0-123.el7.x86_64")),
    ("module with dashes in its name", "i915-sriov-dkms/2025.03.26, 6.11.11-2-pve, x86_64: installed",
     DkmsModule("i915-sriov-dkms", "2025.03.26", "6.11.11-2-pve", X, "installed")),
    ("broken tree", "amdgpu/6.8.5-2009582.22.04: broken",
     DkmsModule("amdgpu", "6.8.5-2009582.22.04", None, None, "broken")),
]


@pytest.mark.parametrize(("line", "module"), [c[1:] for c in LINES], ids=[c[0] for c in LINES])
def test_parse_status_reads_a_line(line: str, module: DkmsModule) -> None:
    assert parse_status(f"{line}\n") == Status((module,))


NO_CONF = "/var/lib/dkms/amdgpu/5.18.13-1577590.22.04/source/dkms.conf does not exist."

# id, stdout, stderr, result
OUTPUTS = [
    ("nothing at all: a build that failed leaves no line", "", "", Status()),
    ("order is kept, empty lines are none", "b/1, 6.1.0-56-amd64, x86_64: built\n\na/1: added\n", "", Status((
        DkmsModule("b", "1", "6.1.0-56-amd64", X, "built"), DkmsModule("a", "1", None, None, "added")))),
    ("a tree without dkms.conf", f"Error! Could not locate dkms.conf file.\nFile: {NO_CONF}\n", "", Status(
        errors=(f"Error! Could not locate dkms.conf file. {NO_CONF}",))),
    ("the same on stderr", "", f"Error! Could not locate dkms.conf file.\nFile: {NO_CONF}\n", Status(
        errors=(f"Error! Could not locate dkms.conf file. {NO_CONF}",))),
    ("the same on both counts once", "ERROR: broken\n", "ERROR: broken\n", Status(errors=("ERROR: broken",))),
    ("warnings on stderr are noise", "a/1: added\n", "readelf: Warning: Section '.comment' is odd\nDeprecated feature: "
     "REMAKE_INITRD\n", Status((DkmsModule("a", "1", None, None, "added"),))),
    ("a line that is none", "Building for 4.18.0-513.24.1.el8_9.x86_64\n", "", Status(
        strange=("Building for 4.18.0-513.24.1.el8_9.x86_64",))),
    ("a state that is none", "a/1, 6.1.0-56-amd64, x86_64: reinstalled\n", "", Status(
        strange=("a/1, 6.1.0-56-amd64, x86_64: reinstalled",))),
]


@pytest.mark.parametrize(("stdout", "stderr", "status"), [c[1:] for c in OUTPUTS], ids=[c[0] for c in OUTPUTS])
def test_parse_status_reads_a_whole_output(stdout: str, stderr: str, status: Status) -> None:
    assert parse_status(stdout, stderr) == status


# id, dkms.conf, names of the installed modules. The first is shaped as AMD's. source:
# ROCm/amdgpu:drivers/gpu/drm/amd/dkms/dkms.conf
CONFS = [
    ("one array", 'PACKAGE_NAME="amdgpu"\nBUILT_MODULE_NAME[0]="amdgpu"\n# BUILT_MODULE_NAME[9]="no"\n'
     "BUILT_MODULE_NAME[1]=amd-sched  # by GPU\nMAKE[0]=\"make NAME=${BUILT_MODULE_NAME[1]}\"\n", ("amdgpu", "amd-sched")),
    ("one module, no index", "BUILT_MODULE_NAME='amdgpu'\n", ("amdgpu",)),
    ("installed under another name", 'BUILT_MODULE_NAME[0]="a"\nBUILT_MODULE_NAME[1]="b"\nDEST_MODULE_NAME[1]="c"\n', ("a", "c")),
    ("none: the package's name counts", 'PACKAGE_NAME="amdgpu"\n', None),
    ("computed", 'BUILT_MODULE_NAME[0]="amd$suffix"\n', None),
    ("a whole array", "BUILT_MODULE_NAME=(a b)\n", None),
    ("added to", "BUILT_MODULE_NAME+=a\n", None),
    ("under a condition", '[ -n "$old" ] && BUILT_MODULE_NAME[0]="a"\n', None),
    ("computed index", 'BUILT_MODULE_NAME[$i]="a"\n', None),
    ("said twice", 'BUILT_MODULE_NAME[0]="a"\nif x; then\n  BUILT_MODULE_NAME[0]="b"\nfi\n', None),
    ("no file", "", None),
]


@pytest.mark.parametrize(("conf", "names"), [c[1:] for c in CONFS], ids=[c[0] for c in CONFS])
def test_module_names_of_a_dkms_conf(conf: str, names: tuple[str, ...] | None) -> None:
    assert module_names(conf) == names
