# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which images are made, and what counts as done."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.act import boot_proof as core
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError, FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Boot, Initramfs, Kernel

BOOT = Boot(images=(Initramfs("6.1", "x", 30, 20), Initramfs("6.2", "x", 10, 20), Initramfs("6.3", "x", 22, 20)), modprobe_time=25)


def test_to_make_names_what_is_missing_or_old_with_the_reason():
    assert core.to_make(BOOT, ["6.1", "6.2", "6.3", "6.4"]) == {
        "6.2": "it is older than the driver", "6.3": "it is older than the settings in modprobe.d", "6.4": "there is none"}


def test_an_image_whose_driver_was_removed_is_made_whatever_its_time():
    assert core.to_make(BOOT, ["6.1", "6.2"], ["6.1", "6.2"]) == {
        "6.1": "what is copied into it changed", "6.2": "it is older than the driver"}
    assert core.to_make(BOOT, ["6.1"], ["6.3"]) == {}


def test_an_image_that_is_still_the_old_one_is_refused():
    core.refuse_unmade(BOOT, ["6.1"])
    with pytest.raises(FleetError) as refused:
        core.refuse_unmade(BOOT, ["6.1", "6.2", "6.4"])
    assert refused.value.sentence == (
        "initramfs of 6.2: was made, and it is older than the driver all the same; is there room in /boot?")


@pytest.mark.parametrize(
    ("kernel", "sentence"),
    [
        (Kernel(next_boot="6.2"), "GRUB: boots 6.2 next, not 6.1; look for another GRUB_DEFAULT in /etc/default/grub.d, and "
                                  "for its entry in grub.cfg"),
        (Kernel(unknown={"next_boot": "the last boot failed"}),
         "GRUB: was told to boot 6.1, and what boots next is unknown: the last boot failed; look at grub.cfg"),
        (Kernel(), "GRUB: was told to boot 6.1, and what boots next is unknown: no boot loader was found; look at grub.cfg"),
    ],
)
def test_another_kernel_is_refused(kernel, sentence):
    core.refuse_other(Kernel(next_boot="6.1"), "6.1")
    with pytest.raises(FleetError) as refused:
        core.refuse_other(kernel, "6.1")
    assert refused.value.sentence == sentence


@pytest.mark.parametrize("kernel", ["", "-k all", "../x", "a b"])
def test_what_is_no_kernel_is_refused(kernel):
    core.checked(["6.12.117+deb13-amd64"])
    with pytest.raises(DataError, match="is not a kernel release"):
        core.checked([kernel])
