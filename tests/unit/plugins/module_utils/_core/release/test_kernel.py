# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which kernel is wanted, and which is refused."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.tests.unit.support.catalogue import (
    BOOKWORM,
    catalogue,
    document,
    look,
    refusal,
    resolved,
)

NEWER = "6.12.111+deb12-amd64"
NOTES_7_2_4 = "https://rocm.docs.amd.com/en/docs-7.2.4/about/release-notes.html (also holds the 7.2.3 table)"

WANTED = [
    ("rocm-7.2.3", look(), {}, BOOKWORM, ("6.1.0",), ("linux-image-6.1.0-56-amd64", "linux-headers-6.1.0-56-amd64")),
    ("rocm-7.2.3", look(), {"kernel": "6.1.0-57-amd64"}, "6.1.0-57-amd64", ("6.1.0",),
     ("linux-image-6.1.0-57-amd64", "linux-headers-6.1.0-57-amd64")),
    ("rocm-7.2.3", look(kernel=NEWER), {"kernel": BOOKWORM}, BOOKWORM, ("6.1.0",),
     ("linux-image-6.1.0-56-amd64", "linux-headers-6.1.0-56-amd64")),
    ("rocm-7.2.3", look("ubuntu 24.04.4", "6.17.0-8-generic"), {}, "6.17.0-8-generic", ("6.8", "6.17"),
     ("linux-image-6.17.0-8-generic", "linux-headers-6.17.0-8-generic", "linux-modules-extra-6.17.0-8-generic")),
    ("rocm-7.0.2", look(kernel=NEWER), {}, NEWER, (),
     ("linux-image-6.12.111+deb12-amd64", "linux-headers-6.12.111+deb12-amd64")),
    ("rocm-7.2.3", look(kernel=None), {}, None, ("6.1.0",), ()),
    ("rocm-7.0.2", look(kernel="6.14.11-1-pve"), {}, "6.14.11-1-pve", (), ()),
]


@pytest.mark.parametrize(("name", "node", "policy", "wanted", "series", "packages"), WANTED)
def test_the_kernel_is_the_pinned_one_or_the_running_one(name, node, policy, wanted, series, packages):
    kernel = resolved(name, node, **policy).kernel
    assert (kernel.wanted, kernel.series, kernel.packages) == (wanted, series, packages)


def test_without_knowledge_of_its_packages_a_kernel_is_wanted_and_none_is_managed():
    kernel = resolved("rocm-7.2.3", cat=dc.replace(catalogue(), kernel_packages=())).kernel
    assert (kernel.wanted, kernel.packages) == (BOOKWORM, ())


