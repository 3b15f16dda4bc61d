# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Checks of the kernel: its arguments, its configuration, and what goes with the one that boots next."""

from __future__ import annotations

from ..errors import DataError
from ..look.boot import why_stale
from ..release.kernel_release import KernelRelease
from .driver import uses_dkms
from .values import Values
from .view import Result, UnseenError, View


def argument(view: View, want: Values) -> Result:
    """Whether an argument is there, or not there. pci takes a list: realloc=off is one of its items."""
    name, item, there = want.text("name"), want.text("item"), want.text("there") == "yes"
    given = [text for text in view.arguments if text == name or text.startswith(f"{name}=")]
    found = any(item in given_items(text) for text in given)
    said = f"the kernel was booted with {' '.join(given)}" if given else f"the kernel was booted without {name}"
    return Result(found == there, f"{'' if there else 'no '}{joined(name, item)} on the kernel command line", said)


def joined(name: str, item: str) -> str:
    """iommu=pt; nomodeset."""
    return f"{name}={item}" if item != name else name


def given_items(text: str) -> tuple[str, ...]:
    """pt and soft of iommu=pt,soft; nomodeset of nomodeset."""
    name, equals, value = text.partition("=")
    return tuple(value.split(",")) if equals else (name,)


def reallocation(view: View, want: Values) -> Result:
    """Whether the kernel is kept from moving memory windows, where the firmware placed not all of them."""
    argument_wanted = want.text("argument")
    wanted = f"{argument_wanted} on the kernel command line where a memory window (BAR) has no address"
    name, _equals, item = argument_wanted.partition("=")
    if any(item in given_items(text) for text in view.arguments if text.startswith(f"{name}=")):
        return Result(True, wanted, f"the kernel was booted with {argument_wanted}")
    devices = view.known(view.host.devices, "host.devices")
    lost = sorted(d.bdf for d in devices if d.kind == "gpu" and d.bars_unplaced)
    where = f"{', '.join(lost)} {'has' if len(lost) == 1 else 'have'}" if lost else "no GPU has"
    return Result(not lost, wanted, f"no {argument_wanted}, and {where} a memory window without an address")


def contradictions(view: View, want: Values) -> Result:
    """Whether arguments speak against each other: each pair is two arguments that cannot both be meant."""
    items = {joined(text.partition("=")[0], item) for text in view.arguments for item in given_items(text)}
    both = [pair for pair in want.texts("pairs") if set(pair.split()) <= items]
    said = "; ".join(" and ".join(pair.split()) for pair in both)
    return Result(not both, "arguments that do not contradict each other",
                  f"the kernel was booted with {said}" if both else "no two arguments contradict each other")


def configuration(view: View, want: Values) -> Result | None:
    """Whether the kernel was built with options; some only count for the kernel's own driver."""
    options = [*want.texts("options"), *(() if uses_dkms(view) else want.texts("in_tree_options"))]
    config = view.known(view.host.kernel_config, "host.kernel_config")
    if not config:
        raise UnseenError("the configuration of the kernel was not found")
    missing = [name for name in options if config.get(name) not in ("y", "m")]
    seen = ", ".join(f"{name} is {config.get(name, 'not set')}" for name in missing or options)
    return Result(not missing, f"a kernel with {', '.join(options)}", seen)


def headers(view: View, _want: Values) -> Result | None:
    """Whether the kernel that boots next has headers, without which DKMS builds nothing for it."""
    if not uses_dkms(view):
        return None
    name = view.next_kernel
    installed = {k.release: k for k in view.known(view.kernel.installed, "kernel.installed")}
    if name not in installed:
        raise UnseenError(f"kernel {name} is not among the installed ones")
    there = installed[name].headers
    return Result(there, f"headers of kernel {name}", f"kernel {name} has {'' if there else 'no '}headers")


def extra_modules(view: View, want: Values) -> Result | None:
    """Whether the package with the rest of the modules is there for the kernel that boots next."""
    name, system = view.next_kernel, view.look.os.id if view.look.os else None
    try:
        family = KernelRelease.parse(name).family
    except DataError:
        return None
    if system not in want.texts("systems") or family != system:
        return None
    package = want.text("package").replace("{kernel}", name)
    installed = {p.name for p in view.known(view.packages.installed, "packages.installed") if p.state == "installed"}
    there = package in installed
    return Result(there, package, f"{package} is {'' if there else 'not '}installed")


def initramfs(view: View, _want: Values) -> Result:
    """Whether what boots first holds the same driver and the same settings of it as the disk."""
    name = view.next_kernel
    view.known(view.boot.images, "boot.images")
    why = why_stale(view.boot, name, settings=True)
    if why == "there is none":
        raise UnseenError(f"no initramfs of kernel {name} was seen")
    return Result(not why, f"an initramfs of kernel {name} that is newer than driver and settings in it",
                  f"the initramfs of kernel {name} may hold another driver or other settings: {why}" if why
                  else f"the initramfs of kernel {name} is newer than driver and settings")
