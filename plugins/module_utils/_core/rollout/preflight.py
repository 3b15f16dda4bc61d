# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What of a plan decides before the first node is touched: what to ask, what answers come to, how long it takes."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..act import snapshot
from ..act.room import MIB, OK, REFUSED, UNKNOWN
from .typical import Typical

Plain = t.Mapping[str, t.Any]
_INSTALLS = ("tools", "install", "reinstall")
_CHANGES = (*_INSTALLS, "remove", "evict")


@dc.dataclass(frozen=True)
class Check:
    """One question and what came of it: OK, REFUSED, or UNKNOWN where nobody could tell."""

    name: str
    verdict: str
    words: str

    def to_dict(self) -> dict[str, str]:
        """Plain data."""
        return dc.asdict(self)


def refusal(checks: t.Iterable[Check]) -> str:
    """What speaks against touching the node, in one sentence; empty if nothing does."""
    return "; ".join(check.words for check in checks if check.verdict == REFUSED)


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
        return any(of == role and word in _INSTALLS for of, word, _data in self.steps)


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


def of_plan(seen: Due) -> tuple[Check, ...]:
    """Problems that would make the gate or the proof fail at the end; a reboot that is needed and not allowed."""
    checks = [Check("plan", REFUSED, problem) for problem in seen.problems] or [
        Check("plan", OK, "every problem is one that a step mends")]
    if seen.reboot and not seen.has("reboot"):
        checks.append(Check("reboot", REFUSED, f"a reboot is needed and not allowed ({seen.reboot}); "
                                               "set gpu_driver_reboot_allowed to true"))
    return tuple(checks)


def of_packages(seen: Due, broken: t.Sequence[tuple[str, str]]) -> tuple[Check, ...]:
    """Packages that are half done. ``broken``: their names and states.

    One that is half installed can only be installed again or removed, which the plan does with its own alone; all
    others it configures.
    """
    name = "half-done packages"
    if not broken or not seen.has(*_CHANGES):
        return ()
    touched = {package for data in seen.data("repair") for package in data["packages"]}
    lost = [package for package, state in broken if state == "half-installed" and package not in touched]
    if lost:
        return (Check(name, REFUSED, f"{', '.join(lost)}: half installed, and not of this release; "
                                     "install or remove it by hand, then run again"),)
    words = ", ".join(f"{package} ({state})" for package, state in broken)
    return (Check(name, OK, f"are finished first: {words}"),)


def of_answer(name: str, answer: Plain, good: str) -> Check:
    """What a task came to that asked something in check mode. ``good``: what is said of it where it did not fail."""
    if answer.get("unreachable"):
        return Check(name, REFUSED, "the host that was asked did not answer")
    if answer.get("failed"):
        return Check(name, REFUSED, str(answer.get("msg") or "failed without a reason; run again with -v"))
    return Check(name, OK, good)


def of_boot(answer: Plain) -> Check:
    """What node_boot said in check mode: whether the kernel that is known to work comes back by itself."""
    check = of_answer("boot", answer, "a kernel that does not come up gives way to the one that runs")
    words = (answer.get("fallback") or {}).get("words", "")
    return dc.replace(check, verdict=UNKNOWN, words=words) if check.verdict == OK and words else check


def of_snapshot(answer: Plain) -> list[dict[str, t.Any]]:
    """What a snapshot will add, as node_snapshot says in check mode; nothing where it does not say."""
    room = answer.get("room") or 0
    need = {"directory": snapshot.PLACE, "mib": -(-room // MIB), "what": "the snapshot", "assumed": False}
    return [need] if room else []


def needs(seen: Due, typical: Typical) -> list[dict[str, t.Any]]:
    """What must fit besides the packages that apt tells the sizes of: ``{directory, mib, what, assumed}``."""
    found: list[tuple[str, str, str, int]] = []
    many = len(seen.builds)
    if many:
        found += [("/var/lib/dkms", "build", "the build of the driver", 1),
                  ("/lib/modules", "module", f"the driver's modules for {_kernels(many)}", many)]
    if seen.has("trial"):
        found.append(("/var/tmp", "trial", "the build on trial", 1))
    if seen.new:
        found.append(("/boot", "kernel_boot", f"kernel {seen.kernel}", 1))
    if seen.manager != "apt":
        found += [("/usr", "kernel", f"kernel {seen.kernel}", 1)] if seen.new else []
        found += [("/usr", "driver", "the driver's packages", 1)] if seen.installs("gpu_driver") else []
        found += [("/opt", "rocm", "ROCm", 1)] if seen.installs("rocm_userspace") else []
    return [{"directory": where, "mib": typical.sizes[what] * times // MIB, "what": words, "assumed": True}
            for where, what, words, times in found]


def _kernels(many: int) -> str:
    return f"{many} kernel{'' if many == 1 else 's'}"


def images(seen: Due) -> int:
    """How many initramfs images must fit in /boot besides those that are there now.

    A tool writes the new image beside the old one, so the largest must fit once more even if none is added.
    """
    makes = seen.new or bool(seen.builds) or seen.has("initramfs")
    return (2 if seen.new else 1) if makes else 0


def timing(seen: Due, typical: Typical) -> dict[str, int]:
    """Seconds that each step is expected to take. How long jobs run nobody knows, so the drain is not among them."""
    builds, product = len(seen.builds) * typical.takes("build", seen.product), seen.product
    apply = {
        "packages": seen.installs("gpu_driver"), "rocm": seen.has("evict") or seen.installs("rocm_userspace"),
        "initramfs": seen.has("initramfs") or seen.new, "load": seen.has("load"),
        "partition": any(role == "gpu_partition" for role, _action, _data in seen.steps),
        "firmware": any(role == "gpu_firmware" for role, _action, _data in seen.steps),
    }
    return {
        "snapshot": typical.takes("snapshot", product),
        "trial": builds if seen.has("trial") else 0,
        "apply": builds + sum(typical.takes(what, product) for what, is_so in apply.items() if is_so),
        "reboot": typical.takes("reboot", product) if seen.has("reboot") else 0,
        "gate": typical.takes("gate", product) + typical.takes("look", product),
    }
