# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A kernel that does not come up gives way to the old one by itself."""

from __future__ import annotations

# Part of the initramfs: the new kernel dies before it has a root file system.
DEADLY = "/etc/initramfs-tools/scripts/init-top/deadly"
KILL = "#!/bin/sh\n[ \"$1\" = prereqs ] || case $(uname -r) in 6.12.*) echo c > /proc/sysrq-trigger ;; esac\n"


def test_boot(lab):
    before = lab.state()
    lab.run(f"cat > {DEADLY} <<'E'\n{KILL}E\nchmod 755 {DEADLY}")
    played = lab.play("upgrade", fleet_upgrade_rollback=False, gpu_release_name="site-good",
                      gpu_release_kernel=lab.kernels.new)
    assert played.status != 0, played.text
    assert lab.console().count("Kernel panic") == 1
    fallen = lab.state()
    assert (fallen["kernel"], fallen["bound"]) == (before["kernel"], before["bound"])
    assert before["boot_id"] != fallen["boot_id"]
    assert fallen["next"] == ""
    assert lab.kernels.old in fallen["saved"]
    assert fallen["note"]["state"] == "failed"
    assert lab.kernels.new in fallen["note"]["reason"]
