# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that the texts of a reservation share."""

from __future__ import annotations

from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation import text_names


def test_names_of_a_tenant() -> None:
    assert (text_names.group("vision"), text_names.slice_of("vision"), text_names.environment_file("vision")) == (
        "gpu-vision", "tenant-vision.slice", "/etc/instinct/tenants/vision.env")
