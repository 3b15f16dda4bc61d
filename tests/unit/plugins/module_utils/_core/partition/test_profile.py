# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Profiles and inline rules, and one sentence for each that is not of the form."""

from __future__ import annotations

import typing as t

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.profile import ALL, Profile, Rule

RULE = {"gpus": "all", "compute": "CPX", "memory": "NPS4"}
DATA: dict[str, t.Any] = {"version": "v1", "kind": "partition_profile", "name": "cpx-nps4", "gpus": [RULE]}
WAYS = "write all, or a list of indexes, PCI addresses and UUIDs"


def test_a_profile_with_all_that_it_may_have() -> None:
    rules = [RULE, {"gpus": [0, "0000:26:00.0", "A1FF74A1"], "compute": "SPX", "memory": "NPS1"}]
    data = {**DATA, "description": "Some", "products": ["MI300X"], "count": 8, "gpus": rules}
    assert Profile.from_document(data, "p.yml") == Profile(
        "cpx-nps4", "Some", ("MI300X",), 8,
        (Rule(ALL, "CPX", "NPS4", "p.yml: gpus[0]"),
         Rule(("0", "0000:26:00.0", "A1FF74A1"), "SPX", "NPS1", "p.yml: gpus[1]")), "profile cpx-nps4")


def test_inline_rules_are_a_profile_without_a_name() -> None:
    assert Profile.inline([RULE]) == Profile(
        "", "", (), None, (Rule(ALL, "CPX", "NPS4", "gpu_partition_gpus[0]"),), "gpu_partition_gpus")


@pytest.mark.parametrize(("change", "sentence"), [
    ({"version": "v2"}, "p.yml: version: is 'v2'; choose one of v1"),
    ({"kind": "faults"}, "p.yml: kind: is 'faults'; choose one of partition_profile"),
    ({"name": "Cpx NPS4"},
     "p.yml: name: is 'Cpx NPS4', which does not match [a-z0-9]+(?:-[a-z0-9]+)*; write it in that form"),
    ({"gpus": []}, "p.yml: gpus: is empty; say what the GPUs should be"),
    ({"count": 0}, "p.yml: count: is 0; write how many GPUs a node must have, or leave it out"),
    ({"count": -1}, "p.yml: count: is -1, and cannot be less than 0; write it in that form"),
    ({"products": ["mi300x"]}, "p.yml: products[0]: is 'mi300x', which does not match MI\\d+[A-Z]?; write it in that form"),
    ({"gpu": []}, "p.yml: gpu: is not a known key; did you mean gpus"),
    ({"gpus": [{**RULE, "compute": "CPX2"}]}, "p.yml: gpus[0].compute: is 'CPX2'; choose one of SPX, DPX, TPX, QPX, CPX"),
    ({"gpus": [{**RULE, "memory": "nps4"}]}, "p.yml: gpus[0].memory: is 'nps4'; choose one of NPS1, NPS2, NPS4, NPS8"),
    ({"gpus": [{**RULE, "gpus": "0"}]}, f"p.yml: gpus[0].gpus: is neither all nor a list of GPUs; {WAYS}"),
    ({"gpus": [{**RULE, "gpus": []}]}, f"p.yml: gpus[0].gpus: is neither all nor a list of GPUs; {WAYS}"),
    ({"gpus": [{**RULE, "gpus": [0, True]}]},
     f"p.yml: gpus[0].gpus[1]: is neither a number nor text that names one GPU; {WAYS}"),
    ({"gpus": [{**RULE, "gpus": ["all"]}]},
     f"p.yml: gpus[0].gpus[0]: is neither a number nor text that names one GPU; {WAYS}"),
    ({"gpus": [{**RULE, "gpus": [-1]}]},
     f"p.yml: gpus[0].gpus[0]: is neither a number nor text that names one GPU; {WAYS}"),
    ({"gpus": [{**RULE, "gpus": ["0", "x\ny"]}]},
     f"p.yml: gpus[0].gpus[1]: is neither a number nor text that names one GPU; {WAYS}"),
    ({"gpus": [{**RULE, "gpus": [16**5000]}]},  # too long to be printed
     f"p.yml: gpus[0].gpus[0]: is neither a number nor text that names one GPU; {WAYS}"),
    ({"gpus": [{**RULE, "gpus": [3, 3]}]}, "p.yml: gpus[0].gpus[1]: 3 is there twice; remove one"),
    ({"gpus": [{"gpus": "all", "compute": "CPX"}]}, "p.yml: gpus[0].memory: is missing; add it"),
])
def test_a_profile_that_is_not_of_the_form(change: dict[str, t.Any], sentence: str) -> None:
    with pytest.raises(DataError) as caught:
        Profile.from_document({**DATA, **change}, "p.yml")
    assert caught.value.sentence == sentence


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9) | st.sampled_from(("all", "CPX", "NPS4")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.text(max_size=3) | st.sampled_from(("gpus", "compute", "memory")), inner, max_size=4), max_leaves=12)


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(ANYTHING)
def test_whatever_is_given_ends_in_a_profile_or_in_one_sentence(rules: t.Any) -> None:
    said, made = "", None
    try:
        made = Profile.inline(rules)
    except DataError as error:
        said = error.sentence
    assert said.startswith("gpu_partition_gpus") if made is None else made.rules


@pytest.mark.parametrize(("rules", "sentence"), [
    ([], "gpu_partition_gpus: is empty or no list; write it as a list of {gpus, compute, memory}"),
    ("all", "gpu_partition_gpus: is empty or no list; write it as a list of {gpus, compute, memory}"),
    (["all"], "gpu_partition_gpus[0]: is text, not a mapping; write it as a mapping"),
    ([{**RULE, "count": 8}], "gpu_partition_gpus[0].count: is not a known key; did you mean compute"),
])
def test_inline_rules_that_are_not_of_the_form(rules: t.Any, sentence: str) -> None:
    with pytest.raises(DataError) as caught:
        Profile.inline(rules)
    assert caught.value.sentence == sentence
