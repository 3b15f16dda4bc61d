# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lookup mirror_list."""

from __future__ import annotations

import json

import pytest
import yaml
from ansible import constants
from ansible.errors import AnsibleLookupError

from ansible_collections.instinct.fleet.plugins.lookup.mirror_list import DOCUMENTATION, LookupModule

NAME = "instinct.fleet.mirror_list"


@pytest.fixture
def lookup():
    """The plugin with the options that its documentation declares, as Ansible's loader makes it."""
    options = yaml.safe_load(DOCUMENTATION)["options"]
    constants.config.initialize_plugin_configuration_definitions("lookup", NAME, options)
    plugin = LookupModule()
    plugin._load_name = NAME
    return plugin


def test_it_returns_plain_data_for_each_release_and_system(lookup):
    found = lookup.run(["rocm-7.2.3", "rocm-7.2.4"], systems=["debian 12", "debian 13"])
    assert [(m["release"], m["os"]) for m in found] == [
        ("rocm-7.2.3", "Debian 12"), ("rocm-7.2.3", "Debian 13"), ("rocm-7.2.4", "Debian 12"), ("rocm-7.2.4", "Debian 13")]
    assert found == json.loads(json.dumps(found))
    assert [p["name"] for p in found[0]["packages"]] == [
        "amdgpu-dkms", "amdgpu-dkms-firmware", "rocm-core", "rocminfo", "amd-smi-lib", "linux-image-{kernel}",
        "linux-headers-{kernel}"]


def test_the_variables_of_the_roles_are_its_options(lookup):
    variables = {"gpu_release_name": "rocm-7.2.0", "gpu_release_accept": ["derived"], "gpu_driver_source": "in_tree",
                 "gpu_release_mirrors": {"https://repo.radeon.com": "file:///srv/radeon"}}
    [found] = lookup.run([], variables, systems=["debian 12"])
    assert [(r["vendor"], r["uri"]) for r in found["repositories"]] == [
        ("https://repo.radeon.com/rocm/apt/7.2", "file:///srv/radeon/rocm/apt/7.2")]


def test_rocm_side_by_side_is_mirrored_too(lookup):
    variables = {"gpu_release_name": "rocm-7.2.3", "rocm_userspace_side_by_side": ["rocm-7.2.4"],
                 "gpu_release_accept": ["third_party"]}
    [found] = lookup.run([], variables, systems=["debian 12"])
    assert [r["vendor"] for r in found["repositories"] if r["name"] == "rocm"] == [
        "https://repo.radeon.com/rocm/apt/7.2.3", "https://repo.radeon.com/rocm/apt/7.2.4"]
    assert {p["name"] for p in found["packages"]} >= {"rocm-core7.2.3", "rocm-core7.2.4"}


@pytest.mark.parametrize(("form", "begin"), [
    ("apt-mirror", "deb [arch=amd64] https://repo.radeon.com/amdgpu/30.30.3/ubuntu jammy main\n"),
    ("keys", "https://repo.radeon.com/rocm/rocm.gpg.key\n"), ("reposync", "")])
def test_another_form_is_one_text(lookup, form, begin):
    [text] = lookup.run(["rocm-7.2.3"], systems=["debian 12"], form=form)
    assert text.startswith(begin)


@pytest.mark.parametrize(("terms", "options", "sentence"), [
    ([], {}, "mirror_list: names no release; name one, or set gpu_release_name"),
    (["rocm-7.2.33"], {}, ("gpu_release_name: the catalogue has no release 'rocm-7.2.33'; choose one of rocm-7.2.3, "
                           "rocm-7.2.4, rocm-7.2.2")),
    (["rocm-7.2.3"], {"accept": ["sure"]}, ("policy: accept[0]: is 'sure', which does not match "
                                            "documented|third_party|derived|unverified; write it in that form")),
])
def test_what_cannot_be_is_refused_in_one_sentence(lookup, terms, options, sentence):
    with pytest.raises(AnsibleLookupError) as caught:
        lookup.run(terms, **options)
    assert str(caught.value) == sentence


def test_releases_of_the_site_are_known(lookup, tmp_path):
    (tmp_path / "releases").mkdir()
    (tmp_path / "releases/x.yml").write_text("{}")
    with pytest.raises(AnsibleLookupError, match=r"x\.yml: version: is missing"):
        lookup.run(["x"], catalogue_dirs=[str(tmp_path)])
