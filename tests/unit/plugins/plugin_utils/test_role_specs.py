# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables of the roles are validated before anything is planned."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.plugin_utils import role_specs


def test_defaults_come_from_the_specification():
    values = role_specs.validated("gpu_driver", {"gpu_driver_source": "in_tree", "unrelated": 1})
    assert values == {
        "gpu_driver_source": "in_tree",
        "gpu_driver_hold": True,
        "gpu_driver_restrict_unattended": True,
        "gpu_driver_reload_allowed": False,
        "gpu_driver_reboot_allowed": False,
        "gpu_driver_trial_timeout": 900,
        "gpu_driver_build_timeout": 900,
        "gpu_driver_boot_timeout": 600,
        "gpu_driver_adopt": False,
        "gpu_driver_blacklist": "report",
        "gpu_driver_secure_boot": "require_enrolled",
    }


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"gpu_driver_source": "kernel"}, "gpu_driver_source: is 'kernel'; choose one of dkms, in_tree"),
        ({"gpu_driver_hold": "maybe"}, "gpu_driver_hold: is 'maybe', not true or false; correct it in the inventory"),
    ],
)
def test_a_wrong_value_is_refused_by_its_name(values, says):
    with pytest.raises(FleetError) as refusal:
        role_specs.validated("gpu_driver", values)
    assert refusal.value.sentence == says


def test_a_misspelt_variable_is_refused_with_the_name_it_resembles():
    with pytest.raises(FleetError) as refusal:
        role_specs.refuse_misspelt("gpu_driver", ["gpu_driver_sorce"])
    assert str(refusal.value) == (
        "variable gpu_driver_sorce: the role gpu_driver has no such variable; did you mean gpu_driver_source?"
    )


def test_a_slip_in_the_prefix_is_refused_too():
    with pytest.raises(FleetError) as refusal:
        role_specs.refuse_misspelt("gpu_driver", ["gpu_drivr_source"])
    assert str(refusal.value) == (
        "variable gpu_drivr_source: no role has such a variable; did you mean gpu_driver_source?"
    )


def test_a_variable_like_no_other_is_refused_too():
    with pytest.raises(FleetError, match="see the role's README"):
        role_specs.refuse_misspelt("gpu_driver", ["gpu_driver_xyzzy_plugh"])


@pytest.mark.parametrize(
    "name",
    ["gpu_driver_hold", "gpu_driver_reboot_required", "__gpu_driver_steps", "rocm_userspace_components", "gpu_drivers", "my_gpu_driver_hold"],
)
def test_options_exports_internals_and_names_of_others_pass(name):
    role_specs.refuse_misspelt("gpu_driver", [name])
