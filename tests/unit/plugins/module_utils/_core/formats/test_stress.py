# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of the tools that put GPUs under load, from what they print."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.stress import (
    Result,
    rocm_bandwidth_test,
    rvs,
    transferbench,
)

RVS = """\
[RESULT] [ 39803.770893] Action name :gst-581Tflops-8K-rand-fp16
[RESULT] [ 39806.100000] [gst-581Tflops-8K-rand-fp16] [GPU:: 28851] Start of GPU ramp up
[RESULT] [ 39808.831928] [gst-581Tflops-8K-rand-fp16] [GPU:: 28851] GFLOPS 539705
[RESULT] [ 39812.166450] [gst-581Tflops-8K-rand-fp16] [GPU:: 28851] GFLOPS 640057 Target GFLOPS: 581000 met: FALSE
[RESULT] [ 39813.864648] [gst-581Tflops-8K-rand-fp16] [GPU:: 28851] GFLOPS 687129 Target GFLOPS: 581000 met: TRUE
[RESULT] [ 39813.900000] [gst-581Tflops-8K-rand-fp16] [GPU:: 14007] GFLOPS 412003 Target GFLOPS: 581000 met: FALSE
[RESULT] [ 39914.000000] [iet-stress] pass: TRUE
[ERROR ] [ 39914.100000] something else
"""
PEERS = """\
P2P Benchmark
Unidirectional copy peak bandwidth GB/s [Local read / Remote write] (GPU-Executor: GFX)
   SRC\\DST    CPU 00    CPU 01       GPU 00    GPU 01
   GPU 00  ->     55.23     55.26      1689.85     48.46
                           CPU->CPU  CPU->GPU  GPU->CPU  GPU->GPU
Averages (During UniDir):     37.94     33.67     55.25     48.65

Bidirectional copy peak bandwidth GB/s [Local read / Remote write] (GPU-Executor: GFX)
                           CPU->CPU  CPU->GPU  GPU->CPU  GPU->GPU
Averages (During  BiDir):    28.00     40.00     41.00     43.00
Averages (During BiDir):     28.12     40.33     41.46     N/A
"""
COPIES = """\
          RocmBandwidthTest Version: 2.6.0
          Launch Command is: rocm-bandwidth-test (rocm_bandwidth -a + rocm_bandwidth -A)

          Device: 0,  AMD EPYC 9654 96-Core Processor
          Device: 1,  AMD Instinct MI300X,  GPU-1c2a3d,  0b:0.0
          Device: 2,  AMD Instinct MI300X,  GPU-2c2a3d,  26:0.0

          Inter-Device Access
          D/D       0         1         2
          0         1         1         1
          1         1         1         1

          Unidirectional copy peak bandwidth GB/s
          D/D       0           1           2
          0         N/A         55.400      21.300
          1         56.100      2100.100    47.300
          2         56.200      47.400      2099.000

          Bidirectional copy peak bandwidth GB/s
          D/D       0           1           2
          0         N/A         9.000       9.000
"""


def test_rvs_has_the_last_word_of_each_action_on_each_gpu() -> None:
    assert rvs(RVS) == (
        Result("gst-581Tflops-8K-rand-fp16 on GPU 28851", None, True, "GFLOPS 687129 Target GFLOPS: 581000"),
        Result("gst-581Tflops-8K-rand-fp16 on GPU 14007", None, False, "GFLOPS 412003 Target GFLOPS: 581000"),
        Result("iet-stress", None, True, ""),
    )


def test_transferbench_has_the_averages_between_gpus() -> None:
    assert transferbench(PEERS) == (Result("GPU->GPU UniDir", 48.65),)


def test_rocm_bandwidth_test_has_the_copies_between_host_and_gpus() -> None:
    assert rocm_bandwidth_test(COPIES) == (
        Result("host to 0b:0.0", 55.4), Result("host to 26:0.0", 21.3),
        Result("0b:0.0 to host", 56.1), Result("26:0.0 to host", 56.2),
    )


@pytest.mark.parametrize("parse", [rvs, transferbench, rocm_bandwidth_test])
@pytest.mark.parametrize("text", ["", "\x00\xff\n[[[[", "Averages (During UniDir): 1 2\n0 1 2\nmet: MAYBE"])
def test_other_text_has_no_result(parse: object, text: str) -> None:
    assert parse(text) == ()  # type: ignore[operator]
