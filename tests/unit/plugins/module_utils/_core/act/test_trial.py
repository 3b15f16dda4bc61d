# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a trial fetches, and what it reads out of a log."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.act.trial import (
    Offer,
    Result,
    checked,
    first_error,
    installed_names,
    missing_tools,
    parse_conf,
    parse_offer,
    pick_version,
    recall,
    record,
    refuse_failures,
    why_not,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError, FleetError

# As apt of Debian 12 prints it.
MADISON = """\
amdgpu-dkms | 1:6.16.13.30300300-2327507.22.04 | file:/srv/repo/amdgpu/30.30.3/ubuntu jammy/main amd64 Packages
amdgpu-dkms | 1:6.14.14.30100200-2226257.22.04 | file:/srv/repo/amdgpu/30.10.2/ubuntu jammy/main amd64 Packages
amdgpu-dkms | 1:6.14.14.30100200-2226257.22.04 | file:/srv/repo/amdgpu/30.10.2/ubuntu jammy/main Sources
"""
VERSIONS = {
    "exact": ("1:6.14.14.30100200-2226257.22.04", "1:6.14.14.30100200-2226257.22.04"),
    "pattern": ("1:6.16.*", "1:6.16.13.30300300-2327507.22.04"),
    "pattern that fits several": ("1:6.*", "1:6.16.13.30300300-2327507.22.04"),
    "prefix is no match": ("1:6.14.14", None),
    "other": ("1:6.12.12.60402-2187269.22.04", None),
}


@pytest.mark.parametrize(("wanted", "found"), VERSIONS.values(), ids=VERSIONS)
def test_pick_version(wanted: str, found: str | None) -> None:
    assert pick_version(MADISON, "amdgpu-dkms", wanted) == found


def test_pick_version_of_another_package() -> None:
    assert pick_version(MADISON, "amdgpu", "1:6.*") is None


# Headers of 6.1 and of the 6.12 backport, Debian 12.
HEADERS_61 = """\
Package: linux-headers-6.1.0-57-amd64
Version: 6.1.192-3
Depends: linux-headers-6.1.0-57-common (= 6.1.192-3), linux-kbuild-6.1 (>= 6.1), linux-compiler-gcc-12-x86 (>= 6.1)
Description: Header files for Linux 6.1.0-57-amd64
 Depends: not a field

Package: linux-headers-6.1.0-57-amd64
Version: 6.1.190-1
"""
HEADERS_612 = """\
Version: 6.12.117-1~deb12u1
Depends: linux-base (>= 4.12~), linux-headers-6.12.117+deb12-common (= 6.12.117-1~deb12u1), \
linux-image-6.12.117+deb12-amd64 (= 1) | linux-image-6.12.117+deb12-amd64-unsigned (= 1), \
linux-kbuild-6.12.117+deb12, gcc-12
"""


def test_offer_of_kernel_headers() -> None:
    old, new = parse_offer(HEADERS_61), parse_offer(HEADERS_612)
    assert old and new
    assert (old.version, new.version) == ("6.1.192-3", "6.12.117-1~deb12u1")
    assert old.compilers == new.compilers == ("gcc-12",)
    assert old.to_fetch({"linux-kbuild-6.1"}) == ("linux-headers-6.1.0-57-common",)
    assert new.to_fetch({"linux-base"}) == ("linux-headers-6.12.117+deb12-common", "linux-kbuild-6.12.117+deb12")


def test_offer_takes_the_first_choice_unless_another_is_there() -> None:
    offer = parse_offer("Version: 1\nPre-Depends: aa\nDepends: bb | cc (>= 2), dd:any\n")
    assert offer == Offer("1", (("aa",), ("bb", "cc"), ("dd",)))
    assert (offer.to_fetch(()), offer.to_fetch({"cc", "dd"})) == (("aa", "bb", "dd"), ("aa",))


def test_no_offer() -> None:
    assert parse_offer("") is None


def test_tools_that_a_build_may_need() -> None:
    offer = parse_offer("Version: 1\nDepends: dkms, amdgpu-dkms-firmware (= 1), autoconf, gcc | clang\n")
    assert offer and missing_tools(offer, {"dkms", "clang"}) == ("autoconf",)


