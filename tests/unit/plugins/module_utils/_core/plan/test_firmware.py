# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What findings do: notes, a refusal before the first change, or the step of a site that flashes."""

from __future__ import annotations

import dataclasses as dc
import json
from typing import Any

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.whole import whole
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan import managed
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.firmware import FirmwarePolicy, plan_firmware
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.plan import Plan
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.resolved import Resolved
from ansible_collections.instinct.fleet.tests.unit.support.catalogue import look as node_of
from ansible_collections.instinct.fleet.tests.unit.support.catalogue import resolved
from ansible_collections.instinct.fleet.tests.unit.support.world import bare_node, carry_out

BDFS = tuple(f"0000:{5 + i:02x}:00.0" for i in range(8))
VALID, OLD = "01.25.03.12", "01.25.03.02"
SET = "rocm-7.2.2 was validated with 01.25.06.04, 01.25.03.12, 01.25.02.04"
SOURCE = "ROCm 7.2.2 release notes HTML (also holds the 7.2.1 table); https://github.com/ROCm/legacy-rocm-build/releases/tag/rocm-7.2.2"
VALUES: dict[str, Any] = {
    "gpu_firmware_policy": "report", "gpu_firmware_require_known": False, "gpu_firmware_nics": [],
    "gpu_firmware_flash_tasks": "", "gpu_firmware_activation": "power_cycle"}


def policy(accept: tuple[str, ...] = (), **values: Any) -> FirmwarePolicy:
    """From variables without their prefix."""
    return FirmwarePolicy.from_values({**VALUES, **{f"gpu_firmware_{name}": value for name, value in values.items()}}, accept)


def node(*bundles: str | None, record: str | None = None, nics: tuple[lk.NicFirmware, ...] = ()) -> lk.Look:
    """A node with eight MI300X whose first have these bundles and the others the validated one."""
    every = (*bundles, *[VALID] * (8 - len(bundles)))
    gpus = tuple(lk.GpuFirmware(bdf, {}, "amdsmi", None, None, bundle) for bdf, bundle in zip(BDFS, every))
    bare = bare_node()
    assert bare.kernel and bare.files
    sha256 = None if record is None else "0" * 64
    files = tuple(dc.replace(f, text=record, sha256=sha256) if f.path == managed.FIRMWARE_RECORD else f for f in bare.files.files)
    return dc.replace(bare, firmware=lk.Firmware(gpus, "amdsmi", nics=nics), files=dc.replace(bare.files, files=files),
                      kernel=dc.replace(bare.kernel, boot_id="boot-1"))


def release(name: str = "rocm-7.2.2", device_id: str = "74a1") -> Resolved:
    """A release for eight of a product."""
    return resolved(name, node_of(gpus=(device_id,) * 8), accept=["third_party", "derived"], driver_source="in_tree")


def plan(look: lk.Look, wanted: Resolved | None = None, accept: tuple[str, ...] = (), **values: Any) -> Plan:
    """The plan of that node."""
    return plan_firmware(whole(look), wanted or release(), policy(accept, **values))


def said(found: Plan) -> Plan:
    """The plan without its verdicts as data."""
    return dc.replace(found, verdicts=())


def refusal(look: lk.Look, wanted: Resolved | None = None, **values: Any) -> FleetError:
    """Why the node is refused."""
    with pytest.raises(FleetError) as error:
        plan(look, wanted, policy="require", **values)
    return error.value


def test_validated_firmware_is_worth_no_word() -> None:
    assert said(plan(node())) == Plan("gpu_firmware")
    assert said(plan(node(), policy="require", require_known=True)) == Plan("gpu_firmware")


def test_findings_are_notes_of_one_line_each() -> None:
    found = plan(node(OLD, None))
    assert said(found) == Plan("gpu_firmware", notes=(
        f"firmware of MI300X {BDFS[0]}: pldm {OLD}, where {SET}",
        f"firmware of MI300X {BDFS[1]}: pldm is unknown, where {SET}: it was not read",
        f"firmware differs among 8 x MI300X: {BDFS[0]} has PLDM bundle {OLD} (others {VALID})"))


def test_every_verdict_is_there_as_data() -> None:
    found = plan(node(OLD, None)).to_dict()["verdicts"]
    assert [v["verdict"] for v in found] == ["other", "unknown", *["validated"] * 6]
    assert found[0] == {
        "device": BDFS[0], "product": "MI300X", "kind": "pldm", "verdict": "other", "seen": OLD, "why": "",
        "wanted": ("01.25.06.04", VALID, "01.25.02.04"), "confidence": "documented", "source": SOURCE}


def test_a_line_for_all_devices_and_for_many() -> None:
    assert plan(node(*[OLD] * 8)).notes == (f"firmware of all 8 x MI300X: pldm {OLD}, where {SET}",)
    assert plan(node(*[OLD] * 6)).notes[0].startswith(f"firmware of MI300X {', '.join(BDFS[:4])} and 2 more: pldm {OLD}")


