# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Plan of the role gpu_firmware: what is found of firmware, whether it stops the run, and what the site would flash."""

from __future__ import annotations

import dataclasses as dc
import json
import typing as t

from ..errors import FleetError
from ..look.whole import WholeLook
from ..release.provenance import DEFAULT_ACCEPT
from . import managed
from .firmware_match import nic_version
from .firmware_seen import OTHER, UNKNOWN, VALIDATED, NicSet, Verdict, differences, gpu_verdicts, nic_verdicts
from .plan import Plan, Step
from .steps import WantedFile, file_steps

if t.TYPE_CHECKING:
    from ..release.resolved import Resolved

ROLE = "gpu_firmware"
_NAMED = 4  # devices that a line names
# What makes firmware active that was flashed, and what is asked of people for it.
ACTIVATIONS = {"now": "", "reboot": "reboot the node",
               "power_cycle": "take the node off its power supply and back (AC cycle)"}
# The same where the record of a flash cannot be read, so that nobody knows what was flashed.
_DAMAGED = "damaged"
_ACTIVATE = {**ACTIVATIONS, _DAMAGED: f"{ACTIVATIONS['power_cycle']}, then remove {managed.FIRMWARE_RECORD}"}


@dc.dataclass(frozen=True)
class FirmwarePolicy:
    """What the site wants of firmware.

    Attributes:
        require: whether firmware that is not validated stops the run.
        require_known: whether firmware of which it is not known stops it too.
        accept: confidences of sets that count; the findings of others are notes.
        nics: what NICs should have.
        flash_tasks: path of the site's task file that flashes; empty if none does.
        activation: a key of ACTIVATIONS.
    """

    require: bool = False
    require_known: bool = False
    accept: tuple[str, ...] = (DEFAULT_ACCEPT,)
    nics: tuple[NicSet, ...] = ()
    flash_tasks: str = ""
    activation: str = "power_cycle"

    @classmethod
    def from_values(cls, values: t.Mapping[str, t.Any], accept: t.Iterable[str]) -> FirmwarePolicy:
        """From the variables of the role, validated by its specification.

        Raises:
            FleetError: a variable cannot be.
        """
        path = values["gpu_firmware_flash_tasks"]
        if path and not path.startswith("/"):
            raise FleetError("gpu_firmware_flash_tasks", f"{path} is not an absolute path",
                             "begin it with playbook_dir or inventory_dir")
        return cls(values["gpu_firmware_policy"] == "require", values["gpu_firmware_require_known"],
                   (DEFAULT_ACCEPT, *accept), tuple(_nic_set(i, n) for i, n in enumerate(values["gpu_firmware_nics"])),
                   path, values["gpu_firmware_activation"])


def _nic_set(index: int, given: t.Mapping[str, t.Any]) -> NicSet:
    if not given["versions"]:
        raise FleetError(f"gpu_firmware_nics[{index}].versions", "names no version", "give at least one")
    versions = []
    for text in given["versions"]:
        version = nic_version(text)
        if version is None:
            raise FleetError(f"gpu_firmware_nics[{index}].versions", f"{text!r} cannot be compared",
                             "give versions as fw_ver prints them; only numbers with dots can be 'or later'")
        versions.append(version)
    return NicSet(given["family"], given.get("board") or "", tuple(versions))


def plan_firmware(look: WholeLook, wanted: Resolved, policy: FirmwarePolicy) -> Plan:
    """Findings as notes; one step where the site flashes.

    Raises:
        FleetError: the policy is ``require``, and a device has firmware that is not validated and nobody flashes; or
            the site flashes, and processes hold GPUs.
    """
    verdicts = (*gpu_verdicts(look, wanted), *nic_verdicts(look, policy.nics))
    counting = [v for v in verdicts if v.confidence in policy.accept or not v.wanted]
    others = [v for v in counting if v.verdict == OTHER]
    flashed = _flashed(look) if others else ""
    steps = _flash(look, others, policy) if others and policy.flash_tasks and not flashed else ()
    if policy.require:
        bad = [v for v in counting if policy.require_known and v.verdict == UNKNOWN]
        _refuse(wanted, verdicts, bad if steps else others + bad, _ACTIVATE.get(flashed, ""))
    if steps:
        _refuse_busy(look)
    asked = f"firmware was flashed since the node booted and is not active yet: {_ACTIVATE.get(flashed)}"
    if flashed == _DAMAGED:
        asked = f"whether firmware was flashed is unknown, {managed.FIRMWARE_RECORD} is damaged: {_ACTIVATE[flashed]}"
    found = [v for v in verdicts if v.verdict != VALIDATED]
    return Plan(
        ROLE, steps, notes=(*_lines(wanted, verdicts, found), *differences(look, wanted)),
        reboot=asked if flashed == "reboot" else "", problems=(asked,) if flashed in ("power_cycle", _DAMAGED) else (),
        verdicts=tuple(dc.asdict(verdict) for verdict in verdicts),
    )


