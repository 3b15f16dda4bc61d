# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Checks of memory: huge pages, balancing between NUMA nodes, sysctls, what daemons may lock."""

from __future__ import annotations

from .values import Values
from .view import Result, UnseenError, View


def numa_balancing(view: View, want: Values) -> Result:
    """Whether the kernel leaves pages on the NUMA node where they are."""
    wanted, value = want.number("value"), view.known(view.host.numa_balancing, "host.numa_balancing")
    return Result(value == wanted, f"kernel.numa_balancing {wanted}", f"kernel.numa_balancing is {value}")


def huge_pages(view: View, want: Values) -> Result:
    """Whether transparent huge pages are as wanted."""
    value = view.known(view.host.transparent_hugepages, "host.transparent_hugepages")
    return Result(value == want.text("value"), f"transparent huge pages: {want.text('value')}",
                  f"transparent huge pages: {value}")


def reserved_pages(view: View, want: Values) -> Result:
    """Whether reserved huge pages leave memory for everything else: what is reserved, the driver cannot allocate."""
    host, most = view.host, want.number("percent")
    reserved = view.known(host.hugepages_bytes, "host.hugepages_bytes")
    memory = view.known(host.memory_bytes, "host.memory_bytes")
    share = 100 * reserved // memory if memory else 100
    return Result(share <= most, f"at most {most} % of memory reserved as huge pages",
                  f"{share} % of memory is reserved as huge pages")


def sysctl(view: View, want: Values) -> Result:
    """Whether a sysctl has at least a value."""
    name, least = want.text("name"), want.number("least")
    values = view.known(view.host.sysctls, "host.sysctls")
    if name not in values:
        raise UnseenError(view.why("host", f"sysctls.{name}") or f"{name} is not told: this kernel may not have it")
    return Result(values[name] >= least, f"{name} {least} or more", f"{name} is {values[name]}")


def memlock(view: View, want: Values) -> Result | None:
    """Whether daemons that start jobs may lock all memory that RDMA registers."""
    limits = [item for item in view.known(view.host.limits, "host.limits") if item.process in want.texts("processes")]
    if not limits:
        return None
    untold = [item.process for item in limits if item.memlock_bytes is None]
    low = [f"{item.process} (pid {item.pid}) {item.memlock_bytes} bytes" for item in limits
           if item.memlock_bytes is not None and item.memlock_bytes >= 0]
    if untold and not low:
        raise UnseenError(view.why("host", "limits") or f"the limits of {', '.join(untold)} are not told")
    names = ", ".join(dict.fromkeys(item.process for item in limits))
    return Result(not low, f"memlock unlimited for {names}",
                  f"memlock: {', '.join(low)}" if low else f"memlock is unlimited for {names}")
