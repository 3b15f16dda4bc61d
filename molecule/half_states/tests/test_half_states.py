# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Real apt, dkms, depmod and update-initramfs in every half state: what the look says is what dkms says, one run ends
the state, and no working module leaves the disk before its successor was built.
"""

from __future__ import annotations

import functools
import inspect
import json
import os
import re
import typing as t
from concurrent.futures import ThreadPoolExecutor

import checks
import pytest
import testinfra
from playbook import plans, refusals, results, run, run_site

BOOKWORM, TRIXIE = NODES = ("half-bookworm", "half-trixie")
TREE = "/var/lib/dkms/amdgpu"
# Variables of every command: kernel, version in DKMS, where its module is.
SET = (
    "K=$(uname -r); V=$(ls -d /var/lib/dkms/amdgpu/[0-9]* 2>/dev/null | xargs -rn1 basename | tail -n 1); "
    "D=/lib/modules/$K/updates/dkms; export DEBIAN_FRONTEND=noninteractive; "
)
GAPS = "/root/gaps"
MODULE = "/lib/modules/$(uname -r)/updates/dkms/amdgpu.ko*"
PACKAGES = "/var/lib/apt/lists/*_Packages"
BUILD = ["trial", "build", "initramfs", "load"]
AGAIN = ["refresh", "mend", "unhold", "reinstall", "build", "hold", "initramfs", "load"]

BLACKLIST = "echo 'blacklist amdgpu' > /etc/modprobe.d/x.conf; update-initramfs -u -k $K"

# state -> command, steps, variables
STATES: dict[str, tuple[str, list[str], dict]] = {
    "added only": ("dkms uninstall -m amdgpu -v $V -k $K; dkms unbuild -m amdgpu -v $V -k $K", BUILD, {}),
    "built only": ("dkms uninstall -m amdgpu -v $V -k $K", BUILD, {}),
    "no line at all": ("dkms remove -m amdgpu -v $V --all", BUILD, {}),
    "installed, and the file is gone": ("rm $D/amdgpu.ko*; depmod $K", BUILD, {}),
    "installed, and the file is another one": ("printf x | tee -a $D/amdgpu.ko* > /dev/null", BUILD, {}),
    "installed, and what was built is gone": (f"rm {TREE}/$V/$K/*/module/*", BUILD, {}),
    "installed, and modules.dep names the kernel's own": ("mv $D /root/dkms; depmod $K; mv /root/dkms $D", BUILD, {}),
    "an old tree without source, and no initramfs": (
        f"T={TREE}/5.18.13-1; mkdir $T; ln -s /usr/src/amdgpu-5.18.13-1 $T/source; rm /boot/initrd.img-$K; update-grub",
        ["mend", "initramfs", "boot"], {}),
    # apt-get update takes such lists for good
    "the source is gone, and lists of apt are empty": (
        f"rm -r /usr/src/amdgpu-$V; truncate -s 0 {PACKAGES}", ["trial", "aside", "repair", *AGAIN], {}),
    "a blacklist, also in the initramfs": (
        BLACKLIST, ["unblacklist", "initramfs"], {"gpu_driver_blacklist": "remove"}),
    "a blacklist that is left in the initramfs alone": (
        f"{BLACKLIST}; touch -d '1 hour ago' /boot/initrd*; rm /etc/modprobe.d/x.conf; modprobe -r amdgpu",
        ["initramfs", "load"], {}),
}


# A module is there that could be lost: its successor is built on trial anew. For the other states an older proof does.
AFRESH = {"added only", "installed, and the file is another one", "the source is gone, and lists of apt are empty"}
# What does not differ between two versions of dkms is shown with one.
ALONE = {
    "no line at all": BOOKWORM, "installed, and modules.dep names the kernel's own": BOOKWORM,
    "the source is gone, and lists of apt are empty": TRIXIE, "a blacklist, also in the initramfs": TRIXIE,
    "a blacklist that is left in the initramfs alone": BOOKWORM,
}


def on(*names: str) -> t.Callable:
    """The test, on these nodes at once: most of one is waiting for a compiler that has one file to compile."""

    def decorated(test: t.Callable) -> t.Callable:
        @functools.wraps(test)
        def run_on_all(**given: t.Any) -> None:
            inventory = os.environ["MOLECULE_INVENTORY_FILE"]
            with ThreadPoolExecutor(len(names)) as pool:
                hosts = [testinfra.get_host(f"ansible://{name}", ansible_inventory=inventory) for name in names]
                endings = [pool.submit(test, host, **given) for host in hosts]
            for ending in endings:
                ending.result()

        parameters = list(inspect.signature(test).parameters.values())[1:]  # pytest has no host to give
        run_on_all.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return run_on_all

    return decorated


def sh(host, command: str):
    """Run a command with the variables above; it may fail, as it does for people."""
    return host.run(f"/bin/sh -c {json.dumps(SET + command).replace('$', chr(92) + '$')}")


def name_of(host) -> str:
    return host.backend.get_hostname()


def said_by_dkms(host) -> set[tuple[str, str, str]]:
    """Version, kernel and state of amdgpu, as dkms itself prints them."""
    lines = host.check_output("dkms status -m amdgpu 2>/dev/null || true").splitlines()
    found = (re.match(r"amdgpu/([^,: ]+)(?:, ([^,]+), [^:]+)?: (\w+)", line) for line in lines)
    return {(m[1], m[2] or "", m[3]) for m in found if m}


def seen(run) -> set[tuple[str, str, str]]:
    """The same as the first look of a run saw it."""
    look = next(line["result"]["look"] for line in results(run) if "look" in line["result"])
    return {(m["version"], m["kernel"] or "", m["state"]) for m in look["dkms"]["modules"]}


class Watch:
    """Notes every tenth of a second in which the running kernel has no module of DKMS on disk.

    ``afresh``: what was built on trial before is forgotten.
    """

    def __init__(self, host, afresh: bool = True) -> None:
        self.host = host
        self.forgotten = [GAPS, "/var/lib/instinct/trial"] if afresh else [GAPS]

    def __enter__(self) -> Watch:
        loop = f"while :; do ls {MODULE} || date +%s.%N >> {GAPS}; sleep 0.1; done"
        self.host.check_output("rm -rf " + " ".join(self.forgotten))
        self.there = self.host.run(f"ls {MODULE}").rc == 0
        self.host.check_output("systemd-run --quiet --unit gaps sh -c %s", loop)
        return self

    def __exit__(self, *_error: object) -> None:
        self.host.check_output("systemctl stop gaps")

    def kept(self) -> None:
        """A module that was there left the disk only after its successor was proved to build."""
        gaps = self.host.run("cat %s", GAPS).stdout.split()
        if self.there and gaps:
            proved = self.host.check_output("stat -c %Y /var/lib/instinct/trial/amdgpu-dkms_*_$(uname -r).json")
            assert float(gaps[0]) >= float(proved)


def right(host) -> None:
    """The node is at the release, its packages are whole, and its initramfs is newer than its driver."""
    for check in (checks.driver_version, checks.dkms, checks.loaded, checks.boots, checks.healthy_packages):
        check(host, checks.SECOND)
    checks.holds(host, checks.SECOND)
    assert host.run("test /boot/initrd.img-$(uname -r) -nt $(modinfo -n amdgpu)").rc == 0


def ended(host, variables: dict, steps: list[str] | None = None, afresh: bool = True) -> dict:
    """One run ends the state. Returns its first plan."""
    with Watch(host, afresh) as watch:
        run = run_site(name_of(host), variables)
    assert run.returncode == 0, run.stdout + run.stderr
    first, last = plans(run)[0], plans(run)[-1]
    if steps is not None:
        assert [s["action"] for s in first["plans"]["gpu_driver"]["steps"] if s["action"] != "available"] == steps
    assert last["report"]["verdict"] == "as wanted"
    watch.kept()
    right(host)
    return {"plan": first, "run": run}


@pytest.mark.parametrize("state", STATES)
@on(*NODES)
def test_one_run_ends_the_state(host, state: str) -> None:
    if name_of(host) != ALONE.get(state, name_of(host)):
        return
    command, steps, variables = STATES[state]
    sh(host, command)
    dkms = said_by_dkms(host)
    found = seen(ended(host, variables, steps, afresh=state in AFRESH)["run"])
    # Of a tree without source dkms 3.0 says that it is added, or nothing.
    broken = {version for version, _kernel, word in found if word == "broken"}
    assert {f for f in found if f[0] not in broken} == {d for d in dkms if d[0] not in broken}


BY_HAND = (
    "apt-mark unhold amdgpu-dkms amdgpu-dkms-firmware; rm -f /etc/apt/preferences.d/00-instinct-*; "
    "/usr/share/instinct-sim/provision 6.4.2 6.4.2; apt-get install -y --allow-downgrades "
    "amdgpu-dkms=1:6.12.12.60402-2187269.%s amdgpu-dkms-firmware=1:6.12.12.60402-2187269.%s"
)


def old_driver(host) -> str:
    """Install the driver that does not compile for Linux 6.4 and newer, as people do."""
    codename = host.check_output(". /etc/os-release; echo $VERSION_ID")
    return BY_HAND.replace("%s", checks.UBUNTU[codename])


OLD = {"gpu_release_name": "rocm-6.4.2", "gpu_release_accept": ["derived", "third_party"]}
CONTENT = (
    "find /etc/apt /etc/default /lib/modules /usr/src /var/lib/dkms -type f -print0 | sort -z | xargs -0 sha256sum; "
    "apt-mark showhold; ls --ignore=trial /var/lib/instinct"  # the one place that a trial writes to
)


def offered(host, pattern: str) -> str:
    """The newest kernel of that name that the repositories have; empty if there is none."""
    names = f"apt-cache --names-only search '^linux-image-{pattern}-amd64$' | cut -d' ' -f1 | sort -V"
    return host.check_output(f"{names} | tail -n 1").replace("linux-image-", "")


def install_kernel(host, release: str) -> int:
    """Install a kernel and its headers as people do, and say how that ended."""
    return sh(host, f"apt-get install -y linux-image-{release} linux-headers-{release}").rc


@on(BOOKWORM)  # the other has no kernel for which the old driver compiles
def test_a_kernel_that_came_for_a_driver_that_does_not_build_for_it_is_ended(host) -> None:
    newer = offered(host, "6.12.*")
    sh(host, old_driver(host))
    assert (install_kernel(host, newer), newer in host.check_output("dkms status")) == (100, False)
    assert host.check_output("dpkg-query -W -f '${db:Status-Status}' linux-image-%s", newer) == "half-configured"
    assert host.file(f"/boot/vmlinuz-{newer}").exists and not host.file(f"/boot/initrd.img-{newer}").exists
    # modprobe would load the kernel's own module there, and not say so.
    assert "/updates/" not in host.check_output("modinfo -k %s -n amdgpu", newer)
    steps = ended(host, {})["plan"]["plans"]["gpu_driver"]["by_action"]
    assert f"linux-image-{newer}" in steps["repair"][0]["words"] and newer in steps["trial"][0]["data"]["kernels"]
    assert host.file(f"/boot/initrd.img-{newer}").exists
    assert "/updates/dkms/" in host.check_output("modinfo -k %s -n amdgpu", newer)


@on(BOOKWORM)
def test_a_release_that_cannot_be_is_refused_and_leaves_nothing_behind(host) -> None:
    """One of three kernels is enough; in a roll-out the canary's trial says it before anything is drained."""
    newer = offered(host, "6.12.*")
    assert [install_kernel(host, release) for release in (newer, offered(host, "6.1.0-[0-9]*"))] == [0, 0]
    ended(host, {})
    before = host.check_output(CONTENT).splitlines()
    with Watch(host) as watch:
        endings = [run_site(name_of(host), OLD), run("upgrade", name_of(host), OLD)]
    for ending in endings:
        sentence = refusals(ending)[-1]
        words = f"kernel {newer}: ", "does not build", "class_create"  # and no other kernel
        assert ending.returncode != 0 and all(word in sentence for word in words), sentence
    assert sentence.startswith("no node was touched: ")
    built = host.check_output("ls /var/lib/instinct/trial").split()
    assert sum(name.endswith(".json") for name in built) >= 2 and f"{newer}.log" in built
    assert host.run("test -s %s", GAPS).rc != 0, watch
    assert set(host.check_output(CONTENT).splitlines()) ^ set(before) == set()
    right(host)


