# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A driver that compiles and loads, and binds no GPU: the node goes back to what it was, by itself."""

from __future__ import annotations


def test_rollback(lab):
    before = lab.state()
    played = lab.play("upgrade", gpu_release_name="site-dead", gpu_release_kernel=lab.kernels.new)
    assert played.status not in (0, 4), played.text

    # What failed: the kernel and the module were the wanted ones, modprobe had nothing to say, and no probe succeeded.
    said = lab.console()
    assert said.count("Linux version 6.12.") == 1
    assert said.count("amdgpu: Fatal error during GPU init") >= before["bound"]
    after = lab.state()
    assert (after["kernel"], after["version"], after["loaded"]) == (before["kernel"], "6.14.14", before["loaded"])
    assert (after["bound"], after["render"]) == (2, 16)
    assert set(before["packages"]) <= set(after["packages"])  # the other kernel may stay beside them
    assert lab.kernels.new not in after["saved"]
    assert after["next"] == ""
    assert after["unfinished"] == ""
    # It is not given back to work, and says why.
    assert after["note"]["state"] == "rolled back"
    assert "GPU" in after["note"]["reason"]
    assert "rolled back" in played.text

    # What is bad for this release is not tried again unasked.
    again = lab.play("upgrade", gpu_release_name="site-dead", gpu_release_kernel=lab.kernels.new)
    assert again.status != 0, again.text
    assert lab.state()["boot_id"] == after["boot_id"]
