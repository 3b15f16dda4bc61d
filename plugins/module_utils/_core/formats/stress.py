# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What tools print that put GPUs under load: ROCm Validation Suite, TransferBench, rocm-bandwidth-test."""

from __future__ import annotations

import dataclasses as dc
import re

# [RESULT] [1102003.86] [gst-1215Tflops-4K4K8K-rand-fp8] [GPU:: 28851] GFLOPS 1687129 Target GFLOPS: 1215000 met: TRUE
# source: ROCm/ROCmValidationSuite:docs/ug1main.md; the column [RESULT] came later, met was pass in other modules
_RVS = re.compile(r"\[(?P<action>[^\[\]]+)\] +(?:\[?GPU(?:::)? *(?P<gpu>\d+)\]? +)?(?P<words>[^\[\]]*?)"
                  r"\b(?:met|pass): *(?P<ok>TRUE|FALSE)")
# Averages (During UniDir):     37.94     33.67     55.25     48.65   under   CPU->CPU  CPU->GPU  GPU->CPU  GPU->GPU
# source: ROCm/TransferBench:src/client/Presets/PeerToPeer.hpp
_HEADING = re.compile(r"^(?:(?:CPU|GPU)->(?:CPU|GPU)\s*)+$")
_AVERAGES = re.compile(r"^Averages \(During (?P<way>UniDir|BiDir)\):(?P<numbers>[\d.\sN/A]+)$")
# Device: 2,  AMD Instinct MI300X,  GPU-1c2a,  0b:0.0   and below it a matrix for each kind of copy
# source: ROCm/rocm_bandwidth_test:base_test.cpp and rocm_bandwidth_test_report.cpp
_DEVICE = re.compile(r"^Device: +(?P<number>\d+), .*, *(?P<bus>[0-9a-fA-F]+:[0-9a-fA-F]+\.\d+)$")
_MATRIX = re.compile(r"^Unidirectional copy peak bandwidth GB/s")
_ROW = re.compile(r"^(?P<row>\d+)\s+(?P<cells>(?:(?:N/A|[\d.]+)\s*)+)$")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


@dc.dataclass(frozen=True)
class Result:
    """One result of a tool: what it is about, and a number (GB/s) or whether it was as it should be."""

    what: str
    value: float | None = None
    passed: bool | None = None
    words: str = ""


def rvs(text: str) -> tuple[Result, ...]:
    """Each action of ROCm Validation Suite on each GPU, the last word of the suite about it."""
    found = {}
    for line in text.splitlines():
        match = _RVS.search(line)
        if match:
            what = f"{match['action'].strip()}{f' on GPU {match.group(2)}' if match['gpu'] else ''}"
            found[what] = Result(what, None, match["ok"] == "TRUE", " ".join(match["words"].split()))
    return tuple(found.values())


def transferbench(text: str) -> tuple[Result, ...]:
    """The averages between GPUs, one way and both."""
    columns: list[str] = []
    found = []
    for line in map(str.strip, text.splitlines()):
        if _HEADING.match(line):
            columns = line.split()
        match = _AVERAGES.match(line)
        for name, number in zip(columns, match["numbers"].split()) if match else ():
            if match and name == "GPU->GPU" and _NUMBER.fullmatch(number):
                found.append(Result(f"{name} {match['way']}", float(number)))
    return tuple(found)


def rocm_bandwidth_test(text: str) -> tuple[Result, ...]:
    """Copies between the host and each GPU, both ways."""
    gpus: dict[int, str] = {}
    found, inside = [], False
    for line in map(str.strip, text.splitlines()):
        device, row = _DEVICE.match(line), _ROW.match(line)
        if device:
            gpus[int(device["number"])] = device["bus"]
        elif _MATRIX.match(line):
            inside = True
        elif "bandwidth" in line or line.startswith("Inter-Device"):
            inside = False
        elif row and inside:
            found += _copies(int(row["row"]), row["cells"].split(), gpus)
    return tuple(found)


def _copies(row: int, cells: list[str], gpus: dict[int, str]) -> list[Result]:
    """The copies of one row that have the host on one side."""
    found = []
    for column, cell in enumerate(cells):
        if _NUMBER.fullmatch(cell) and (row in gpus) != (column in gpus):
            what = f"host to {gpus[column]}" if column in gpus else f"{gpus[row]} to host"
            found.append(Result(what, float(cell)))
    return found
