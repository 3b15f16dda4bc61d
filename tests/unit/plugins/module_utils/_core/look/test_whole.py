# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nothing is planned blind."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import SECTIONS
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.whole import NEEDED, WholeLook, whole
from ansible_collections.instinct.fleet.tests.unit.support.world import bare_node


def blinded(section: str, path: str, root: bool = True):
    node = bare_node()
    node = dc.replace(node, os=dc.replace(node.os, root=root))
    return dc.replace(node, **{section: dc.replace(getattr(node, section), unknown={path: "denied"})})


def test_a_node_that_was_seen_passes():
    node = bare_node()
    assert dc.asdict(whole(node)) == {name: dc.asdict(node)[name] for name in SECTIONS}
    assert [f.name for f in dc.fields(WholeLook)] == list(SECTIONS)
    assert set(NEEDED) <= set(SECTIONS)


@pytest.mark.parametrize("section", SECTIONS)
def test_every_section_must_have_been_looked_at(section):
    with pytest.raises(FleetError, match=f"section {section}: was not looked at"):
        whole(dc.replace(bare_node(), **{section: None}))


@pytest.mark.parametrize(
    ("section", "path"),
    [
        ("os", "id"),
        ("kernel", "running"),
        ("packages", "holds"),
        ("repositories", "keyrings"),
        ("dkms", "modules"),
        ("driver", "on_disk[6.1.0]"),
        ("gpus", "gpus"),
        ("files", "files"),
    ],
)
def test_what_plans_compare_must_be_known(section, path):
    with pytest.raises(FleetError) as refusal:
        whole(blinded(section, path))
    assert str(refusal.value) == f"{section}.{path}: is unknown: denied; mend that on the node, then run again"


def test_someone_who_is_not_root_is_told_so():
    with pytest.raises(FleetError, match="look as root"):
        whole(blinded("files", "files", root=False))
    with pytest.raises(FleetError, match="look as root"):
        whole(blinded("kernel", "boot_entries", root=False))
    assert whole(blinded("kernel", "boot_entries"))


@pytest.mark.parametrize(
    ("section", "path"), [("kernel", "secure_boot"), ("driver", "parameters"), ("smi", "library_version")]
)
def test_what_no_plan_compares_may_be_unknown(section, path):
    whole(blinded(section, path))
