# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""No address escapes gpu_release_mirrors."""

from __future__ import annotations

import ast
import re

import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.module_utils._core.release.mirror import mirrors
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.policy import Policy
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.repositories import mirrored
from ansible_collections.instinct.fleet.tests.unit.support.catalogue import ROOT, own
from ansible_collections.instinct.fleet.tests.unit.support.project import files

PAGE = (ROOT / "docs/airgap.md").read_text()
EVERYTHING = ("derived", "third_party", "unverified")
VENDOR = re.compile(r"repo\.radeon\.com|repo\.amd\.com")


def variables():
    """The inventory that docs/airgap.md shows."""
    return yaml.safe_load(re.search(r"```yaml\n(# inventory.*?)```", PAGE, re.DOTALL)[1])


HERE = variables()["gpu_release_mirrors"]


@pytest.mark.parametrize("url", sorted({r.uri for r in own().repositories} | {k.url for k in own().keys}))
def test_the_page_maps_every_address_of_the_catalogue(url):
    assert mirrored(url, HERE).startswith("file:///srv/mirror/")
    assert mirrored(url, HERE).removeprefix("file:///srv/mirror/") == url.partition("://")[2]


@pytest.mark.parametrize("name", own().names)
def test_no_address_of_a_release_is_the_vendors(name):
    components = {c.name for c in own().components if c.stream == own().release(name).stream}
    policy = Policy(EVERYTHING, HERE, components=tuple(sorted(components)))
    found = [] if index_refuses(name) else mirrors(own(), name, (), policy)
    urls = [url for m in found for url in (*(r.uri for r in m.repositories), *(k.url for k in m.signing_keys))]
    assert [url for url in urls if not url.startswith("file:///srv/mirror/")] == []
    assert urls or index_refuses(name)


def index_refuses(name):
    """Whether the release is refused everywhere, whatever is accepted."""
    release = own().release(name)
    return not release.os or not release.driver.build


def texts(path):
    """Texts of a Python file that are no documentation."""
    tree = ast.parse((ROOT / path).read_text())
    documentation = {
        id(node.value) for node in ast.walk(tree)
        if isinstance(node, ast.Expr) or (isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
                                          and node.targets[0].id in ("DOCUMENTATION", "EXAMPLES", "RETURN"))}
    return [node.value for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation]


@pytest.mark.parametrize("path", files("plugins/**/*.py"))
def test_code_knows_no_address_of_the_vendor(path):
    assert [text for text in texts(path) if VENDOR.search(text)] == []


@pytest.mark.parametrize("path", files("roles/*/tasks/**/*.yml", "roles/*/defaults/*.yml", "roles/*/handlers/*.yml",
                                       "roles/*/vars/*.yml", "playbooks/**/*.yml"))
def test_roles_know_no_address_of_the_vendor(path):
    lines = (ROOT / path).read_text().splitlines()
    assert [line for line in lines if VENDOR.search(line) and not line.lstrip().startswith("#")] == []


def test_the_commands_of_the_page_name_what_there_is():
    assert set(re.findall(r"form='([a-z-]+)'", PAGE)) == {"apt-mirror", "reposync", "keys"}
