# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables, the inventory, containers.conf, and names made from content."""

from __future__ import annotations

import resource

import yaml
from simhost import output, paths, podman

TABLE = """\
node    gpus  driver
a       8     6.14.14
longer  0     -"""


def test_table_lines_its_columns_up():
    assert output.table(("node", "gpus", "driver"), [("a", 8, "6.14.14"), ("longer", 0, None)]) == TABLE


def test_inventory_is_yaml_that_ansible_reads():
    text = output.inventory({"b": {"ansible_host": "10.0.0.2"}, "a": {"ansible_host": "10.0.0.1"}}, "/key", "AB12")
    group = yaml.safe_load(text)["instinct"]
    assert group["hosts"] == {"a": {"ansible_host": "10.0.0.1"}, "b": {"ansible_host": "10.0.0.2"}}
    assert group["vars"]["ansible_ssh_private_key_file"] == "/key"
    assert group["vars"]["ansible_python_interpreter"] == "/usr/bin/python3"
    assert group["vars"]["ansible_ssh_common_args"].startswith(
        "-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null")
    assert group["vars"]["instinct_sim_fingerprint"] == "AB12"
    assert yaml.safe_load(output.inventory({}, "/key", ""))["instinct"]["hosts"] == {}


def test_limits_stay_within_what_may_be_set():
    assert [podman.within(limit) for limit in (resource.RLIM_INFINITY, 1048576, 4096)] == [16384, 16384, 4096]
    assert 'default_ulimits = ["nofile=4096:4096", "nproc=100:100"]' in podman.configuration(4096, 100)


def test_digest_changes_with_contents_names_and_execute_bits(tmp_path):
    file = tmp_path / "f"
    file.write_text("a", encoding="utf-8")
    seen = [paths.digest(tmp_path)]
    file.chmod(0o755)
    seen.append(paths.digest(tmp_path))
    file.write_text("b", encoding="utf-8")
    seen.append(paths.digest(tmp_path))
    file.rename(tmp_path / "g")
    seen.append(paths.digest(tmp_path))
    seen.append(paths.digest(tmp_path, "more"))
    assert len(set(seen)) == len(seen)
    assert paths.digest(tmp_path, "more") == seen[-1]
