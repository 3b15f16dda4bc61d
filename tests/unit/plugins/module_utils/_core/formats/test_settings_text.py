# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names in texts of many forms, and nothing else of those texts."""

from __future__ import annotations

import time

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.formats import settings_text
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.settings import Setting

NAMES = settings_text.Names([
    ("HSA_QUEUE_PRIORITY", "environment"), ("HSA_ENABLE_SDMA", "environment"), ("amdgpu.noretry", "module_parameter"),
    ("amdgpu.vm_fragment_size", "module_parameter"), ("iommu", "kernel_parameter"), ("quiet", "kernel_parameter"),
    ("kernel.numa_balancing", "kernel_parameter"), ("--setmigmode", "command"), ("rocm-smi --partition", "command"),
    ("xgmi_credit_limit", "sysfs"), ("/sys/module/amd_iommu/parameters/x", "sysfs"), ("/etc/some.conf", "file")])

# what the line is, the line, name, value, kind
LINES = [
    ("environment file", "HSA_ENABLE_SDMA=0", "HSA_ENABLE_SDMA", "0", "environment"),
    ("quoted", 'HSA_QUEUE_PRIORITY="very high"', "HSA_QUEUE_PRIORITY", "very high", "environment"),
    ("shell", "  export HSA_ENABLE_SDMA='0'; run", "HSA_ENABLE_SDMA", "0", "environment"),
    ("shell with a variable", "export HSA_ENABLE_SDMA=$SDMA", "HSA_ENABLE_SDMA", "$SDMA", "environment"),
    ("C shell", "setenv HSA_ENABLE_SDMA 0", "HSA_ENABLE_SDMA", "0", "environment"),
    ("unit", 'Environment="HSA_ENABLE_SDMA=0" OTHER=1', "HSA_ENABLE_SDMA", "0", "environment"),
    ("command of a unit", "ExecStart=/usr/bin/podman run -e HSA_ENABLE_SDMA=0 image", "HSA_ENABLE_SDMA", "0", "environment"),
    ("mapping of YAML", "      HSA_ENABLE_SDMA: '0'", "HSA_ENABLE_SDMA", "0", "environment"),
    ("list of YAML", "      - HSA_ENABLE_SDMA=0", "HSA_ENABLE_SDMA", "0", "environment"),
    ("JSON", '{"env": ["HSA_ENABLE_SDMA=0"]}', "HSA_ENABLE_SDMA", "0", "environment"),
    ("JSON mapping", '"HSA_ENABLE_SDMA": "0",', "HSA_ENABLE_SDMA", "0", "environment"),
    ("empty", "HSA_ENABLE_SDMA=", "HSA_ENABLE_SDMA", "", "environment"),
    ("modprobe.d", "options amdgpu vm_fragment_size=9", "amdgpu.vm_fragment_size", "9", "module_parameter"),
    ("a flag of a module", "options amdgpu noretry", "amdgpu.noretry", None, "module_parameter"),
    ("modprobe in a script", "/sbin/modprobe -v amdgpu vm-fragment-size=9", "amdgpu.vm_fragment_size", "9", "module_parameter"),
    ("kernel arguments in a script", 'grubby --args="amdgpu.noretry=1"', "amdgpu.noretry", "1", "module_parameter"),
    ("sysctl.d", "kernel.numa_balancing = 0", "kernel.numa_balancing", "0", "kernel_parameter"),
    ("sysctl that may fail", "-kernel.numa_balancing=0", "kernel.numa_balancing", "0", "kernel_parameter"),
    ("command", "ExecStartPre=/opt/rocm/bin/rocm-smi --setmigmode 1", "--setmigmode", "1", "command"),
    ("command with =", "rocm-smi -d 0 --partition=CPX; true", "rocm-smi --partition", "CPX", "command"),
    ("command without a value", "rocm-smi --setmigmode; true", "--setmigmode", None, "command"),
    ("echo", "echo 16 > /sys/class/drm/card0/device/xgmi_credit_limit", "xgmi_credit_limit", "16", "sysfs"),
    ("tee", 'echo "16" | sudo tee "$dir/xgmi_credit_limit"', "xgmi_credit_limit", "16", "sysfs"),
    ("udev", 'ACTION=="add", DRIVER=="amdgpu", ATTR{xgmi_credit_limit}="16"', "xgmi_credit_limit", "16", "sysfs"),
    ("tmpfiles.d", "w /sys/class/drm/card0/device/xgmi_credit_limit - - - - 16", "xgmi_credit_limit", "16", "sysfs"),
    ("sysfs.conf", "class/drm/card0/device/xgmi_credit_limit = 16", "xgmi_credit_limit", "16", "sysfs"),
    ("read alone", "cat /sys/class/drm/card0/device/xgmi_credit_limit", "xgmi_credit_limit", None, "sysfs"),
    ("a whole path", "echo Y >/sys/module/amd_iommu/parameters/x", "/sys/module/amd_iommu/parameters/x", "Y", "sysfs"),
]


