# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What kind a file of a bundle is: by what is in it, and where that does not tell, by its name."""

from __future__ import annotations

import re
import typing as t

from . import amdsmi, fabric, gpus, system
from .facts import Handler

# Which patterns are looked for in a log, by what the log is.
KERNEL, BUILD, INSTALL, PROGRAM = ("kernel",), ("dkms",), ("packages",), ("container", "library", "tool")


class Kind(t.NamedTuple):
    """One kind of file."""

    name: str
    handler: Handler | None  # None: read line by line, as a log
    content: str = ""  # regular expression that is met in its beginning
    file: str = ""  # that its path meets, if nothing is met in any content
    where: tuple[str, ...] = ()  # which patterns are looked for in it; of a file that is no log, besides its reader


_STAMP = (r"(?:\[ *\d+\.\d{6}\]|\[\w{3} \w{3} +\d+ [\d:]+ \d{4}\]|<\d+>|\d+,\d+,\d+,[^;\n]{0,80};|kern +:\w+ +:|"
          r"\d{4}-\d\d-\d\d[T ][\d:.,+-]+)")
# First match counts, so the particular stands before the general.
KINDS = (
    Kind("kernel log", None, rf"^{_STAMP}.*(?:amdgpu|\[drm\]|Linux version|pci |systemd|kernel:|amdkcl|gim |kernel|"
         r"pcieport|Hardware Error|CUSTOM|oom)|^\{\"[^\n]*\"(?:MESSAGE|_TRANSPORT)\"|"
         r"^(?:\[drm[:\]]|amdgpu(?: [0-9a-f:.]+)?: |amdgpu [0-9a-f]{4}:|amdkcl: |pcieport |gim \w+ |"
         r"ionic [0-9a-f]{4}:)",
         r"(?:^|/)(?:dmesg|kern\.log|messages|syslog|journal|kmsg|vmcore-dmesg)[^/]*$|dmesg|_syslog$", KERNEL),
    Kind("dkms status", system.dkms_status,
         r"^[\w.+-]+(?:/|, ?)[^\s,:/]+(?:, ?[^\s,:]+, ?[^\s,:]+)?: (?:added|built|installed|broken)\b|"
         r"^Error! Could not locate dkms\.conf", r"(?:^|/)dkms[_-]?status", BUILD),
    Kind("build log", None, r"^DKMS make\.log|\(dkms apport\)|^make(?:\[\d+\])?: (?:Entering|\*\*\*)|"
         r"^Building (?:initial module )?for |^Module build for kernel|^\S+\.[ch]:\d+:\d+: error:",
         r"make\.log", BUILD),
    Kind("package manager log", None,
         r"^Error in (?:POSTIN|PREIN|POSTUN) scriptlet|^Setting up \S+ \(|^Log started: |"
         r"^dpkg: error|^E: Sub-process|^Start-Date: |^ +(?:Installing|Upgrading|Running scriptlet) *: ",
         r"(?:^|/)(?:term\.log|history\.log|dpkg\.log|dnf(?:\.rpm)?\.log|zypper\.log|zypp/history)", INSTALL),
    Kind("os-release", system.os_release, r"^(?:PRETTY_NAME|VERSION_ID|ID)=", r"os-release$"),
    Kind("KFD", gpus.kfd_lines, r"^\S*kfd/proc/\d+/|^\S*/topology/nodes/\d+/"),
    Kind("rocminfo", gpus.rocm_info, r"^ROCk module |^HSA Agents|^Unable to open /dev/kfd|^Agent \d+"),
    Kind("rocm-smi", gpus.rocm_smi, r"ROCm System Management Interface|No JSON data to report|"
         r"No AMD GPUs specified|\"card\d+\"\s*:\s*\{"),
    Kind("RCCL report", fabric.rccl_report,
         r"^RCCL version [^\n]*compiled|\"nccl_version\"|\"communicators\""),
    Kind("nicctl", fabric.nicctl, r"^\s*\{\s*\"nic\"\s*:|^ionic\d+: \d", r"nicctl"),
    Kind("RDMA ports", fabric.rdma, r"^link \S+/\d+ state |^hca_id:|\"ifname\"[^}]*\"physical_state\"",
         r"rdma[_-]link|ibv[_-]devinfo"),
    Kind("RDMA devices", fabric.ibv_devices, r"^\s*device\s+node GUID", r"ibv[_-]devices"),
    Kind("ib_write_bw", fabric.write_bandwidth, r"RDMA_Write BW Test"),
    Kind("perftest", fabric.buffer, r"Calling ibv_reg_dmabuf_mr"),
    Kind("RCCL test", fabric.rccl_test, r"Avg bus bandwidth|Init COMPLETE|all_reduce_perf|RCCL Job"),
    Kind("program log", None,
         r"^(?:libibverbs: Warning|\S* ?NCCL (?:INFO|WARN)|.*HSA_STATUS_ERROR|No IB devices found)",
         where=PROGRAM),
    Kind("links", fabric.ip_links, r"^\d+: \S+: <[A-Z_,]*>|<(?:LOOPBACK|BROADCAST)[A-Z_,]*>\s*$"),
    Kind("NIC counters", fabric.ethtool, r"^NIC statistics:"),
    Kind("amd-smi", amdsmi.read, r"^\s*GPU(?:: ?\d+|[ _]?\d+:)\s*$|AMDSMI |AMD-SMI |"
         r"\"gpu\" ?: ?\d|\"gpu_data\"|^(?:ACCESS|WEIGHT|LINK METRIC|XGMI LINK STATUS|LINK STATUS) TABLE:|"
         r"^CURRENT_PARTITION:|^GPU  +\S|AMDSMI_STATUS|Unable to detect any GPU devices|\"amdsmi_library_version\"",
         r"amd[_-]?smi"),
    Kind("exporter", gpus.exporter, r"^(?:amd_)?gpu_\w+\{|^ID +UUID +Health"),
    Kind("firmware info", gpus.firmware_info, r"^\w+ feature version: \d+, firmware version: "),
    Kind("agents", gpus.enumerator, r"\Agfx000\b"),
    Kind("lspci tree", lambda _facts, _text: "the tree of lspci, which holds nothing that the rest does not",
         r"^-?[+\\-]*(?:\[[0-9a-f]{4}:[0-9a-f]{2}\]|\[[0-9a-f]{4}\])-", r"lspci[^/]*-t"),
    Kind("lspci", gpus.pci, r"^(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7] [^:]+: |"
         r"^\s+(?:LnkSta|LnkCap|ACSCtl|DevCap2):|^\s+Region \d: Memory", r"lspci"),
    Kind("lsmod", system.lsmod, r"^Module +Size +Used by|^\w+ \d+ \d+ \S+ Live 0x", r"lsmod|proc/modules$"),
    Kind("modinfo", system.module, r"^filename: +\S", r"modinfo"),
    Kind("packages", system.packages,
         r"^[uihrp][ncHUFWti][ R] +\S+ +\S|^\S+/\S+ \S+ \S+ \[.*installed|^Package: \S+\nStatus: |"
         r"^[\w.+-]+-\d[^\s-]*-\S+\.(?:x86_64|noarch)\s", r"(?:dpkg|rpm|apt|installed-(?:debs|rpms))[^/]*$|packages"),
    Kind("device nodes", system.devices, r"^c[rwxsStT-]{9}.*(?:kfd|renderD\d+)$", r"ls[_-].*dev"),
    Kind("DRM devices", system.drm, r"(?:^|\s)card\d+(?: -> \S+/drm/card\d+)?$", r"sys.*drm$|drm[_-]devices"),
    Kind("CPU", system.cpu, r"^Vendor ID: |^vendor_id\s+:", r"lscpu|cpuinfo"),
    Kind("hwloc", gpus.hwloc, r"<!DOCTYPE topology|<topology version"),
    Kind("kernel command line", system.cmdline, r"^BOOT_IMAGE=", r"cmdline[^/]*(?<!\.json)$"),
    Kind("uname", system.uname,
         r"\A\s*(?:Linux (?:version )?\S+ ?\d+\.\d+|\d+\.\d+\.\d+-\S+\s*\Z)", r"uname|proc/version$"),
)
_CONTENT = tuple((kind, re.compile(kind.content, re.MULTILINE)) for kind in KINDS if kind.content)
_NAMED = tuple((kind, re.compile(kind.file)) for kind in KINDS if kind.file)
# Written by people as wishes, or by programs about many machines: nothing in them is the state of a node.
_WISHES = re.compile(r"\"plugins\"\s*:|\"gpu-config-profiles\"|^#!|\"workload_name\"|^# NHC |^# [A-Z]\w+|\*\|\|",
                     re.MULTILINE)