def test_installed_names() -> None:
    assert installed_names("installed a\nconfig-files b\nhalf-installed c\n") == {"a"}


def test_parse_conf() -> None:
    text = 'PACKAGE_NAME="amdgpu"\nPACKAGE_VERSION=6.14.14-2226257.24.04 # x\nMAKE[0]="make PACKAGE_NAME=no"\n'
    assert parse_conf(text, "dkms.conf") == ("amdgpu", "6.14.14-2226257.24.04")


@pytest.mark.parametrize(
    ("text", "field"),
    [("", "PACKAGE_NAME"), ('PACKAGE_NAME="a"\nPACKAGE_VERSION="$(cat VERSION)"\n', "PACKAGE_VERSION")],
)
def test_parse_conf_refuses(text: str, field: str) -> None:
    with pytest.raises(DataError, match=f"^dkms.conf: has no plain {field}; "):
        parse_conf(text, "dkms.conf")


# Recorded from a build of the stand-in driver 6.4.2 on 6.12, Debian 13; shortened.
DIRECTORY = "/var/tmp/t/dkms-k/amdgpu/6.12.12-2187269.24.04/build"
MACRO = f"""\
DKMS (dkms-3.2.2) make.log for amdgpu/6.12.12-2187269.24.04 for kernel 6.12.117+deb13-amd64 (x86_64)
make: Entering directory '/usr/src/linux-headers-6.12.117+deb13-amd64'
  CC [M]  {DIRECTORY}/amdgpu.o
In file included from {DIRECTORY}/amdgpu.c:7:
/usr/src/linux-headers-6.12.117+deb13-common/include/linux/init.h:180:22: error: passing argument 1 of 'class_create'
{DIRECTORY}/amdgpu.c:57:34: note: in expansion of macro 'THIS_MODULE'
{DIRECTORY}/amdgpu.c:57:21: error: too many arguments to function 'class_create'
make[2]: *** [/usr/src/x/scripts/Makefile.build:234: {DIRECTORY}/amdgpu.o] Error 1
"""
HEADER_ERROR = "/usr/src/linux/include/x.h:1:1: error: unknown type name 'y'\nmake: *** [Makefile:1: all] Error 2\n"
LOGS = {
    "error in the driver, blamed on a macro first": (
        MACRO,
        "amdgpu.c:57:21: too many arguments to function 'class_create'",
    ),
    "errors in headers only": (HEADER_ERROR, "/usr/src/linux/include/x.h:1:1: unknown type name 'y'"),
    "fatal error": (f"{DIRECTORY}/a.c:1:10: fatal error: drm/x.h: No such file", "a.c:1:10: drm/x.h: No such file"),
    "warnings are no errors": ("a.c:1:1: warning: unused [-Werror=unused]\n", ""),
    "modpost": (
        'ERROR: modpost: "foo" [a.ko] undefined!\nmake: *** [x] Error 1\n',
        'ERROR: modpost: "foo" [a.ko] undefined!',
    ),
    "tool missing": ("/bin/sh: 1: pahole: not found\nmake[3]: *** [x] Error 127\n", "/bin/sh: 1: pahole: not found"),
    "configure": ("configure: error: no acceptable C compiler\n", "configure: error: no acceptable C compiler"),
    "make only": (
        "make[1]: *** No rule to make target 'a'.  Stop.\n",
        "make[1]: *** No rule to make target 'a'.  Stop.",
    ),
    "apt": ("W: x\nE: Unable to locate package y\n", "E: Unable to locate package y"),
    "empty": ("", ""),
}


@pytest.mark.parametrize(("log", "error"), LOGS.values(), ids=LOGS)
def test_first_error(log: str, error: str) -> None:
    assert first_error(log, DIRECTORY) == error


WHY = {
    "driver excludes the kernel": (77, "", "", "the driver excludes this kernel (BUILD_EXCLUSIVE in its dkms.conf)"),
    "from the log": (
        10,
        MACRO,
        "Error! Bad return status",
        "amdgpu.c:57:21: too many arguments to function 'class_create'",
    ),
    "from dkms, which has no log": (
        1,
        "",
        "Error! Your kernel headers cannot be found\n",
        "Error! Your kernel headers cannot be found",
    ),
    "nothing said": (3, "", "", "dkms ended with 3 and named no error"),
}


