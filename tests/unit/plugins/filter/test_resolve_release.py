# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The filter resolve_release."""

from __future__ import annotations

import dataclasses as dc
import json
import pathlib

import pytest
import yaml
from ansible.errors import AnsibleFilterError

from ansible_collections.instinct.fleet.plugins.filter import resolve_release as plugin
from ansible_collections.instinct.fleet.plugins.plugin_utils.catalogue_files import read
from ansible_collections.instinct.fleet.tests.unit.support.catalogue import look, resolved

LOOK = json.loads(json.dumps(dc.asdict(look())))
DOCUMENTATION = pathlib.Path(plugin.__file__).with_suffix(".yml")


def run(seen=LOOK, name="rocm-7.2.3", policy=None, catalogue=None):
    return plugin.FilterModule().filters()["resolve_release"](seen, catalogue or read(), name, policy)


@pytest.mark.parametrize("policy", [None, {}, {"driver_source": "in_tree"},
                                    {"mirrors": {"https://repo.radeon.com": "file:///r"}}])
def test_it_is_the_cores_answer_as_plain_data(policy):
    assert run(policy=policy) == resolved("rocm-7.2.3", **(policy or {})).to_dict()


@pytest.mark.parametrize(("arguments", "sentence"), [
    ({"name": "rocm-7.2.0", "policy": {"accept": ["third_party"]}},
     "release rocm-7.2.0: the release is derived, not documented"),
    ({"name": "none"}, "gpu_release_name: the catalogue has no release 'none'"),
    ({"policy": {"acept": []}}, "policy: acept: is not a known key; did you mean accept"),
    ({"seen": {"os": {"ident": "debian"}}}, "look.os: has unknown keys ident"),
    ({"seen": []}, "look: is list, not a mapping"),
    ({"catalogue": {"file": []}}, "catalogue.files: is missing"),
])
def test_a_refusal_is_an_error_of_the_filter(arguments, sentence):
    with pytest.raises(AnsibleFilterError) as caught:
        run(**arguments)
    assert str(caught.value).startswith(sentence)


def test_its_documentation_lists_what_it_returns():
    returned = yaml.safe_load(DOCUMENTATION.read_text())["RETURN"]["_value"]["contains"]
    assert sorted(returned) == sorted(run())