def test_a_release_without_a_set_says_so_once() -> None:
    assert plan(node(), release("rocm-7.2.3")).notes == ("firmware of all 8 x MI300X: rocm-7.2.3 lists no set for it",)


def test_required_firmware_that_is_not_validated_is_refused_with_its_source() -> None:
    error = refusal(node(OLD))
    assert (error.where, error.what, error.hint, error.source) == (
        "gpu_firmware_policy",
        f"requires validated firmware; firmware of MI300X {BDFS[0]}: pldm {OLD}, where {SET}",
        "flash it, name what does in gpu_firmware_flash_tasks, or set gpu_firmware_policy: report", SOURCE)


def test_unknown_firmware_is_refused_only_where_it_must_be_known() -> None:
    assert len(plan(node(None), policy="require").notes) == 1
    error = refusal(node(None), require_known=True)
    assert error.what == f"requires validated firmware; firmware of MI300X {BDFS[0]}: pldm is unknown, where {SET}: it was not read"
    assert error.hint == "set gpu_firmware_require_known: false to accept what cannot be known"
    assert "lists no set" in refusal(node(), release("rocm-7.2.3"), require_known=True).what
    assert len(plan(node(None), require_known=True).notes) == 1


def test_a_set_that_the_site_does_not_accept_stops_nothing() -> None:
    derived = dc.replace(release(), firmware=tuple(dc.replace(row, confidence="derived") for row in release().firmware))
    assert plan(node(OLD), derived, policy="require").notes[0] == (
        f"firmware of MI300X {BDFS[0]}: pldm {OLD}, where {SET} (derived)")
    assert plan(node(OLD), derived, flash_tasks="/site/flash.yml").steps == ()
    with pytest.raises(FleetError, match="requires validated firmware"):
        plan(node(OLD), derived, accept=("derived",), policy="require")


CARD = lk.NicFirmware("0000:c1:00.0", "mlx5_0", "mlx5_core", "mlx5", "MT_1", "28.43.1014", "sysfs")


def test_firmware_of_nics_counts_as_that_of_gpus() -> None:
    sets = [{"family": "mlx5", "board": None, "versions": ["28.46.3048 or later"]}]
    line = "firmware of mlx5 MT_1 0000:c1:00.0: nic 28.43.1014, where the site names 28.46.3048 or later"
    assert plan(node(nics=(CARD,)), nics=sets).notes == (line,)
    assert refusal(node(nics=(CARD,)), nics=sets).what == f"requires validated firmware; {line}"


FLASH = "/site/flash.yml"


def test_a_site_that_flashes_gets_one_step_and_a_record_of_it() -> None:
    found = plan(node(OLD), flash_tasks=FLASH)
    flash, record = found.steps
    devices = [{"bdf": BDFS[0], "product": "MI300X", "kind": "pldm", "seen": OLD, "wanted": ["01.25.06.04", VALID, "01.25.02.04"]}]
    assert (flash.action, flash.data) == ("flash", {"tasks": FLASH, "devices": devices})
    assert flash.words == (f"flash pldm of MI300X {BDFS[0]} by {FLASH}; then take the node off its power supply and back (AC cycle)")
    assert (flash.before, flash.after) == (f"{BDFS[0]} pldm {OLD}", f"{BDFS[0]} pldm 01.25.06.04 or {VALID} or 01.25.02.04")
    assert (record.action, record.data["path"]) == ("file", "/var/lib/instinct/firmware.json")
    assert json.loads(record.data["content"]) == {
        "version": "v1", "boot_id": "boot-1", "activation": "power_cycle", "devices": devices}
    assert plan(node(OLD), flash_tasks=FLASH, policy="require").steps == found.steps


def test_firmware_that_is_active_at_once_needs_no_record() -> None:
    assert [s.words for s in plan(node(OLD), flash_tasks=FLASH, activation="now").steps] == [
        f"flash pldm of MI300X {BDFS[0]} by {FLASH}"]


def test_after_the_flash_nothing_is_left() -> None:
    before = node(OLD)
    after = carry_out(before, plan(before, flash_tasks=FLASH, activation="now"))
    assert plan(after, flash_tasks=FLASH, activation="now").steps == ()


@pytest.mark.parametrize("look", [node(), node(None)], ids=["validated", "unknown"])
def test_only_what_is_known_to_be_other_is_flashed(look: lk.Look) -> None:
    assert plan(look, flash_tasks=FLASH).steps == ()


def test_a_site_that_flashes_is_still_refused_for_what_must_be_known() -> None:
    assert BDFS[1] in refusal(node(OLD, None), flash_tasks=FLASH, require_known=True).what
    assert BDFS[0] not in refusal(node(OLD, None), flash_tasks=FLASH, require_known=True).what


