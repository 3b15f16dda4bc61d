# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings that were found, held against our own file of knobs."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.findings import NODE
from ansible_collections.instinct.fleet.plugins.module_utils._core.knobs.catalogue import Knobs
from ansible_collections.instinct.fleet.plugins.module_utils._core.knobs.judge import check
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.settings import Setting, Settings

from .test_catalogue import RECORD, document, own

FILE = "/etc/default/serving"
ROCM = lk.Rocm((lk.RocmPrefix("/opt/rocm", "7.2.0-43"),), "/opt/rocm")
LOOK = lk.Look(
    kernel=lk.Kernel(cmdline="ro iommu=pt"), rocm=ROCM, gpus=lk.Gpus((lk.Gpu(0, "0000:05:00.0", "74a1", "MI300X"),)),
    driver=lk.Driver(True, parameters={"noretry": "-1", "vm_fragment_size": "-1", "gttsize": "-1", "vm_debug": "0"}))


def env(name: str, value: str | None = "1", file: str = FILE, line: int | None = 7, holder: str | None = None) -> Setting:
    """A variable of the environment, in a file."""
    return Setting(name, value, "environment", file, line, holder)


def parameter(name: str, value: str | None = "0") -> Setting:
    """A parameter of a module, in modprobe.d."""
    return Setting(name, value, "module_parameter", "/etc/modprobe.d/amdgpu.conf", 1)


def said(*settings: Setting, look: lk.Look = LOOK) -> list[tuple[str, str]]:
    """Severity and summary of each finding."""
    return [(f.severity, f.summary) for f in check(Settings(settings), look, own())]


def on(product: str) -> lk.Look:
    """The look with another GPU."""
    return dc.replace(LOOK, gpus=lk.Gpus((lk.Gpu(0, "0000:05:00.0", "0000", product),)))


def rocm(version: str | None) -> lk.Look:
    """The look with another ROCm."""
    return dc.replace(LOOK, rocm=lk.Rocm((lk.RocmPrefix("/opt/rocm", version),), "/opt/rocm"))


