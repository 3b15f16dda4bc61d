# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node goes to another kernel and another driver, by a real reboot; not to a driver that does not compile there."""

from __future__ import annotations


def test_upgrade(lab):
    before, untouched = lab.state(), lab.digest()
    assert (before["kernel"], before["version"], before["bound"]) == (lab.kernels.old, "6.14.14", 2)

    # The trial build finds it, before anything is touched.
    refused = lab.play("upgrade", gpu_release_name="site-uncompilable", gpu_release_kernel=lab.kernels.new)
    assert refused.status != 0
    assert "too many arguments to function" in " ".join(refused.text.split()), refused.text
    assert (lab.state(), lab.digest()) == (before, untouched)

    wanted = {"gpu_release_name": "site-good", "gpu_release_kernel": lab.kernels.new}
    played = lab.play("upgrade", **wanted)
    assert played.status == 0, played.text
    after, reached = lab.state(), lab.digest()
    assert after["boot_id"] != before["boot_id"]
    # The kernel is the pinned one, and the module that it has loaded is the one of the pinned package.
    assert (after["kernel"], after["version"]) == (lab.kernels.new, "6.16.13")
    assert after["loaded"] == after["on_disk"] != before["loaded"]
    assert (after["bound"], after["render"]) == (2, 16)
    # It was booted once on trial, and is the default since it was proved.
    assert lab.kernels.new in after["saved"]
    assert after["next"] == ""
    assert after["unfinished"] == ""
    assert after["note"]["state"] == "done"
    assert f"linux-image-{lab.kernels.old}" in " ".join(after["packages"])

    again = lab.play("upgrade", **wanted)
    assert again.status == 0, again.text
    assert (lab.state()["boot_id"], lab.digest()) == (after["boot_id"], reached)
