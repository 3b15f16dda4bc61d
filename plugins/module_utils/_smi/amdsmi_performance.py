# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The program that sets and reads power, clocks and links. Runs in a child process, after amdsmi.py and amdsmi_set.py.

Request, beside what amdsmi.py says: ``lock`` (file that one child at a time holds; taken if there is something to set),
and ``set``: [[address, setting, value], ...], in order; after the first that fails nothing more is set.
Answer: {"told": {address: {"set <setting>": {"code": ..., "status": ..., "words": ...}}}} of each that was tried, then
{"lacking": [...]}, settings that this binding has no call for, and {"told": {address: {...}}}, what whole GPUs are now,
as another session reads it: a return code alone proves nothing.
"""

from __future__ import annotations

import functools
import typing as t

from .amdsmi import Calls, Item, Say, asking, call, primaries, session
from .amdsmi_set import answer, locked

# source: amdsmi_interface.py of the bindings 6.2.4, 6.4.4 and 7.0.2; amdsmi_set_gpu_clk_limit came with 6.3
SETTERS = {
    "power_cap": "amdsmi_set_power_cap", "soc_pstate": "amdsmi_set_soc_pstate", "xgmi_plpd": "amdsmi_set_xgmi_plpd",
    "process_isolation": "amdsmi_set_gpu_process_isolation", "performance_level": "amdsmi_set_gpu_perf_level",
    "sclk_min_mhz": "amdsmi_set_gpu_clk_limit", "sclk_max_mhz": "amdsmi_set_gpu_clk_limit",
    "mclk_max_mhz": "amdsmi_set_gpu_clk_limit",
}
DETERMINISM = "determinism "
# The same getters, and what they list of policies.
CALLS: dict[str, Calls] = {
    "cap": (("amdsmi_get_power_cap_info", ()),),
    "level": (("amdsmi_get_gpu_perf_level", ()),),
    "sclk": (("amdsmi_get_clock_info", ()),),
    "mclk": (("amdsmi_get_clock_info", ()),),
    "soc_pstate": (("amdsmi_get_soc_pstate", ()),),
    "xgmi_plpd": (("amdsmi_get_xgmi_plpd", ()),),
    "process_isolation": (("amdsmi_get_gpu_process_isolation", ()),),
}
ARGUMENTS = {"sclk": ("AmdSmiClkType.GFX",), "mclk": ("AmdSmiClkType.MEM",)}
POLICIES = {"soc_pstate": "policies", "xgmi_plpd": "plpds"}


def work(amdsmi: t.Any, request: Item, say: Say) -> None:
    """Set what there is to set, then read all whole GPUs.

    The package does not offer all that its interface has: it leaves out the getters of policies and of isolation.
    source: amdsmi/__init__.py of 6.2.4, 6.4.4 and 7.0.2
    """
    interface = amdsmi.amdsmi_interface
    if request["set"]:
        if not locked(request["lock"], say):
            return
        with session(interface, say) as handles:
            set_all(interface, primaries(interface, handles), request["set"], say)
    say(lacking=[setting for setting, function in SETTERS.items() if not hasattr(interface, function)])
    with session(interface, say) as handles:
        for bdf, handle in primaries(interface, handles).items():
            say(step=f"reading {bdf}")
            item: Item = {"unknown": {}}
            ask = asking(handle)
            for name, calls in CALLS.items():
                call(interface, ask, name, calls, item, ARGUMENTS.get(name, ()))
            say(told={bdf: item})


def set_all(amdsmi: t.Any, gpus: t.Mapping[str, t.Any], steps: t.Iterable[t.Sequence[t.Any]], say: Say) -> None:
    """Set one after the other, until one fails."""
    for bdf, setting, value in steps:
        say(step=f"setting {setting} of {bdf}")
        said = answer(amdsmi, gpus.get(bdf), functools.partial(put, amdsmi, setting, value))
        say(told={bdf: {f"set {setting}": said}})
        if said["code"] != 0:
            return


def put(amdsmi: t.Any, setting: str, value: t.Any, handle: t.Any) -> str | None:
    """Set one thing; return why it was not asked for, if it was not."""
    function = getattr(amdsmi, SETTERS[setting])
    if setting == "power_cap":
        function(handle, 0, value)  # of the first sensor, in microwatts
    elif setting == "process_isolation":
        function(handle, int(value == "on"))
    elif setting in POLICIES:
        listed = getattr(amdsmi, f"amdsmi_get_{setting}")(handle)[POLICIES[setting]]
        numbers = {policy["policy_description"]: policy["policy_id"] for policy in listed}
        if value not in numbers:
            return f"it offers {', '.join(numbers)}"
        function(handle, numbers[value])
    elif setting == "performance_level":
        _level(amdsmi, handle, value)
    else:
        clock, limit, _unit = setting.split("_")
        function(handle, clock, limit, value)  # makes the level manual
    return None


def _level(amdsmi: t.Any, handle: t.Any, value: str) -> None:
    if value.startswith(DETERMINISM):
        amdsmi.amdsmi_set_gpu_perf_determinism_mode(handle, int(value[len(DETERMINISM):]))
    else:
        amdsmi.amdsmi_set_gpu_perf_level(handle, getattr(amdsmi.AmdSmiDevPerfLevel, value.upper()))
