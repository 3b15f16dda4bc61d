# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What a node is, in few words each: for tables and files that must not carry a whole look."""

from __future__ import annotations

import collections

from ..look import shape as lk


def glimpse(look: lk.Look) -> dict[str, str]:
    """Operating system, kernel, driver, ROCm and GPUs; empty where nothing is known."""
    return {
        "os": (look.os and look.os.pretty_name) or "",
        "kernel": (look.kernel and look.kernel.running) or "",
        "driver": _driver(look.driver) if look.driver else "",
        "rocm": _rocm(look.rocm) if look.rocm else "",
        "gpus": _gpus(look.gpus) if look.gpus and "gpus" not in look.gpus.unknown else "",
    }


def _driver(driver: lk.Driver) -> str:
    if driver.loaded is None:
        return ""
    if not driver.loaded:
        return "not loaded"
    return f"amdgpu {driver.version}" if driver.version else "amdgpu in-tree"


def _rocm(rocm: lk.Rocm) -> str:
    active = next((prefix.version or prefix.path for prefix in rocm.prefixes if prefix.path == rocm.active), "")
    if active or "prefixes" in rocm.unknown:
        return active
    return "none" if not rocm.prefixes else f"none of {len(rocm.prefixes)} active"


def _gpus(gpus: lk.Gpus) -> str:
    """Products as the node names them; without a driver there is no name but the PCI device id."""
    counts = collections.Counter(gpu.product or f"1002:{gpu.device_id}" for gpu in gpus.gpus)
    return ", ".join(f"{number} x {name}" for name, number in sorted(counts.items())) or "none"
