# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lookup catalogue."""

from __future__ import annotations

import pytest
import yaml
from ansible import constants
from ansible.errors import AnsibleLookupError

from ansible_collections.instinct.fleet.plugins.lookup.catalogue import DOCUMENTATION, LookupModule
from ansible_collections.instinct.fleet.tests.unit.support.catalogue import own

NAME = "instinct.fleet.catalogue"


@pytest.fixture
def lookup():
    """The plugin with the options that its documentation declares, as Ansible's loader makes it."""
    options = yaml.safe_load(DOCUMENTATION)["options"]
    constants.config.initialize_plugin_configuration_definitions("lookup", NAME, options)
    plugin = LookupModule()
    plugin._load_name = NAME
    return plugin


def test_it_returns_one_dictionary(lookup):
    [found] = lookup.run([])
    assert sorted(found) == ["files", "names"]
    assert tuple(found["names"]) == own().names
    assert len([f for f in found["files"] if f["data"]["kind"] == "release"]) == len(own().names)


def test_it_reads_one_release_where_it_is_asked_for_one(lookup):
    [found] = lookup.run([], release="rocm-7.2.3")
    assert [f["data"]["release"]["name"] for f in found["files"] if f["data"]["kind"] == "release"] == ["rocm-7.2.3"]


def test_its_terms_are_site_directories(lookup, tmp_path):
    (tmp_path / "releases").mkdir()
    (tmp_path / "releases/x.yml").write_text("{}")
    with pytest.raises(AnsibleLookupError) as caught:
        lookup.run([str(tmp_path)])
    assert str(caught.value) == f"{tmp_path}/releases/x.yml: version: is missing; add it"
