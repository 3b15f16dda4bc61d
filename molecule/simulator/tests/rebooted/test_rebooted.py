# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""After a reboot the node runs what GRUB's menu starts with, and the driver came up by itself."""

from __future__ import annotations

import re


def test_runs_the_kernel_of_the_menu(host):
    """The first entry of the menu that the real grub-mkconfig wrote is the running kernel."""
    menu = host.file("/boot/grub/grub.cfg").content_string
    first = re.search(r"^\s*linux\s+/boot/vmlinuz-(\S+)", menu, re.MULTILINE)
    assert first
    assert first[1] == host.check_output("uname -r")


def test_boot_is_another(host):
    """The boot id is a real one and not that of before."""
    boot, before = (host.check_output(f"cat {path}") for path in ("/proc/sys/kernel/random/boot_id", "/root/boot_id"))
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", boot)
    assert boot != before


def test_driver_came_up(host):
    """The driver is loaded after the boot."""
    assert host.file("/sys/module/amdgpu/version").content_string.strip() == "6.14.14"
    assert host.check_output("ls -d /sys/bus/pci/drivers/amdgpu/0000:* | wc -l") == "8"