REFUSED = [
    ("rocm-7.2.3", look(kernel=NEWER, installed=(BOOKWORM, NEWER, "6.1.0-57-amd64")), {},
     (f"kernel {NEWER}: is not of a series that AMD lists for Debian 12 (6.1.0); set gpu_release_kernel to an "
      f"installed kernel that does: {BOOKWORM}, 6.1.0-57-amd64 (source: {NOTES_7_2_4})")),
    ("rocm-7.2.3", look(kernel=NEWER, installed=(NEWER,)), {},
     (f"kernel {NEWER}: is not of a series that AMD lists for Debian 12 (6.1.0); none of the installed kernels "
      f"does; name one to install in gpu_release_kernel, or choose another release (source: {NOTES_7_2_4})")),
    ("rocm-7.2.3", look(), {"kernel": NEWER},
     (f"gpu_release_kernel {NEWER}: is not of a series that AMD lists for Debian 12 (6.1.0); set "
      f"gpu_release_kernel to an installed kernel that does: {BOOKWORM} (source: {NOTES_7_2_4})")),
    ("rocm-7.2.3", look("ubuntu 24.04.4", "6.14.0-24-generic", ("6.8.0-44-generic",)), {},
     ("kernel 6.14.0-24-generic: is not of a series that AMD lists for Ubuntu 24.04.4 (6.8 GA, 6.17 HWE); set "
      f"gpu_release_kernel to an installed kernel that does: 6.8.0-44-generic (source: {NOTES_7_2_4})")),
    # The node that came back from a kernel update with a driver that does not compile: ROCm/ROCm#3701.
    ("rocm-6.2.0", look("ubuntu 22.04.5", "6.8.0-44-generic", ("5.15.0-97-generic", "6.8.0-41-generic",
                                                               "6.8.0-44-generic"),
                        gpus=("740f",)), {},
     ("kernel 6.8.0-44-generic: is above what driver 6.2.0 (build 2009582) compiles for: its DKMS build failed; "
      "set gpu_release_kernel to an installed kernel that does: 5.15.0-97-generic, 6.8.0-41-generic (source: "
      "https://github.com/ROCm/legacy-rocm-build/issues/3701)")),
    ("rocm-6.2.0", look("ubuntu 22.04.5", "6.8.0-60-generic", ("6.8.0-60-generic",), gpus=("740f",)), {},
     ("kernel 6.8.0-60-generic: is above what driver 6.2.0 (build 2009582) compiles for: its DKMS build failed on "
      "6.8.0-45-generic, and no later one of that series is known to work; none of the installed kernels does; "
      "name one to install in gpu_release_kernel, or choose another release (source: "
      "https://github.com/ROCm/rocm-install-on-linux/issues/293)")),
    ("rocm-6.2.0", look("ubuntu 22.04.5", "6.8.0-41-generic", ("5.15.0-97-generic",)), {},
     ("kernel 6.8.0-41-generic: is of series 6.8, on which AMD does not support MI300X; set gpu_release_kernel to "
      "an installed kernel that does: 5.15.0-97-generic (source: ROCm/ROCm:docs/release/versions.md @branch "
      "develop e396b4898f459db094bfd60b876f419f77eb9f09 (2025-03-21))")),
    ("rocm-7.2.3", look(), {"kernel": "linux-image-amd64"},
     "gpu_release_kernel: 'linux-image-amd64' is not a kernel release; give it as uname -r prints it: 6.1.0-37-amd64"),
    ("rocm-7.2.3", look(kernel=NEWER, installed=("extramodules", BOOKWORM)), {},
     (f"kernel {NEWER}: is not of a series that AMD lists for Debian 12 (6.1.0); set gpu_release_kernel to an "
      f"installed kernel that does: {BOOKWORM} (source: {NOTES_7_2_4})")),
]


@pytest.mark.parametrize(("name", "node", "policy", "sentence"), REFUSED)
def test_another_kernel_is_refused_with_what_would_do(name, node, policy, sentence):
    assert refusal(name, node, **policy).sentence == sentence


NOTES = [
    ("rocm-7.0.2", look(), "kernel unchecked: AMD printed no kernel for Debian 12 with ROCm 7.0.2 with amdgpu 30.10.2"),
    ("rocm-7.2.3", look(kernel=None), "kernel unchecked: the look does not tell which one runs"),
    ("rocm-7.2.3", dc.replace(look(), kernel=None), "kernel unchecked: the look does not tell which one runs"),
    ("rocm-7.0.2", look(kernel="6.14.11-1-pve"),
     "kernel 6.14.11-1-pve is not one of the distribution's: its packages are not managed"),
]


@pytest.mark.parametrize(("name", "node", "note"), NOTES)
def test_what_could_not_be_checked_is_noted(name, node, note):
    assert note in resolved(name, node).notes


def test_the_kernels_own_driver_is_not_held_against_builds():
    node = look("ubuntu 22.04.5", "6.8.0-44-generic", gpus=("740f",))
    assert resolved("rocm-6.2.0", node, driver_source="in_tree").kernel.wanted == "6.8.0-44-generic"


def test_a_pinned_kernel_is_refused_without_a_look_at_the_installed_ones():
    error = refusal("rocm-7.2.3", dc.replace(look(), kernel=None), kernel=NEWER)
    assert error.hint.startswith("none of the installed kernels does")


@pytest.mark.parametrize(("second", "refused"), [([], False), (["MI300X"], True)])
def test_a_kernel_of_two_series_is_barred_only_by_both(second, refused):
    data = document("releases/rocm-7.2.3.yml")
    data["release"]["os"][1]["kernels"] = [
        {"series": "6.1", "gpus_except": ["MI300X", "MI210"]}, {"series": "6.1.0", "gpus_except": second}]
    answer = refusal if refused else resolved
    assert answer("rocm-7.2.3", cat=catalogue(data))


def test_a_pinned_kernel_must_be_there_or_be_the_distributions():
    assert refusal("rocm-7.2.3", kernel="6.1.0-site").sentence == (
        "gpu_release_kernel 6.1.0-site: is not installed, and which packages it comes from is not known; "
        "install it by hand, or name a kernel of the distribution")
    node = look(installed=("6.1.0-site",))
    assert resolved("rocm-7.2.3", node, kernel="6.1.0-site").kernel.packages == ()
