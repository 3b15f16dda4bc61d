# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two runs on one node at once; and a dpkg that is killed while it configures the driver."""

from __future__ import annotations

import subprocess

from playbook import plans, run_site
from recovery import ends_right, for_people, site, told

testinfra_hosts = ["ansible://robust-hands"]

REPAIR = "finish the interrupted run of the package manager"
# As the power fails while amdgpu-dkms is being configured: apt, dpkg and all that they started are gone at once.
CUT_OFF = r"""
setsid apt-get install -o Dpkg::Use-Pty=0 --reinstall -y --allow-change-held-packages amdgpu-dkms > /dev/null 2>&1 &
session=$!
for _ in $(seq 600); do pgrep -s $session -f amdgpu-dkms.postinst > /dev/null && break; sleep 0.1; done
pkill -9 -s $session
dpkg-query -W -f '${db:Status-Status}' amdgpu-dkms
"""


def two_runs_at_once(name: str) -> None:
    """Each ends well, or with one sentence."""
    runs = [subprocess.Popen(site(name, {}), env=for_people(), stdout=subprocess.PIPE, text=True) for _run in range(2)]
    for run in runs:
        out, _err = run.communicate()
        print(f"two runs at once: {run.returncode} {' / '.join(told(name, out))}")
        assert (run.returncode, len(told(name, out))) in ((0, 0), (2, 1)), out


def dpkg_is_killed(host, name: str) -> None:
    """The plan says what it found."""
    assert host.check_output(CUT_OFF) == "half-configured"
    (plan,) = plans(run_site(name, {}, "--check"))
    assert f"{REPAIR}: amdgpu-dkms 1:6.16.13.30300300-2327507.22.04 (half-configured)" in plan["actions"]


# One test, for two would run side by side on the one node.
def test_the_next_run_ends_right(host) -> None:
    name = host.backend.get_hostname()
    two_runs_at_once(name)
    ends_right(host, name)
    dpkg_is_killed(host, name)
    ends_right(host, name)
