# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The power goes in the middle of apt, and in the middle of the reboot: each time the next run goes on from there."""

from __future__ import annotations

# dpkg has unpacked the new driver, and is not through with it. The shell itself sees it, which costs nothing.
AMID = "compgen -G '/usr/src/amdgpu-6.16.13-*/dkms.conf' > /dev/null"


def test_power(lab):
    wanted = {"gpu_release_name": "site-good", "gpu_release_kernel": lab.kernels.new}
    before = lab.state()
    running = lab.begin("upgrade", **wanted)
    lab.until_inside(AMID, running)
    lab.blackout(running)
    cut = lab.state()
    assert cut["kernel"] == lab.kernels.old
    assert cut["unfinished"] != ""
    assert cut["note"]["state"] == "going"

    # Half done is no failure of the node: the next run goes on unasked. The power goes when the new kernel starts.
    said = lab.console().count("Linux version 6.12.")
    running = lab.begin("upgrade", **wanted)
    lab.until(lambda: lab.console().count("Linux version 6.12.") > said, running)
    lab.blackout(running)
    # The one boot is used up: what has started now is the kernel that is known to work.
    fallen = lab.state()
    assert (fallen["kernel"], fallen["next"]) == (lab.kernels.old, "")
    assert lab.kernels.old in fallen["saved"]
    assert fallen["note"]["state"] == "going"

    again = lab.play("upgrade", **wanted)
    assert again.status == 0, again.text
    end = lab.state()
    assert (end["kernel"], end["version"], end["bound"]) == (lab.kernels.new, "6.16.13", before["bound"])
    assert end["loaded"] == end["on_disk"]
    assert lab.kernels.new in end["saved"]
    assert end["unfinished"] == ""
    assert end["note"]["state"] == "done"
