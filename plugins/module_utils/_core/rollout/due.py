# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What of the plan of a node its upgrade needs to know before it begins."""

from __future__ import annotations

import dataclasses as dc
import typing as t

Plain = t.Mapping[str, t.Any]
INSTALLS = ("tools", "install", "reinstall")


@dc.dataclass(frozen=True)
class Due:
    """What of the plans of a node its pre-flight needs.

    Attributes:
        manager: apt, dnf or zypper.
        steps: every step of every role, as ``(role, action, data)``.
        problems: what is wrong and no step mends.
        reboot: why a reboot is needed; empty if none is.
        kernel: the kernel that is wanted.
        new: whether that kernel is not installed yet.
        product: what the GPUs are.
    """

    manager: str
    steps: tuple[tuple[str, str, Plain], ...]
    problems: tuple[str, ...]
    reboot: str
    kernel: str
    new: bool
    product: str

    def data(self, action: str) -> tuple[Plain, ...]:
        """The data of all steps with this action."""
        return tuple(data for _role, word, data in self.steps if word == action)

    def has(self, *actions: str) -> bool:
        """Whether there is a step with one of these actions."""
        return any(word in actions for _role, word, _data in self.steps)

    @property
    def question(self) -> Plain:
        """What to ask the package manager; empty if nothing."""
        return next(iter(self.data("available")), {})

    @property
    def builds(self) -> tuple[str, ...]:
        """Kernels that a driver is built for."""
        tried = [kernel for data in self.data("trial") for kernel in data["kernels"]]
        return tuple(dict.fromkeys([*tried, *(data["kernel"] for data in self.data("build"))]))

    def installs(self, role: str) -> bool:
        """Whether the role installs packages."""
        return any(of == role and word in INSTALLS for of, word, _data in self.steps)


def due(plan: Plain, kernels: t.Collection[str]) -> Due:
    """Read what fleet_plan returned. ``kernels``: those that are installed."""
    plans, release = plan["plans"], plan["release"]
    kernel = release["kernel"]["wanted"] or ""
    products = [gpu["product"] for gpu in release["gpus"]]
    return Due(
        manager=release["os"]["manager"],
        steps=tuple((role, step["action"], step["data"]) for role, of in plans.items() for step in of["steps"]),
        problems=tuple(problem for of in plans.values() for problem in of["problems"]),
        reboot="; ".join(dict.fromkeys(of["reboot"] for of in plans.values() if of["reboot"])),
        kernel=kernel, new=kernel != "" and kernel not in kernels, product=products[0] if products else "")
