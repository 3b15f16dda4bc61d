# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A kernel that does not come up gives way to the old one by itself; and the power goes in the middle of a reboot."""

from __future__ import annotations

# Part of the initramfs: the new kernel dies before it has a root file system.
DEADLY = "/etc/initramfs-tools/scripts/init-top/deadly"
KILL = "#!/bin/sh\n[ \"$1\" = prereqs ] || case $(uname -r) in 6.12.*) echo c > /proc/sysrq-trigger ;; esac\n"


def test_boot(lab):
    wanted = {"gpu_release_name": "site-good", "gpu_release_kernel": lab.kernels.new}
    before = lab.state()
    lab.run(f"cat > {DEADLY} <<'E'\n{KILL}E\nchmod 755 {DEADLY}")
    played = lab.play("upgrade", fleet_upgrade_rollback=False, **wanted)
    assert played.status != 0, played.text
    assert lab.console().count("Kernel panic") == 1
    fallen = lab.state()
    assert (fallen["kernel"], fallen["bound"]) == (before["kernel"], before["bound"])
    assert before["boot_id"] != fallen["boot_id"]
    assert fallen["next"] == ""
    assert fallen["note"]["state"] == "failed"
    assert lab.kernels.new in fallen["note"]["reason"]

    # Mended, and asked for again: only the reboot is left, and the power goes while the new kernel starts.
    lab.run(f"rm {DEADLY} && update-initramfs -u -k {lab.kernels.new}")
    said = lab.console().count("Linux version 6.12.")
    running = lab.begin("upgrade", fleet_upgrade_retry=True, **wanted)
    lab.until(lambda: lab.console().count("Linux version 6.12.") > said, running, pause=0.5)
    lab.blackout(running)
    # The one boot is used up: what has started now is the kernel that is known to work.
    cut = lab.state()
    assert (cut["kernel"], cut["next"]) == (lab.kernels.old, "")
    assert cut["note"]["state"] == "going"

    # Half done is no failure of the node: the next run goes on unasked.
    again = lab.play("upgrade", **wanted)
    assert again.status == 0, again.text
    end = lab.state()
    assert (end["kernel"], end["version"], end["bound"]) == (lab.kernels.new, "6.16.13", before["bound"])
    assert end["note"]["state"] == "done"