@pytest.mark.parametrize(("line", "name", "value", "kind"), [c[1:] for c in LINES], ids=[c[0] for c in LINES])
def test_a_line(line: str, name: str, value: str | None, kind: str) -> None:
    assert NAMES.in_text(f"first\n{line}\n", "/x") == [Setting(name, value, kind, "/x", 2)]


@pytest.mark.parametrize("line", [
    "# HSA_ENABLE_SDMA=0", "; HSA_ENABLE_SDMA=0", "  // HSA_ENABLE_SDMA=0", "MY_HSA_ENABLE_SDMA=0", "HSA_ENABLE_SDMA_2=0", "unset HSA_ENABLE_SDMA",
    "echo $HSA_ENABLE_SDMA", "options radeon noretry=0", "options amdgpu", "options amdgpu noretry2=1", "iommu=pt", "amd-smi --partition",
    "rocm-smi --partitions", "rocm-smi --setmigmodes 1", "my_xgmi_credit_limit", "password=secret", ""])
def test_a_line_that_sets_nothing_of_it(line: str) -> None:
    assert NAMES.in_text(f"{line}\n", "/x") == []


def test_all_of_a_line() -> None:
    text = "ExecStart=/usr/bin/env HSA_ENABLE_SDMA=0 HSA_QUEUE_PRIORITY=3 \\\n  # why\n  rocm-smi --setmigmode 1 \\\n"
    found = NAMES.in_text(text, "/etc/systemd/system/a.service", "a.service")
    assert [(s.name, s.value, s.line, s.holder) for s in found] == [
        ("HSA_ENABLE_SDMA", "0", 1, "a.service"), ("HSA_QUEUE_PRIORITY", "3", 1, "a.service"), ("--setmigmode", "1", 1, "a.service")]


def test_services_of_yaml() -> None:
    text = ("version: '3'\nservices:\n  train:\n    environment:\n      HSA_ENABLE_SDMA: 0\n  serve:\n    environment:\n"
            "      - HSA_QUEUE_PRIORITY=3\n")
    assert [(s.name, s.value, s.line, s.holder) for s in NAMES.in_text(text, "/x.yml", None, True)] == [
        ("HSA_ENABLE_SDMA", "0", 5, "train"), ("HSA_QUEUE_PRIORITY", "3", 8, "serve")]


@pytest.mark.parametrize(("following", "value"), [("          value: \"0\"\n", "0"), ("          valueFrom: x\n", None), ("", None)])
def test_variables_of_a_pod(following: str, value: str | None) -> None:
    text = f"        env:\n        - name: HSA_ENABLE_SDMA\n{following}"
    assert [(s.name, s.value, s.line) for s in NAMES.in_text(text, "/x.yaml", None, True)] == [("HSA_ENABLE_SDMA", value, 2)]


def test_arguments_of_the_kernel() -> None:
    text = 'BOOT_IMAGE=/vmlinuz root=UUID=1 ro quiet iommu=pt amdgpu.noretry=1 "amdgpu.vm-fragment-size=9" HSA_ENABLE_SDMA=0'
    assert NAMES.in_arguments(text, "/proc/cmdline") == [
        Setting("quiet", None, "kernel_parameter", "/proc/cmdline"), Setting("iommu", "pt", "kernel_parameter", "/proc/cmdline"),
        Setting("amdgpu.noretry", "1", "module_parameter", "/proc/cmdline"),
        Setting("amdgpu.vm_fragment_size", "9", "module_parameter", "/proc/cmdline")]
    assert settings_text.Names([]).in_arguments(text, "/x") == []
    assert settings_text.Names([]).in_text(text, "/x") == []


def test_long_values_and_long_lines_are_cut() -> None:
    assert NAMES.in_text(f"HSA_ENABLE_SDMA={'x' * 1000}", "/x")[0].value == "x" * 300
    assert NAMES.in_text(f"{'x' * 2000} HSA_ENABLE_SDMA=1", "/x") == []


@pytest.mark.parametrize("line", ["xgmi_credit_limit" * 15000, "rocm-smi " * 28000, "HSA_ENABLE_SDMA" + " " * 250000, "echo " * 50000 + "xgmi_credit_limit"])
def test_hostile_lines_cost_little(line: str) -> None:
    start = time.process_time()
    NAMES.in_text(line, "/x")
    assert time.process_time() - start < 2


def test_environment_files() -> None:
    text = "EnvironmentFile=/etc/a.env\nEnvironmentFile=-/etc/b.env\nEnvironmentFile=/etc/%i.env\nEnvironmentFile=/run/*.env\nEnvironmentFile=c\n"
    assert settings_text.environment_files(text) == ("/etc/a.env", "/etc/b.env")


def test_job_scripts() -> None:
    text = "Prolog=/opt/slurm/prolog.sh # why\nTaskProlog = /opt/task\nepilog=/opt/e\nProlog=/opt/prolog.d/*\nPrologFlags=Alloc\nSlurmdSpoolDir=/x\n"
    assert settings_text.job_scripts(text) == ("/opt/slurm/prolog.sh", "/opt/task", "/opt/e", "/opt/prolog.d/")
