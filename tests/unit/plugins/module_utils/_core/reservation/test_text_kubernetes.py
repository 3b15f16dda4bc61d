# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Kubernetes may be told."""

from __future__ import annotations

from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import Record
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_kubernetes import told
from ansible_collections.instinct.fleet.tests.unit.support.granted import RECORD


def test_labels_namespaces_and_what_the_plugin_offers() -> None:
    found = told(RECORD)
    assert (found["labels"], found["namespaces"]) == ({"instinct.fleet/vision": "3"}, {"inference": "vision"})
    assert found["plugin"]["resources"] == {"amd.com/gpu": 4}
    assert "instinct.fleet/gpu=<tenant>" in found["notes"][0]


def test_without_tenants_there_is_nothing_to_tell() -> None:
    found = told(Record())
    assert (found["labels"], found["namespaces"], found["plugin"]["resources"]) == ({}, {}, {})
