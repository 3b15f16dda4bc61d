# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Real apt, DKMS and GRUB: what the plan said is what the run did, and a second plan is empty.

Each node lives through a history of its own, drawn from a seed; its states build on each other as they do in life.
"""

from __future__ import annotations

import checks
from hypothesis import Phase, given, seed, settings
from hypothesis import strategies as st
from playbook import plans, run_site

EXAMPLES = 4
# What other hands do to a node between two runs: each a command, which may fail as it does for people.
VENDOR = "/usr/share/instinct-sim/provision"  # installs a release as the vendor's instructions say
DKMS = "dkms status -m amdgpu 2>/dev/null | sed -nE 's|^amdgpu/([^,]+), ([^,]+),.*|\\1 \\2|p'"
EVENTS = {
    "nothing": "true",
    "ROCm 6.4.2 installed by hand": f"{VENDOR} 6.4.2 6.4.2",
    "ROCm 7.0.2 installed by hand": f"{VENDOR} 7.0.2 30.10.2",
    "a pin edited": "echo '# mine' >> /etc/apt/preferences.d/00-instinct-amdgpu",
    "a source removed": "rm -f /etc/apt/sources.list.d/instinct-rocm.sources",
    "GRUB's default edited": "echo GRUB_DEFAULT=0 > /etc/default/grub.d/90-instinct-kernel.cfg && update-grub",
    "holds lifted": "apt-mark showhold | xargs -r apt-mark unhold",
    "a build lost": f"{DKMS} | head -n 1 | {{ read -r v k && dkms uninstall -m amdgpu -v $v -k $k; }}",
    "all builds removed": f"{DKMS} | {{ read -r v k && dkms remove -m amdgpu -v $v --all; }}",
    "a newer kernel": "apt-get install -y linux-image-6.1.0-57-amd64 linux-headers-6.1.0-57-amd64",
    "a package unpacked only": "cd /tmp && apt-get download rocminfo && dpkg --unpack --force-all rocminfo_*.deb",
    "the driver removed": "apt-get remove -y --allow-change-held-packages amdgpu-dkms",
    "the driver unloaded": "modprobe -r amdgpu",
    "the render group renumbered": "groupmod -g 1777 render",
    "a job on the GPUs": "instinct-sim fault busy gpu=all",
}
RELEASES = {release["name"]: release for release in (checks.FIRST, checks.SECOND)}
KERNELS = ("", "6.1.0-57-amd64")

pasts = st.lists(st.sampled_from(sorted(EVENTS)), min_size=1, max_size=3, unique=True)
wishes = st.fixed_dictionaries(
    {"gpu_release_name": st.sampled_from(sorted(RELEASES))}, optional={"gpu_release_kernel": st.just(KERNELS[1])})


def drawn(name: str) -> list[tuple[list[str], dict]]:
    """The history of one node: pasts and wishes by turns, always the same for the same name."""
    history = []

    @seed(sum(name.encode()))
    @settings(max_examples=EXAMPLES, database=None, phases=(Phase.generate,))
    @given(pasts, wishes)
    def draw(past: list[str], wish: dict) -> None:
        history.append((past, wish))

    draw()
    return history


def planned(run) -> dict:
    """The one plan of a run in check mode."""
    assert run.returncode == 0, run.stdout + run.stderr
    (plan,) = plans(run)
    return plan


def test_plan_is_reality(host) -> None:
    name = host.backend.get_hostname()
    for past, wish in drawn(name):
        print(f"{name}: {', '.join(past)}; then {wish}")
        for event in past:
            host.run(EVENTS[event])
        said = planned(run_site(name, wish, "--check"))
        run = run_site(name, wish)
        assert run.returncode == 0, run.stdout + run.stderr
        first, last = plans(run)[0], plans(run)[-1]
        assert first["actions"] == said["actions"]
        # A run that had something to do has proved each step: what was planned is in no later plan.
        assert not said["todo"] or last["report"]["changed"] == said["actions"]
        again = planned(run_site(name, wish, "--check"))
        assert (again["actions"], again["report"]["verdict"]) == ([], "as wanted")
        for check in checks.ALL:
            check(host, RELEASES[wish["gpu_release_name"]])