NOTHING = "does nothing: no part of ROCm or of the driver reads it (set in /etc/default/serving)"
NO_BORDER = "is followed by programs that want to: it keeps no one from anything (set in /etc/default/serving)"
CASES = [
    ("nothing set", [], LOOK, []),
    ("what does nothing", [env("HSA_QUEUE_PRIORITY", "high")], LOOK, [("warning", f"HSA_QUEUE_PRIORITY {NOTHING}")]),
    ("a file that nobody reads", [Setting("/etc/rocprofiler/device_filter.conf", None, "file", "/etc/rocprofiler/device_filter.conf")],
     LOOK, [("warning", "/etc/rocprofiler/device_filter.conf does nothing: no part of ROCm or of the driver reads it (set in "
                        "/etc/rocprofiler/device_filter.conf)")]),
    ("an option that there is not", [Setting("rocm-smi --setmigmode", "1", "command", FILE)], LOOK, [
        ("warning", f"rocm-smi --setmigmode {NOTHING}")]),
    ("an option that is gone", [Setting("rocm-smi --resetcomputepartition", None, "command", FILE)], LOOK, [
        ("warning", "rocm-smi --resetcomputepartition is gone (set in /etc/default/serving)")]),
    ("the same name of another kind", [Setting("HSA_QUEUE_PRIORITY", "1", "file", FILE)], LOOK, []),
    ("what nobody knows", [env("MY_OWN", "1")], LOOK, []),
    ("what is right", [env("HSA_ENABLE_SDMA", "0")], LOOK, []),
    ("a value of another form", [env("HSA_ENABLE_SDMA", "off")], LOOK, [
        ("warning", "HSA_ENABLE_SDMA='off' is not of the form that it is read in: 0 or 1 (set in /etc/default/serving)")]),
    ("a value that is not known yet", [env("HSA_ENABLE_SDMA", "${SDMA}"), env("HSA_XNACK", "{{ xnack }}"), env("HSA_XNACK", "%i")],
     LOOK, []),
    ("no value", [env("HSA_ENABLE_SDMA", None)], LOOK, []),
    ("followed by those who want to", [env("ROCR_VISIBLE_DEVICES", "0,GPU-4b2c1a9f8d3e6f7a")], LOOK, [
        ("info", f"ROCR_VISIBLE_DEVICES {NO_BORDER}")]),
    ("followed by those who want to, and empty", [env("HIP_VISIBLE_DEVICES", "")], LOOK, [("info", f"HIP_VISIBLE_DEVICES {NO_BORDER}")]),
    ("a device that there cannot be", [env("ROCR_VISIBLE_DEVICES", "0 1")], LOOK, [
        ("warning", "ROCR_VISIBLE_DEVICES='0 1' is not of the form that it is read in: indices or UUIDs of GPUs with commas between "
                    "them, as in 0,GPU-4b2c1a9f8d3e6f7a (set in /etc/default/serving)")]),
    ("a mask of compute units", [env("HSA_CU_MASK", "0-3:0-37;4:0x3f,")], LOOK, [
        ("warning", "HSA_CU_MASK='0-3:0-37;4:0x3f,' is not of the form that it is read in: GPUs, a colon, compute units, as in "
                    "0:0-37;1:0,2-5 or 0:0xff (set in /etc/default/serving)")]),
    ("a mask of compute units that is right", [env("HSA_CU_MASK", "0-3,5:0-37;4:0x3f")], LOOK, [("info", f"HSA_CU_MASK {NO_BORDER}")]),
    ("what is of no use on an Instinct", [env("HSA_OVERRIDE_GFX_VERSION", "9.4.2")], LOOK, [
        ("warning", "HSA_OVERRIDE_GFX_VERSION is set: ROCm knows every Instinct GPU, and finds no code for one that it is made to "
                    "take for another (set in /etc/default/serving)")]),
    ("of another product", [env("HSA_XNACK", "1")], on("MI100"), [
        ("warning", "HSA_XNACK has no effect on MI100 (set in /etc/default/serving)")]),
    ("of this product", [env("HSA_XNACK", "1")], LOOK, []),
    ("product not known", [env("HSA_XNACK", "1")], dc.replace(LOOK, gpus=None), []),
    ("of an older ROCm", [env("RCCL_MSCCL_ENABLE", "1")], rocm("7.14.0"), [
        ("warning", "RCCL_MSCCL_ENABLE does nothing in ROCm 7.14.0: it is gone since 7.13.0 (set in /etc/default/serving)")]),
    ("gone with this very ROCm", [env("RCCL_MSCCL_ENABLE", "1")], rocm("7.13.0"), [
        ("warning", "RCCL_MSCCL_ENABLE does nothing in ROCm 7.13.0: it is gone since 7.13.0 (set in /etc/default/serving)")]),
    ("of an older ROCm than 10", [env("RCCL_MSCCL_ENABLE", "1")], rocm("10.0.0"), [
        ("warning", "RCCL_MSCCL_ENABLE does nothing in ROCm 10.0.0: it is gone since 7.13.0 (set in /etc/default/serving)")]),
    ("of this ROCm", [env("RCCL_MSCCL_ENABLE", "1")], LOOK, []),
    ("ROCm not known", [env("RCCL_MSCCL_ENABLE", "1")], rocm("N/A"), []),
    ("a ROCm that there is not", [env("RCCL_MSCCL_ENABLE", "1")], rocm("30.10"), []),
    ("no ROCm", [env("RCCL_MSCCL_ENABLE", "1")], dc.replace(LOOK, rocm=None), []),
    ("a parameter that the driver has", [parameter("amdgpu.noretry")], LOOK, []),
    ("a parameter that the loaded driver has not", [parameter("amdgpu.user_partt_mode")], LOOK, [
        ("warning", "the loaded driver has no parameter amdgpu.user_partt_mode (set in /etc/modprobe.d/amdgpu.conf)")]),
    ("a parameter that could not be read", [parameter("amdgpu.user_partt_mode")], dc.replace(
        LOOK, driver=dc.replace(LOOK.driver, unknown={"parameters.user_partt_mode": "no root"})), []),
    ("parameters not known", [parameter("amdgpu.user_partt_mode")], dc.replace(LOOK, driver=None), []),
    ("a parameter that is gone, and this driver still has", [parameter("amdgpu.vm_debug")], LOOK, []),
    ("a parameter that is gone", [parameter("amdgpu.debug_largebar")], LOOK, [
        ("warning", "amdgpu.debug_largebar is gone (set in /etc/modprobe.d/amdgpu.conf)")]),
    ("a parameter that is deprecated", [parameter("amdgpu.gttsize", "1024")], LOOK, [
        ("warning", "amdgpu.gttsize is set: the driver calls it deprecated, and takes the limit of TTM by itself (set in "
                    "/etc/modprobe.d/amdgpu.conf)")]),
    ("a value that changes nothing", [Setting("amd_iommu", "on", "kernel_parameter", "/proc/cmdline")], LOOK, [
        ("info", "amd_iommu=on changes nothing (set in /proc/cmdline)")]),
    ("values of the IOMMU", [Setting("amd_iommu", "off", "kernel_parameter", "/proc/cmdline"),
                             Setting("iommu", "pt", "kernel_parameter", "/proc/cmdline")], LOOK, []),
    ("an inventory", [env("HSA_QUEUE_PRIORITY", "1", "inventory", None, "serving_env")], LOOK, [
        ("warning", "HSA_QUEUE_PRIORITY does nothing: no part of ROCm or of the driver reads it (set in inventory)")]),
]


