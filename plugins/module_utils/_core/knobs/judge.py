# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Hold settings that were found against the catalogue of knobs."""

from __future__ import annotations

import re
import typing as t

from ..errors import DataError
from ..findings import NODE, Cause, Finding
from ..look.settings import Setting, Settings
from ..look.shape import Look
from ..release.versions import RocmVersion
from .catalogue import Documents, Knob, Knobs, Parameters

PLACES = 8  # in the evidence of one finding
_POINT = re.compile(r"\d+\.\d+(?:\.\d+)?", re.ASCII)
_OPEN = re.compile(r"[${%]")  # of a variable of a shell, a template or a unit: what it will be is not known
Complaint = tuple[str, str]  # severity, sentence


def check(settings: Settings, look: Look, documents: Documents) -> tuple[Finding, ...]:
    """What is wrong with settings, one finding for each thing that is wrong with a knob.

    Args:
        settings: of the node's files, and of an inventory.
        look: tells products, ROCm and what the loaded driver can do.
        documents: files of kind knobs, as plugin_utils/diagnosis_files.py reads them, or what they hold.

    Raises:
        DataError: a file is not right.
    """
    catalogue = Knobs.of(documents)
    by_name = catalogue.by_name
    met: dict[tuple[str, Complaint], list[Setting]] = {}
    for setting in settings.settings:
        knob = by_name.get((setting.name, setting.kind))
        complaint = _complaint(knob, setting, look) if knob else None
        if knob and complaint:
            met.setdefault((knob.id, complaint), []).append(setting)
    found = [_finding(catalogue.by_id[ident], complaint, places) for (ident, complaint), places in met.items()]
    named = {knob.name for knob in catalogue.by_id.values()}
    return (*found, *(f for one in catalogue.parameters.values() for f in _strangers(one, named, look)))


def _complaint(knob: Knob, setting: Setting, look: Look) -> Complaint | None:
    """What is wrong with one setting, the worst first."""
    there = _has_parameter(knob, look)
    if knob.status in ("does_nothing", "misnamed") or (knob.status == "removed" and not there):
        return ("warning", f"{knob.name} {_STATUS[knob.status]}")
    if there is False:
        return ("warning", f"the loaded driver has no parameter {knob.name}")
    names = {gpu.product for gpu in (look.gpus.gpus if look.gpus else ()) if gpu.product}
    if knob.products and names and not names & set(knob.products):
        return ("warning", f"{knob.name} has no effect on {', '.join(sorted(names))}")
    return _version(knob, look) or _value(knob, setting) or _rest(knob)


_STATUS = {"does_nothing": "does nothing: no part of ROCm or of the driver reads it", "misnamed": "is not called so",
           "removed": "is gone"}


def _has_parameter(knob: Knob, look: Look) -> bool | None:
    """Whether the loaded driver has this parameter; None if it is none of amdgpu's, or that cannot be told."""
    module, _dot, name = knob.name.partition(".")
    driver = look.driver
    if knob.kind != "module_parameter" or module != "amdgpu" or driver is None or not driver.loaded:
        return None
    if not driver.parameters or f"parameters.{name}" in driver.unknown:
        return None
    return name in driver.parameters


def _version(knob: Knob, look: Look) -> Complaint | None:
    """Whether the active ROCm is one that has the knob; nothing where that is not known."""
    rocm = look.rocm
    text = next((p.version for p in rocm.prefixes if p.path == rocm.active), None) if rocm else None
    point = _POINT.match(text or "")
    try:
        version = RocmVersion.parse(point[0]) if point else None
    except DataError:
        return None  # a number that no ROCm has
    if version is None:
        return None
    if knob.rocm_from and version < knob.rocm_from:
        return ("warning", f"{knob.name} does nothing in ROCm {version}: it came with {knob.rocm_from}")
    if knob.rocm_before and version >= knob.rocm_before:
        return ("warning", f"{knob.name} does nothing in ROCm {version}: it is gone since {knob.rocm_before}")
    return None


def _value(knob: Knob, setting: Setting) -> Complaint | None:
    """Whether the value is of the right form."""
    value = setting.value
    if value is None:
        return None
    if value in knob.idle_values:
        return ("info", f"{knob.name}={value} changes nothing")
    if not knob.value or _OPEN.search(value) or re.fullmatch(knob.value, value, re.ASCII):
        return None
    return ("warning", f"{knob.name}={value!r} is not of the form that it is read in: {knob.form}")


def _rest(knob: Knob) -> Complaint | None:
    """What is to be said of a knob that exists and is set rightly."""
    if knob.advice:
        return ("warning", f"{knob.name} is set: {knob.advice}")
    if knob.cooperative:
        return ("info", f"{knob.name} is followed by programs that want to: it keeps no one from anything")
    return None


def _finding(knob: Knob, complaint: Complaint, places: list[Setting]) -> Finding:
    severity, sentence = complaint
    files = list(dict.fromkeys(place.file for place in places))
    where = files[0] if len(files) == 1 else f"{len(files)} files"
    return Finding(knob.id, "knob", severity, "configuration", files[0] if len(files) == 1 else NODE,
                   f"{sentence} (set in {where})", knob.why, tuple(_place(place) for place in places[:PLACES]),
                   count=len(places))


def _place(setting: Setting) -> str:
    """/etc/default/serving:7 (vllm.service): HSA_QUEUE_PRIORITY=high."""
    line = "" if setting.line is None else f":{setting.line}"
    holder = f" ({setting.holder})" if setting.holder else ""
    return f"{setting.file}{line}{holder}: {setting.name}" + ("" if setting.value is None else f"={setting.value}")


def _strangers(known: Parameters, named: t.Container[str], look: Look) -> t.Iterator[Finding]:
    """Parameters of a module on the kernel command line that it does not have, and that are no knob of their own."""
    words = (look.kernel.cmdline or "").split() if look.kernel else []
    driver = look.driver
    own = driver.parameters if driver and driver.loaded and known.module == "amdgpu" else {}
    untold = driver.unknown if driver else {}
    for word in dict.fromkeys(words):
        full = word.partition("=")[0].replace("-", "_")
        module, dot, name = full.partition(".")
        if not dot or module != known.module or full in named or f"parameters.{name}" in untold:
            continue
        if name in own or (not own and name in (*known.load_time, *known.run_time)):
            continue
        sentence = f"the loaded driver has no parameter {full}" if own else f"{known.module} has no parameter {full}"
        why = Cause("The kernel ignores a parameter that a module does not have, and says so in its log once.",
                    "remove it from the kernel command line, or correct its name", known.sources, known.confidence)
        yield Finding("knob-unknown-parameter", "knob", "warning", "configuration", "/proc/cmdline", sentence, why,
                      (f"/proc/cmdline: {word}",))