_COMPLAINT_LINES = 3
_COMPLAINT = re.compile(r"(?:command not found|No such file or directory|Permission denied|Operation not permitted|"
                        r": not found|due to insufficient permissions\.)$|^timeout: failed to run command|"
                        r"^No journal files were ")
_HINT = re.compile(r"Hint: |\s")  # journalctl's, before it says that it may not
_TEXT = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def kind_of(file: str, head: str) -> Kind | None:
    """Return the kind of a file by its path and the beginning of its text; None if it is not known."""
    first = next((kind for kind, pattern in _CONTENT if pattern.search(head)), None)
    if first or not head.strip():
        return first
    if wishes(head) or failed(head):
        return None
    return next((kind for kind, pattern in _NAMED if pattern.search(file)), None)


def wishes(head: str) -> bool:
    """Whether a text holds wishes, scripts or words for people."""
    return _WISHES.search(head) is not None


def failed(head: str) -> bool:
    """Whether a command could not do its work, and left nothing but its complaint."""
    lines = [line for line in head.strip().splitlines() if not _HINT.match(line)]
    return len(lines) <= _COMPLAINT_LINES and any(_COMPLAINT.search(line) for line in lines)


def binary(head: str) -> bool:
    """Whether it is no text."""
    return len(_TEXT.findall(head[:4096])) > 8


_COMMANDS = ("amd-smi|rocm-smi|rocminfo|lspci|dkms|uname|cat|ls|lsmod|modinfo|dpkg|dpkg-query|rpm|dmesg|journalctl|"
             "rdma|ibv_devinfo|ibv_devices|ip|apt|lscpu|ethtool|nicctl|grep")
_PROMPT = re.compile(rf"^(?:\[?[\w.-]+@[\w.-]+[^$#\n]*)?[$#] (?:sudo )?(?P<command>(?:{_COMMANDS})\b[^\n]*)$",
                     re.MULTILINE)


def pieces(file: str, text: str) -> list[tuple[str, str]]:
    """Return (name, text) of each command in a text that was copied from a terminal; the file itself if it is none."""
    prompts = list(_PROMPT.finditer(text))
    if not prompts:
        return [(file, text)]
    before = text[:prompts[0].start()]
    found = [(file, before)] if before.strip() else []
    for match, end in zip(prompts, [*(match.start() for match in prompts[1:]), len(text)]):
        command = re.sub(r"^(?:cat|ls -\w+|ls) ", "", match["command"].strip())
        found.append((f"{file}: {command}", text[match.end():end].lstrip("\n")))
    return found
