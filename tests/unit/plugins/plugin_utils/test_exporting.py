# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A release from what nodes run: pinned to it, they stay what they are. With the real catalogue, on the model of a node."""

from __future__ import annotations

import dataclasses as dc
from pathlib import Path

import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan import freeze
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.managed import MANAGED_FILES
from ansible_collections.instinct.fleet.plugins.plugin_utils import catalogue_files, exporting, planning, role_specs
from ansible_collections.instinct.fleet.tests.unit.support.world import bare_node, carry_out

OWN_KEY = {"radeon": {"fingerprint": "AB" * 20}}
ACCEPT = {"gpu_release_accept": ["derived", "third_party"]}
NAME = "site-2026-11"
RECORD = ["write /var/lib/instinct/release.json", "write /etc/ansible/facts.d/instinct.fact"]


def values(**given):
    given = {"gpu_release_name": "rocm-7.2.3", "gpu_release_keys": OWN_KEY} | given
    return {role: role_specs.validated(role, given) for role in planning.ROLES}


def plan(node: lk.Look, **given) -> planning.NodePlan:
    return planning.plan_node(node, values(**given), planning.ROLES)


def managed(name="rocm-7.2.3", bare=None, **given) -> lk.Look:
    """A node that this collection brought to a release."""
    node = bare or bare_node()
    for part in plan(node, gpu_release_name=name, **given).plans.values():
        node = carry_out(node, part)
    return node


def by_hand(name="rocm-7.2.3", **given) -> lk.Look:
    """A node that was installed as the vendor says: its packages, its sources, no pin and no hold of ours."""
    node = managed(name, **given)
    source = lk.Source("/etc/apt/sources.list.d/amdgpu.list", ("deb",), ("https://repo.radeon.com/amdgpu/x/ubuntu",), ("jammy",),
                       ("main",), ("amd64",), "/etc/apt/keyrings/rocm.gpg", False, True)
    return dc.replace(
        node,
        packages=dc.replace(node.packages, holds=()),
        repositories=lk.Repositories(sources=(source,)),
        devices=lk.Devices(groups={"render": 104}),
        files=lk.Files(tuple(lk.ManagedFile(path) for path in MANAGED_FILES)),
    )


def export(directory, given=None, **nodes: lk.Look) -> exporting.Export:
    of_each = {node: values(**(given or {})) for node in nodes}
    return exporting.export(nodes, of_each, NAME, "as it ran", str(directory), "measured on 2026-11-29")


def written(directory: Path, made: exporting.Export) -> None:
    (directory / "releases").mkdir(exist_ok=True)
    (directory / "releases" / f"{NAME}.yml").write_text(made.text)


def trixie() -> lk.Look:
    return bare_node("6.12.48+deb13-amd64", "13", "trixie")


STATES = {
    "managed, ROCm 7.2.3": (managed, {}),
    "managed, ROCm 7.0.2": (lambda: managed("rocm-7.0.2"), {}),
    "managed, ROCm 6.4.2": (lambda: managed("rocm-6.4.2", **ACCEPT), ACCEPT),
    "managed, on Debian 13": (lambda: managed(bare=trixie()), {}),
    "managed, with MI210": (lambda: managed(bare=bare_node(device_id="740f", gpus=4)), {}),
    "managed, other components": (
        lambda: managed(rocm_userspace_components=["rocm-core"]), {"rocm_userspace_components": ["rocm-core", "rocminfo"]}),
    "installed by hand": (by_hand, {}),
    "installed by hand, an old one": (lambda: by_hand("rocm-6.4.2", **ACCEPT), {}),
    "installed by hand, on Debian 13": (lambda: by_hand(bare=trixie()), {}),
}


@pytest.mark.parametrize(("state", "given"), STATES.values(), ids=STATES)
def test_a_node_pinned_to_its_own_export_stays_what_it_is(tmp_path, state, given):
    node = state()
    made = export(tmp_path, given, a=node)
    written(tmp_path, made)
    pinned = {**given, **made.common()}
    first = plan(node, **pinned)
    # Whatever is done only brings the node under management: no package, no kernel, no driver, no reboot.
    words = [s.words for p in first.plans.values() for s in p.steps]
    assert tuple(words) == made.adopting["a"]
    assert {s.action for p in first.plans.values() for s in p.steps} <= set(freeze.ADOPTING)
    assert [(p.reboot, p.reload, p.problems) for p in first.plans.values()] == [("", "", ())] * len(first.plans)
    for part in first.plans.values():
        node = carry_out(node, part)
    assert [p.steps for p in plan(node, **pinned).plans.values()] == [()] * len(first.plans)


@pytest.mark.parametrize("name", ["managed, ROCm 7.2.3", "managed, ROCm 7.0.2", "managed, on Debian 13"])
def test_of_a_managed_node_nothing_but_the_name_in_its_record_changes(tmp_path, name):
    assert list(export(tmp_path, a=STATES[name][0]()).adopting["a"]) == RECORD


