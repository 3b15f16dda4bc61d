# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Refusals read alike: where, what, what next, and where the rule is from."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError, FleetError


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("gpu 0000:05:00.0", "is lost"), "gpu 0000:05:00.0: is lost"),
        (("node a", "no headers", "install them"), "node a: no headers; install them"),
        (("r", "out of window", "", "AMD"), "r: out of window (source: AMD)"),
        (("r", "out of window", "choose b", "AMD"), "r: out of window; choose b (source: AMD)"),
    ],
)
def test_a_refusal_is_one_sentence(args, sentence):
    assert str(FleetError(*args)) == sentence


def test_parts_stay_apart_for_machines():
    error = DataError("file x", "bad", "mend it", "docs")
    assert isinstance(error, FleetError)
    assert error.to_dict() == {"where": "file x", "what": "bad", "hint": "mend it", "source": "docs"}
