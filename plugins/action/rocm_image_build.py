# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action plugin rocm_image_build: see plugins/modules/rocm_image_build.py for its documentation."""

from __future__ import annotations

import typing as t

from ansible.plugins.action import ActionBase

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.plain import plain
from ansible_collections.instinct.fleet.plugins.modules.rocm_image_build import SPEC
from ansible_collections.instinct.fleet.plugins.plugin_utils import container_check_data, image_data, own_version

Result = dict[str, t.Any]


class ActionModule(ActionBase):
    """Resolve a definition on the controller, so that the builder is told what nothing of is open."""

    TRANSFERS_FILES = False

    def run(self, tmp: t.Any = None, task_vars: Result | None = None) -> Result:
        """Return what the module does."""
        result = super().run(tmp, task_vars)
        _valid, args = self.validate_argument_spec(SPEC)
        try:
            args |= {"image": plain(image_data.image(args)), "checks": container_check_data.documents(),
                     "collection": own_version.version()}
        except FleetError as error:
            return result | {"failed": True, "msg": error.sentence, "failure": error.to_dict()}
        said = self._execute_module("instinct.fleet.rocm_image_build", args, task_vars=task_vars)
        said.pop("invocation", None)  # it repeats the image
        return result | t.cast("Result", said)
