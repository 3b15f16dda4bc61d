# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What the reading program says of the health of whole GPUs; it runs beside it only if that is wanted.

Answer: parts of {"told": {address: {...}}}; what can crash or hang comes last.
"""

from __future__ import annotations

import threading
import typing as t

from .amdsmi import DEFECTS, Item, Say, attempt, members

# Error records: a bit for each severity, and bounds for a ring of 1 MiB. source: amdsmi_cper_sev_t and ras_cper of the
# tool; amdgpu_cper.h of Linux
ALL_SEVERITIES, RECORD_BYTES, MOST_PAGES = 0b111, 1 << 20, 256


def read(amdsmi: t.Any, calls: dict[str, list[str]], gpus: Item, say: Say) -> None:
    """Say the health of GPUs part by part, so that what was said stays if a later call crashes or hangs."""

    def tell(bdf: str, read: t.Callable[[Item], t.Any]) -> None:
        item: Item = {"unknown": {}}
        read(item)
        say(told={bdf: item})

    def plainly(handle: t.Any, item: Item) -> None:
        for name, (function, *arguments) in calls.items():
            attempt(amdsmi, function, name, item, lambda ask, rest=arguments: ask(handle, *members(amdsmi, rest)))

    def throttling(bdf: str) -> None:
        attempt(amdsmi, "amdsmi_get_violation_status", "throttling", parts[bdf], lambda ask: ask(gpus[bdf]))

    for bdf, handle in gpus.items():
        say(step=f"reading the health of {bdf}")
        tell(bdf, lambda item, of=handle: plainly(of, item))
    # Two samples, 100 ms apart: for all GPUs at once. The library locks each GPU by itself, and ctypes lets go of
    # Python meanwhile. source: amd_smi.cc of library 24.7, amdsmi_get_violation_status
    say(step="reading what throttles the GPUs")
    parts: dict[str, Item] = {bdf: {"unknown": {}} for bdf in gpus}
    threads = {bdf: threading.Thread(target=throttling, args=(bdf,)) for bdf in gpus}
    for thread in threads.values():
        thread.start()
    for bdf, thread in threads.items():
        thread.join()
        say(told={bdf: parts[bdf]})
    # Last, since some libraries crash here. source: ROCm/rocm-systems:projects/amdsmi/tests, on the read path of CPER
    for bdf, handle in gpus.items():
        say(step=f"reading the error records of {bdf}")
        tell(bdf, lambda item, of=handle: records(amdsmi, of, item))


def records(amdsmi: t.Any, handle: t.Any, item: Item) -> None:
    """Put the CPER records of a GPU into the item, oldest first; the library gives 20 at a time."""

    def pages(ask: t.Any) -> list[Item]:
        found: list[Item] = []
        cursor = 0
        for _page in range(MOST_PAGES):
            entries, cursor, raw, status = ask(handle, ALL_SEVERITIES, RECORD_BYTES, cursor)
            found += [{"severity": entry["error_severity"], "time": entry["timestamp"], "afids": afids(amdsmi, blob)}
                      for entry, blob in zip(entries.values(), raw)]
            if status != amdsmi.amdsmi_wrapper.AMDSMI_STATUS_MORE_DATA or not entries:
                break
        return found

    attempt(amdsmi, "amdsmi_get_gpu_cper_entries", "cper", item, pages)


def afids(amdsmi: t.Any, blob: Item) -> list[int]:
    """Return the AMD field ids of a record; none if the binding does not understand it."""
    try:
        # Not a name of the package (6.4.4, 7.0.2); and the binding gives signed bytes, which its own next call refuses.
        ask = amdsmi.amdsmi_interface.amdsmi_get_afids_from_cper
        numbers, _count = ask(bytes(byte & 255 for byte in blob["bytes"]))
    except (amdsmi.AmdSmiException, *DEFECTS):
        return []
    return list(numbers)