@on(TRIXIE)
def test_an_upgrade_by_hand_that_failed_is_ended(host) -> None:
    sh(host, old_driver(host))
    assert host.run("dpkg --audit").stdout != ""
    ended(host, {})


RUNFILE = (
    "cp -r /usr/src/amdgpu-$V /usr/src/amdgpu-6.8.5-1; "
    "sed -i s/^PACKAGE_VERSION=.*/PACKAGE_VERSION=6.8.5-1/ /usr/src/amdgpu-6.8.5-1/dkms.conf; "
    "apt-get purge -y --allow-change-held-packages amdgpu-dkms; dkms install --force -m amdgpu -v 6.8.5-1 -k $K"
)
COPIED = (
    "cp $D/amdgpu.ko* /root/; apt-get purge -y --allow-change-held-packages amdgpu-dkms; mkdir -p $D/..; "
    "mv /root/amdgpu.ko* $D/../; depmod $K"
)
HANDS = {"in DKMS without a package": (TRIXIE, RUNFILE, "amdgpu 6.8.5-1"),
         "copied by hand": (BOOKWORM, COPIED, "/updates/amdgpu.ko")}


@pytest.mark.parametrize("whence", HANDS)
@on(*NODES)
def test_a_driver_of_another_hand_is_refused_or_taken_over(host, whence: str) -> None:
    only, command, word = HANDS[whence]
    if name_of(host) != only:
        return
    sh(host, command)
    refused = run_site(name_of(host), {})
    (sentence,) = refusals(refused)
    assert word in sentence and "gpu_driver_adopt" in sentence
    run = ended(host, {"gpu_driver_adopt": True})
    assert any(word in action for action in run["plan"]["actions"])
    journal = [json.loads(line) for line in host.file("/var/lib/instinct/journal.jsonl").content_string.splitlines()]
    adopted = [e["result"] for e in journal if e["what"] == "gpu_driver_adopt" and word.replace(" ", "/") in e["from"]]
    assert adopted == ["started", "done"]
    if "updates" in word:
        assert host.run("ls /var/lib/instinct/adopted/$(uname -r)/updates/amdgpu.ko*").rc == 0
    else:
        assert host.file("/usr/src/amdgpu-6.8.5-1/dkms.conf").exists
