# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The filter reboot_timeout, on the file of the collection."""

from __future__ import annotations

import pathlib
import typing as t

import pytest
from ansible.errors import AnsibleFilterError

from ansible_collections.instinct.fleet.plugins.filter import reboot_timeout

run = reboot_timeout.FilterModule().filters()["reboot_timeout"]


def test_a_node_with_many_gpus_is_waited_for_longer() -> None:
    assert (run(["MI300X"] * 8), run([])) == (1800, 900)


@pytest.mark.parametrize("products", ["MI300X", [1], None])
def test_what_is_no_list_of_products_is_refused(products: t.Any) -> None:
    with pytest.raises(AnsibleFilterError, match=r"products: is .*, not a list of names"):
        run(products)


def test_a_file_that_is_wrong_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    monkeypatch.setattr(reboot_timeout, "FILE", tmp_path / "timeouts.yml")
    (tmp_path / "timeouts.yml").write_text("version: v1\nkind: reboot_timeouts\ntimeouts: 5\nsources: {}\n")
    reboot_timeout._timeouts.cache_clear()
    with pytest.raises(AnsibleFilterError, match=r"timeouts\.yml: timeouts: is a number, not a list"):
        run([])
    reboot_timeout._timeouts.cache_clear()
