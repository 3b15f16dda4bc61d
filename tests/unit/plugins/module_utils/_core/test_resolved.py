# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A resolved release is plain data that comes back the same."""

from __future__ import annotations

import json

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.resolved import Resolved
from ansible_collections.instinct.fleet.tests.unit.support.catalogue import look, resolved

CASES = {
    "dkms": ("rocm-7.2.3", look(), {}),
    "in tree": ("rocm-7.0.2", look(), {"driver_source": "in_tree"}),
    "without kernel and gpu": ("rocm-7.2.3", look(kernel=None, gpus=()), {}),
    "two keys, firmware": ("rocm-10.0.0", look(), {"accept": ["third_party"]}),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_plain_data_comes_back_the_same(case):
    name, node, policy = case
    wanted = resolved(name, node, **policy)
    assert Resolved.from_dict(json.loads(json.dumps(wanted.to_dict()))) == wanted


@pytest.mark.parametrize(("change", "sentence"), [
    ({"more": 1}, "resolved release: more: is not a known key; remove it"),
    ({"driver": {"source": "runfile"}}, "resolved release: driver.source: is 'runfile'; choose one of dkms, in_tree"),
    ({"rocm": None}, "resolved release: rocm: is null, not a mapping"),
    ({"gpus": [{"bdf": "b"}]}, "resolved release: gpus[0].device_id: is missing"),
])
def test_other_data_is_refused(change, sentence):
    with pytest.raises(DataError) as caught:
        Resolved.from_dict(resolved("rocm-7.2.3").to_dict() | change)
    assert caught.value.sentence == sentence