BUSY = [
    (lk.Processes((lk.Process(7), lk.Process(9))), "2 processes hold GPUs (pids 7, 9)"),
    (lk.Processes(unknown={"processes": "no KFD"}), "whether processes hold GPUs is unknown: no KFD"),
]


@pytest.mark.parametrize(("processes", "what"), BUSY)
def test_a_node_in_use_is_not_flashed(processes: lk.Processes, what: str) -> None:
    busy = dc.replace(node(OLD), processes=processes)
    with pytest.raises(FleetError) as caught:
        plan(busy, flash_tasks=FLASH)
    assert caught.value.sentence == (
        f"gpu_firmware_flash_tasks: flashes no node in use, and {what}; drain the node, then run again")
    assert plan(busy).steps == plan(dc.replace(node(), processes=processes), flash_tasks=FLASH).steps == ()


def flashed(activation: str, boot_id: str = "boot-1") -> str:
    """The record of a flash."""
    return json.dumps({"version": "v1", "boot_id": boot_id, "activation": activation, "devices": []})


def test_flashed_firmware_is_not_flashed_again_before_it_could_be_active() -> None:
    waiting = plan(node(OLD, record=flashed("reboot")), flash_tasks=FLASH)
    assert (waiting.steps, waiting.reboot, waiting.problems) == (
        (), "firmware was flashed since the node booted and is not active yet: reboot the node", ())
    off = plan(node(OLD, record=flashed("power_cycle")), flash_tasks=FLASH)
    assert (off.steps, off.reboot) == ((), "")
    assert off.problems == ("firmware was flashed since the node booted and is not active yet: "
                            "take the node off its power supply and back (AC cycle)",)
    assert refusal(node(OLD, record=flashed("reboot")), flash_tasks=FLASH).hint == (
        "it was flashed, or may have been, since the node booted: reboot the node")


# id, record
STALE = [
    ("none", None), ("of an earlier boot", flashed("reboot", "boot-0")), ("of a boot that is not known", flashed("reboot", "")),
    ("of another kind", flashed("now")),
]


@pytest.mark.parametrize("record", [s[1] for s in STALE], ids=[s[0] for s in STALE])
def test_a_record_that_says_nothing_of_this_boot_is_no_hindrance(record: str | None) -> None:
    found = plan(node(OLD, record=record), flash_tasks=FLASH)
    assert ([s.action for s in found.steps], found.reboot, found.problems) == (["flash", "file"], "", ())


# id, record
DAMAGED = [
    ("cut off", flashed("reboot")[:20]), ("empty", ""), ("no mapping", "[]"), ("without a boot", '{"activation": "reboot"}'),
    ("of an unknown kind", flashed("wish")), ("of no kind", flashed("reboot").replace('"reboot"', "[]")),
]


@pytest.mark.parametrize("record", [s[1] for s in DAMAGED], ids=[s[0] for s in DAMAGED])
def test_a_damaged_record_is_a_problem_and_nothing_is_flashed(record: str) -> None:
    found = plan(node(OLD, record=record), flash_tasks=FLASH)
    assert (found.steps, found.reboot) == ((), "")
    assert found.problems == (
        "whether firmware was flashed is unknown, /var/lib/instinct/firmware.json is damaged: "
        "take the node off its power supply and back (AC cycle), then remove /var/lib/instinct/firmware.json",)
    assert refusal(node(OLD, record=record), flash_tasks=FLASH).hint.startswith("it was flashed, or may have been, since")
    assert said(plan(node(record=record), flash_tasks=FLASH)).problems == ()


def test_a_record_is_forgotten_when_the_firmware_is_as_wanted() -> None:
    assert said(plan(node(record=flashed("power_cycle")), flash_tasks=FLASH)) == Plan("gpu_firmware")


# id, variables, sentence
WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("a relative path", {"flash_tasks": "flash.yml"},
     "gpu_firmware_flash_tasks: flash.yml is not an absolute path; begin it with playbook_dir or inventory_dir"),
    ("no version", {"nics": [{"family": "ionic", "versions": []}]},
     "gpu_firmware_nics[0].versions: names no version; give at least one"),
    ("a version without an order", {"nics": [{"family": "ionic", "versions": ["1.117", "1.117.5-a-45 or later"]}]},
     "gpu_firmware_nics[0].versions: '1.117.5-a-45 or later' cannot be compared; give versions as fw_ver prints them; "
     "only numbers with dots can be 'or later'"),
]


@pytest.mark.parametrize(("values", "sentence"), [w[1:] for w in WRONG], ids=[w[0] for w in WRONG])
def test_a_wrong_variable_is_refused(values: dict[str, Any], sentence: str) -> None:
    with pytest.raises(FleetError) as error:
        policy(**values)
    assert error.value.sentence == sentence
