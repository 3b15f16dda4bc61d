# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action plugin rdma_stack: see plugins/modules/rdma_stack.py for its documentation."""

from __future__ import annotations

import typing as t

from ansible.plugins.action import ActionBase

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.catalogue import Catalogue
from ansible_collections.instinct.fleet.plugins.modules.rdma_stack import SPEC
from ansible_collections.instinct.fleet.plugins.plugin_utils import rdma_data

Result = dict[str, t.Any]


class ActionModule(ActionBase):
    """Give the node what is known of RDMA, checked before it is asked."""

    TRANSFERS_FILES = False

    def run(self, tmp: t.Any = None, task_vars: Result | None = None) -> Result:
        """Return what the module does."""
        result = super().run(tmp, task_vars)
        _valid, args = self.validate_argument_spec(SPEC)
        try:
            documents = rdma_data.documents(tuple(args["catalogue_dirs"]))
            Catalogue.from_documents(documents)
        except FleetError as error:
            return result | {"failed": True, "msg": error.sentence, "failure": error.to_dict()}
        said = self._execute_module("instinct.fleet.rdma_stack", {**args, "catalogue": list(documents)},
                                    task_vars=task_vars)
        said.pop("invocation", None)  # it repeats the catalogue
        return result | said