def _refuse(wanted: Resolved, verdicts: t.Sequence[Verdict], bad: t.Sequence[Verdict], activate: str) -> None:
    if not bad:
        return
    hint = "set gpu_firmware_require_known: false to accept what cannot be known"
    if any(v.verdict == OTHER for v in bad):
        hint = f"it was flashed, or may have been, since the node booted: {activate}" if activate else (
            "flash it, name what does in gpu_firmware_flash_tasks, or set gpu_firmware_policy: report")
    source = next((v.source for v in bad if v.source), "")
    raise FleetError("gpu_firmware_policy", "requires validated firmware; " + "; ".join(_lines(wanted, verdicts, bad)),
                     hint, source)


def _refuse_busy(look: WholeLook) -> None:
    """Refuse to flash under a job."""
    untold, pids = look.processes.unknown.get("processes"), [str(p.pid) for p in look.processes.processes]
    busy = f"whether processes hold GPUs is unknown: {untold}" if untold else ""
    busy = busy or (f"{len(pids)} processes hold GPUs (pids {', '.join(pids)})" if pids else "")
    if busy:
        raise FleetError("gpu_firmware_flash_tasks", f"flashes no node in use, and {busy}",
                         "drain the node, then run again")


def _lines(wanted: Resolved, verdicts: t.Sequence[Verdict], found: t.Iterable[Verdict]) -> tuple[str, ...]:
    """One line for all devices of which the same is to be said."""
    groups: dict[Verdict, list[str]] = {}
    for verdict in found:
        groups.setdefault(dc.replace(verdict, device=""), []).append(verdict.device)
    return tuple(f"firmware of {_devices(verdicts, same, devices)}: {_what(wanted, same)}"
                 for same, devices in groups.items())


def _devices(verdicts: t.Sequence[Verdict], same: Verdict, devices: t.Sequence[str]) -> str:
    every = {v.device for v in verdicts if v.product == same.product}
    if len(devices) == len(every) > 1:
        return f"all {len(devices)} x {same.product}"
    more = f" and {len(devices) - _NAMED} more" if len(devices) > _NAMED else ""
    return f"{same.product} {', '.join(devices[:_NAMED])}{more}"


def _what(wanted: Resolved, same: Verdict) -> str:
    if not same.wanted:
        return same.why
    by = "the site names" if same.kind == "nic" else f"{wanted.name} was validated with"
    sets = f"{by} {', '.join(same.wanted)}" + ("" if same.confidence == DEFAULT_ACCEPT else f" ({same.confidence})")
    if same.verdict == OTHER:
        return f"{same.kind} {same.seen}, where {sets}"
    return f"{same.kind} is unknown, where {sets}: {same.why}"


def _flash(look: WholeLook, others: t.Sequence[Verdict], policy: FirmwarePolicy) -> tuple[Step, ...]:
    """The step that the site's tasks carry out, and behind it the file that says so until the next boot."""
    devices = [{"bdf": v.device, "product": v.product, "kind": v.kind, "seen": v.seen, "wanted": list(v.wanted)}
               for v in others]
    words = ", ".join(f"{v.kind} of {v.product} {v.device}" for v in others)
    last = ACTIVATIONS[policy.activation]
    flash = Step("flash", f"flash {words} by {policy.flash_tasks}" + (f"; then {last}" if last else ""),
                 before="\n".join(f"{v.device} {v.kind} {v.seen}" for v in others),
                 after="\n".join(f"{v.device} {v.kind} {' or '.join(v.wanted)}" for v in others),
                 data={"tasks": policy.flash_tasks, "devices": devices})
    if not last:
        return (flash,)
    record = {"version": "v1", "boot_id": look.kernel.boot_id, "activation": policy.activation, "devices": devices}
    text = json.dumps(record, indent=2, sort_keys=True) + "\n"
    return (flash, *file_steps(look, [WantedFile(managed.FIRMWARE_RECORD, text)]))


def _flashed(look: WholeLook) -> str:
    """What is needed before firmware is active that was flashed since the node booted; empty if none was."""
    file = next((f for f in look.files.files if f.path == managed.FIRMWARE_RECORD), None)
    if file is None or file.sha256 is None:
        return ""
    try:
        record = json.loads(file.text or "")
        told, activation = record["boot_id"], record["activation"]
        needed = ACTIVATIONS[activation]
    except (ValueError, TypeError, KeyError):
        return _DAMAGED
    return activation if needed and told and told == look.kernel.boot_id else ""