@pytest.mark.parametrize(("settings", "look", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_verdict(settings, look, expected):
    assert said(*settings, look=look) == expected


def test_the_same_in_many_places_is_one_finding():
    places = [env("HSA_QUEUE_PRIORITY", str(i), f"/etc/a{i % 3}", i, "vllm.service") for i in range(20)]
    (found,) = check(Settings(tuple(places)), LOOK, own())
    assert (found.id, found.kind, found.domain, found.subject, found.count) == (
        "knob-hsa-queue-priority", "knob", "configuration", NODE, 20)
    assert found.summary.endswith("(set in 3 files)")
    assert len(found.evidence) == 8
    assert found.evidence[0] == "/etc/a0:0 (vllm.service): HSA_QUEUE_PRIORITY=0"
    assert "hipStreamCreateWithPriority" in found.why.remedy


def test_a_place_without_line_and_value():
    setting = Setting("/etc/rocprofiler/device_filter.conf", None, "file", "/etc/rocprofiler/device_filter.conf")
    (found,) = check(Settings((setting,)), LOOK, own())
    assert found.evidence == ("/etc/rocprofiler/device_filter.conf: /etc/rocprofiler/device_filter.conf",)
    assert found.subject == "/etc/rocprofiler/device_filter.conf"


def test_a_knob_that_came_with_this_very_rocm():
    assert check(Settings((env("HSA_A", "0"),)), LOOK, [document(RECORD | {"products": [], "rocm_from": "7.2.0", "advice": "",
                                                                           "cooperative": False})]) == ()


def test_files_may_be_read_once_for_many_nodes():
    setting = Settings((env("HSA_QUEUE_PRIORITY"),))
    assert check(setting, LOOK, Knobs.from_documents(own())) == check(setting, LOOK, own()) != ()


def test_a_knob_that_is_not_there_yet():
    documents = [document(RECORD | {"products": [], "rocm_from": "7.9.0"})]
    (found,) = check(Settings((env("HSA_A"),)), LOOK, documents)
    assert found.summary.startswith("HSA_A does nothing in ROCm 7.2.0: it came with 7.9.0")


BOOTED = [
    ("known to the loaded driver", "amdgpu.noretry=0", LOOK, []),
    ("unknown to the loaded driver", "amdgpu.xgmi_width=2 amdgpu.xgmi_width=2", LOOK, [
        "the loaded driver has no parameter amdgpu.xgmi_width", ]),
    ("with other dashes", "amdgpu.vm-fragment-size=9", LOOK, []),
    ("a knob of its own", "amdgpu.xgmi=1", LOOK, []),
    ("not read", "amdgpu.other=1", dc.replace(LOOK, driver=dc.replace(LOOK.driver, unknown={"parameters.other": "no root"})), []),
    ("of another module", "nouveau.modeset=0 amdgpu=1", LOOK, []),
    ("no driver loaded, and known", "amdgpu.dc=0 amdgpu.reset_method=1", dc.replace(LOOK, driver=lk.Driver(False)), []),
    ("no driver loaded, and unknown", "amdgpu.dcc=0", dc.replace(LOOK, driver=None), ["amdgpu has no parameter amdgpu.dcc"]),
]


@pytest.mark.parametrize(("cmdline", "look", "expected"), [c[1:] for c in BOOTED], ids=[c[0] for c in BOOTED])
def test_parameters_that_no_driver_has(cmdline, look, expected):
    found = check(Settings(), dc.replace(look, kernel=lk.Kernel(cmdline=cmdline)), own())
    assert [f.summary for f in found] == expected
    assert {(f.id, f.severity, f.subject) for f in found} <= {("knob-unknown-parameter", "warning", "/proc/cmdline")}


def test_no_kernel_no_parameters():
    assert check(Settings(), lk.Look(), own()) == ()
    assert check(Settings(), lk.Look(kernel=lk.Kernel()), own()) == ()