def test_the_file_passes_schema_and_reader_and_says_where_it_is_from(tmp_path):
    made = export(tmp_path, a=managed())
    written(tmp_path, made)
    catalogue_files.read((str(tmp_path),), NAME, True)
    assert yaml.safe_load(made.text) == made.document
    assert made.text.startswith("# Written by export.yml of instinct.fleet")
    assert "&id" not in made.text
    assert exporting.described(made.text) == made.document["release"]
    release = made.document["release"]
    assert (release["confidence"], made.document["sources"]) == ("third_party", {"measured": "measured on 2026-11-29"})
    assert [p["version"] for p in release["driver"]["packages"]] == [
        "1:6.16.13.30300300-2327507{dist}", "30.30.3.0.30300300-2327507{dist}"]


def test_the_variables_say_only_what_the_inventory_does_not():
    assert export("/srv/c", a=by_hand()).common() == {
        "gpu_release_name": NAME, "gpu_release_catalogue_dirs": ["/srv/c"], "gpu_release_accept": ["third_party"],
        "gpu_release_kernel": "6.1.0-56-amd64", "rocm_userspace_render_gid": 104}
    given = {"gpu_release_kernel": "6.1.0-56-amd64", "gpu_release_accept": ["third_party"], "rocm_userspace_render_gid": 104,
             "gpu_release_catalogue_dirs": []}
    assert set(export("/srv/c", given, a=by_hand()).common()) == {"gpu_release_name", "gpu_release_catalogue_dirs"}


def test_nodes_that_agree_share_a_release_and_what_differs_is_theirs(tmp_path):
    newer = managed(bare=bare_node("6.1.0-57-amd64"))
    made = export(tmp_path, a=managed(), b=newer, c=managed(bare=trixie()), d=managed(bare=bare_node(device_id="740f")))
    release = made.document["release"]
    assert release["gpus"] == ["MI210", "MI300X"]
    assert [(row["id"], row["version"], [k["series"] for k in row["kernels"]], row["gpus"]) for row in release["os"]] == [
        ("debian", "12", ["6.1.0-56", "6.1.0-57"], ["MI210", "MI300X"]), ("debian", "13", ["6.12.48"], ["MI300X"])]
    assert {node: own["gpu_release_kernel"] for node, own in made.own().items()} == {
        "a": "6.1.0-56-amd64", "b": "6.1.0-57-amd64", "c": "6.12.48+deb13-amd64", "d": "6.1.0-56-amd64"}
    assert made.inventory().startswith(f"gpu_release_name: {NAME}\n")
    assert "# host_vars of c\ngpu_release_kernel: 6.12.48+deb13-amd64\n" in made.inventory()


def test_another_kernel_than_those_that_were_frozen_is_refused(tmp_path):
    made = export(tmp_path, a=managed())
    written(tmp_path, made)
    with pytest.raises(FleetError, match=r"gpu_release_kernel 6.1.0-57-amd64: is not of a series .*\(6.1.0-56\)"):
        plan(managed(), **{**made.common(), "gpu_release_kernel": "6.1.0-57-amd64"})


def test_a_driver_outside_the_window_of_its_rocm_is_said_when_it_is_exported(tmp_path):
    node = managed()
    old = tuple(dc.replace(p, version=p.version.replace("7.2.3.70203", "5.7.1.50701")) for p in node.packages.installed)
    rocm = lk.Rocm((lk.RocmPrefix("/opt/rocm-5.7.1", "5.7.1"),), "/opt/rocm-5.7.1")
    mixed = dc.replace(node, packages=dc.replace(node.packages, installed=old), rocm=rocm)
    with pytest.raises(FleetError, match=r"driver 30.30.3 does not support ROCm 5.7.1; it supports .*source") as refusal:
        export(tmp_path, a=mixed)
    assert refusal.value.where == f"release {NAME}"


@pytest.mark.parametrize(
    ("name", "says"),
    [("Site", "fleet_export_name: is 'Site'"), ("../x", "which does not match"), ("rocm-7.2.3", "the collection itself has")],
)
def test_a_name_that_cannot_be(name, says):
    with pytest.raises(FleetError, match=says):
        exporting.export({"a": managed()}, {"a": values()}, name, "t", "/srv/c", "s")


def test_no_node_is_no_release():
    with pytest.raises(FleetError, match="there is no node to export"):
        exporting.export({}, {}, NAME, "t", "/srv/c", "s")


class Tagged(str):
    """As Ansible hands strings over."""


def test_strings_that_ansible_tagged_are_written_as_strings():
    made = exporting.export({"a": managed()}, {"a": values()}, Tagged(NAME), Tagged("t: 1"), Tagged("/srv/c"), Tagged("s"))
    assert yaml.safe_load(made.text) == made.document
    assert yaml.safe_load(made.inventory())["gpu_release_catalogue_dirs"] == ["/srv/c"]


@pytest.mark.parametrize("text", ["a: [", "- a", "", "version: v1"])
def test_what_is_no_release_file_describes_nothing(text):
    assert exporting.described(text) is None
