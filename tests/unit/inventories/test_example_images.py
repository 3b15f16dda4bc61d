# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The image of the example inventory is one: its builder resolves it, with what the inventory says of the nodes."""

from __future__ import annotations

import yaml

from ansible_collections.instinct.fleet.plugins.modules.rocm_image_build import SPEC
from ansible_collections.instinct.fleet.plugins.plugin_utils import image_data
from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT

EXAMPLE = ROOT / "inventories/example"


def test_the_image_of_the_example_is_resolved_for_its_nodes() -> None:
    said = yaml.safe_load((EXAMPLE / "group_vars/instinct/image.yml").read_text(encoding="utf-8"))
    given = {name: said.get(f"rocm_image_{name}", option.get("default")) for name, option in SPEC.items()}
    rdma = yaml.safe_load((EXAMPLE / "group_vars/mi355x/rdma.yml").read_text(encoding="utf-8"))["rdma_stack_versions"]
    given.update(rdma_versions=rdma, catalogue_dirs=[str(EXAMPLE / "images")], release="rocm-7.2.3", release_mirrors={}, render_gid=1200)
    image = image_data.image(given)
    assert [layer.name for layer in image.layers] == ["base", "rocm", "application"]
    assert {package.version for package in image.layers[0].packages} == {rdma["rdma-core"]}
    assert (image.wants.rocm, image.wants.render_gid, image.wants.verbs) == ("7.2.3", 1200, {"mlx5": 1})
    # It is for the nodes without a stack of their own: no provider of Pollara is in it.
    assert image.wants.gfx == ("gfx942",) and not (EXAMPLE / "group_vars/mi300x/rdma.yml").exists()
    assert image.layers[1].repositories[0].text.startswith("Types: deb\nURIs: https://repo.radeon.com/rocm/apt/7.2.3\nSuites: noble\n")
