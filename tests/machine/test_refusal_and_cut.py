# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A driver that does not compile is found before anything is touched; and the power goes while apt works."""

from __future__ import annotations

ASK = "dpkg-query -W -f '${db:Status-Status}' amdgpu-dkms"
AMID = ("half-installed", "unpacked", "half-configured")  # dpkg has begun with the driver, and is not through with it


def test_refusal_and_cut(lab):
    before = lab.state()
    refused = lab.play("upgrade", gpu_release_name="site-uncompilable", gpu_release_kernel=lab.kernels.new)
    assert refused.status != 0
    assert "too many arguments to function" in " ".join(refused.text.split()), refused.text
    after = lab.state()
    assert after == before

    wanted = {"gpu_release_name": "site-good", "gpu_release_kernel": lab.kernels.new}
    running = lab.begin("upgrade", **wanted)
    lab.until(lambda: lab.run(ASK, status=None) in AMID, running, pause=3)
    lab.blackout(running)
    cut = lab.state()
    assert cut["kernel"] == lab.kernels.old
    assert cut["note"]["state"] == "going"

    # Half done is no failure of the node: the next run goes on unasked.
    again = lab.play("upgrade", **wanted)
    assert again.status == 0, again.text
    end = lab.state()
    assert (end["kernel"], end["version"], end["bound"]) == (lab.kernels.new, "6.16.13", 2)
    assert end["unfinished"] == ""
    assert end["note"]["state"] == "done"
