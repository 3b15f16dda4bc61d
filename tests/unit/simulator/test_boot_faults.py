# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernels that do not come up, and what boots then."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from instinct_sim import faults, grub, power, product
from instinct_sim.errors import SimError
from instinct_sim.state import Store

KERNEL, OTHER = "6.1.0-56-amd64", "6.12.1"
MENU = """if [ "${boot_once}" = true ]; then
  set more="panic=30"
fi
set default="${saved_entry}"
menuentry 'old' $menuentry_id_option 'old' {
  linux /boot/vmlinuz-%s ro%s
}
menuentry 'new' $menuentry_id_option 'new' {
  linux /boot/vmlinuz-%s ro%s
}
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Root folder of a node without a driver."""
    return tmp_path / "root"


@pytest.fixture
def store(tmp_path: Path, root: Path) -> Store:
    """A node that has not been started."""
    made = Store(tmp_path / "state")
    made.create({**product.new_state("mi300x", 1), "node.root": str(root), "node.modprobe_d": str(root / "etc")})
    return made


def menu(root: Path, arguments: str = " $more", once: str = "new") -> Path:
    """A /boot with two kernels, the old one as the default."""
    folder = root / "boot"
    (folder / "grub").mkdir(parents=True, exist_ok=True)
    for kernel in (KERNEL, OTHER):
        (folder / f"vmlinuz-{kernel}").touch()
    (folder / "grub/grub.cfg").write_text(MENU % (KERNEL, arguments, OTHER, arguments), encoding="utf-8")
    grub.write_environment(folder / "grub/grubenv", {"saved_entry": "old", "next_entry": once})
    return folder


def broken(store: Store, name: str, **arguments: str) -> None:
    with store.change() as state:
        faults.inject(state, name, arguments)


def test_a_kernel_that_panics_once_gives_way_to_the_default(store: Store, root: Path, tmp_path: Path) -> None:
    folder = menu(root)
    broken(store, "kernel_panics", kernel=OTHER)
    power.boot(store, tmp_path / "run")
    assert (store.read()["node.kernel"], store.read()["node.cmdline"]) == (KERNEL, f"BOOT_IMAGE=/boot/vmlinuz-{KERNEL} ro")
    assert grub.read_environment(folder / "grub/grubenv") == {"saved_entry": "old", "next_entry": ""}


@pytest.mark.parametrize(("arguments", "fault", "kernel", "said"), [
    ("", "kernel_panics", OTHER, f"kernel {OTHER} panics, and nothing starts the machine anew"),
    (" panic=0", "kernel_panics", OTHER, f"kernel {OTHER} panics, and nothing starts the machine anew"),
    (" panic=5", "kernel_panics", "", f"kernel {KERNEL} panics again and again: the node does not start"),
    (" $more", "boot_hangs", OTHER, f"kernel {OTHER} hangs: the node does not answer"),
])  # fmt: skip
def test_a_node_that_does_not_start(store: Store, root: Path, tmp_path: Path, arguments: str, fault: str, kernel: str, said: str) -> None:
    menu(root, arguments)
    broken(store, fault, kernel=kernel)
    before = store.read().get("node.boot_id")
    with pytest.raises(SimError, match=f"^{said}$"):
        power.boot(store, tmp_path / "run")
    assert store.read().get("node.boot_id") == before


def test_other_kernels_are_as_they_were(store: Store, root: Path, tmp_path: Path) -> None:
    menu(root, once="")
    broken(store, "kernel_panics", kernel=OTHER)
    broken(store, "boot_hangs", kernel=OTHER)
    power.boot(store, tmp_path / "run")
    assert store.read()["node.kernel"] == KERNEL


def test_a_slow_boot_takes_its_time(store: Store, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    menu(root)
    slept: list[float] = []
    monkeypatch.setattr(power.time, "sleep", slept.append)
    power.boot(store, tmp_path / "run")
    broken(store, "boot_slow", seconds="1.5")
    power.boot(store, tmp_path / "run")
    assert [seconds for seconds in slept if seconds] == [1.5]


def test_services_of_a_node_that_does_not_start_stay_off(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(subprocess, "run", lambda words, check: told.append(words[-1]))
    monkeypatch.setattr(power, "_end_sessions", lambda: None)
    monkeypatch.setattr(power, "Path", lambda _path: tmp_path)
    monkeypatch.setattr(power, "boot", lambda _store: None)
    power.reboot(store)
    assert told == ["instinct-sim-off.target", "default.target"]
    told.clear()

    def hangs(_store: Store) -> None:
        raise SimError("hangs")

    monkeypatch.setattr(power, "boot", hangs)
    with pytest.raises(SimError, match="hangs"):
        power.reboot(store)
    assert told == ["instinct-sim-off.target"]