@pytest.mark.parametrize(("code", "log", "output", "why"), WHY.values(), ids=WHY)
def test_why_not(code: int, log: str, output: str, why: str) -> None:
    assert why_not(code, log, output, DIRECTORY) == why


GOOD = Result("amdgpu-dkms", "1:6.14", "6.1.0-57-amd64", "6.1.192-3", 17)


def test_plain_data() -> None:
    assert GOOD.to_dict() == {
        "kernel": "6.1.0-57-amd64", "ok": True, "cached": False, "seconds": 17, "headers": "6.1.192-3", "error": "", "log": "",
        "words": "amdgpu-dkms 1:6.14 builds for 6.1.0-57-amd64 (17 s)"}  # fmt: skip
    bad = Result("a", "1", "k", error="no rule", log="/log/k").to_dict()
    assert (bad["ok"], bad["words"]) == (False, "a 1 does not build for k: no rule")


def test_good_names_pass() -> None:
    checked("amdgpu-dkms", "1:6.14.14.30100200-2226257.22.04", ["6.1.0-57-amd64", "5.14.0-503.el9.x86_64"])


def test_words() -> None:
    assert GOOD.words == "amdgpu-dkms 1:6.14 builds for 6.1.0-57-amd64 (17 s)"
    again = recall(record(GOOD), "amdgpu-dkms", "1:6.14", "6.1.0-57-amd64", "6.1.192-3")
    assert again and again.words == "amdgpu-dkms 1:6.14 builds for 6.1.0-57-amd64 (proved before)"


FORGOTTEN = {
    "another driver": ("amdgpu-dkms", "1:6.16", "6.1.0-57-amd64", "6.1.192-3"),
    "another kernel": ("amdgpu-dkms", "1:6.14", "6.1.0-58-amd64", "6.1.192-3"),
    "headers upgraded": ("amdgpu-dkms", "1:6.14", "6.1.0-57-amd64", "6.1.192-4"),
    "another package": ("other-dkms", "1:6.14", "6.1.0-57-amd64", "6.1.192-3"),
}


@pytest.mark.parametrize("asked", FORGOTTEN.values(), ids=FORGOTTEN)
def test_recall_is_about_the_same_or_nothing(asked: tuple[str, str, str, str]) -> None:
    assert recall(record(GOOD), *asked) is None


@pytest.mark.parametrize("text", ["", "{", "[]", "7", '{"package": "a"}', '{"unknown": 1}'])
def test_recall_of_another_text(text: str) -> None:
    assert recall(text, "a", "1", "k", "h") is None


def test_recall_needs_headers_that_belong_to_a_package() -> None:
    unowned = Result("a", "1", "k", "", 1)
    assert recall(record(unowned), "a", "1", "k", "") is None


REFUSED = {
    "package": ("a b", "1", ["k"], "package: 'a b' is not a package name"),
    "option for a package": ("-a", "1", ["k"], "package: '-a' is not a package name"),
    "version": ("aa", "1;x", ["k"], "version: '1;x' is not a package version; give the whole version with its build"),
    "no kernel": ("aa", "1", [], "kernels: is empty; name at least one kernel release"),
    "path for a kernel": (
        "aa",
        "1",
        ["k", "../k"],
        "kernels: '../k' is not a kernel release; give it as uname -r prints it",
    ),
}


@pytest.mark.parametrize(("package", "version", "kernels", "sentence"), REFUSED.values(), ids=REFUSED)
def test_checked_refuses(package: str, version: str, kernels: list[str], sentence: str) -> None:
    with pytest.raises(DataError) as error:
        checked(package, version, kernels)
    assert error.value.sentence == sentence


def test_refuse_failures_names_all_kernels_and_the_first_error() -> None:
    bad = [Result("a", "1", k, error=f"e {k}", log=f"/log/{k}") for k in ("k1", "k2")]
    refuse_failures([GOOD])
    with pytest.raises(FleetError) as error:
        refuse_failures([GOOD, *bad])
    assert error.value.sentence == (
        "kernel k1, k2: a 1 does not build: e k1; read /log/k1; kernel, driver and their packages are as they were"
    )
